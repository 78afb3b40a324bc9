// Shared measuring code of these benchmarks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gprofhub::scale {

// Ends the program: a benchmark that failed has no figures.
[[noreturn]] void Die(const std::string& why);

void OrDie(const absl::Status& status);
template <typename T>
T OrDie(absl::StatusOr<T> result) {
  OrDie(result.status());
  return *std::move(result);
}

// Of the clock, in milliseconds.
double MillisecondsOf(const std::function<void()>& work);

// That this process has used so far, by all of its threads.
double ProcessorMilliseconds();

// Size of all files in the folder and below it.
uint64_t BytesIn(const std::string& folder);

// The quantile `part` of the values: 0.5 is the median. 0 for an empty list.
double Quantile(std::vector<double> values, double part);

// The most memory that this process has held since the last call of ForgetPeak (proc(5):
// clear_refs, VmHWM).
long PeakMegabytes();
void ForgetPeak();

// Load of the machine as a line of text: its load average, and the duration of a constant piece of
// work. On an idle machine both are minimal; figures of different minutes are to be compared by
// them.
std::string MachineNow();

}  // namespace gprofhub::scale
