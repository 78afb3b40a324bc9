#include "benchmarks/scale/measuring.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace gprofhub::scale {
namespace {

// Numbers of a generator (Marsaglia, "Xorshift RNGs", 2003), sorted.
void FixedWork() {
  std::vector<uint64_t> numbers(200'000);
  uint64_t number = 1;
  for (uint64_t& next : numbers) {
    number ^= number << 13;
    number ^= number >> 7;
    number ^= number << 17;
    next = number;
  }
  std::sort(numbers.begin(), numbers.end());
  if (numbers.front() > numbers.back()) Die("sorting does not sort");
}

}  // namespace

void Die(const std::string& why) {
  std::cerr << why << "\n";
  std::exit(1);
}

void OrDie(const absl::Status& status) {
  if (!status.ok()) Die(status.ToString());
}

double MillisecondsOf(const std::function<void()>& work) {
  const absl::Time begun = absl::Now();
  work();
  return absl::ToDoubleMilliseconds(absl::Now() - begun);
}

double ProcessorMilliseconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

uint64_t BytesIn(const std::string& folder) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

double Quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(part * static_cast<double>(values.size() - 1)))];
}

long PeakMegabytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    long kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

void ForgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::string MachineNow() {
  std::vector<double> work;
  for (int i = 0; i < 11; ++i) work.push_back(MillisecondsOf(FixedWork));
  std::string load;
  std::ifstream("/proc/loadavg") >> load;
  return absl::StrFormat("load %s; 200,000 numbers are sorted in %.1f ms (least %.1f)", load,
                         Quantile(work, 0.5), Quantile(work, 0));
}

}  // namespace gprofhub::scale
