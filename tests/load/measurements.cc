#include "tests/load/measurements.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace gprofhub::tests {

absl::Duration Quantile(std::vector<absl::Duration> values, double part) {
  if (values.empty()) return absl::ZeroDuration();
  const auto rank = static_cast<size_t>(std::ceil(part * static_cast<double>(values.size())));
  const size_t index = std::min(values.size() - 1, std::max<size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(index), values.end());
  return values[index];
}

std::string Summary(const std::vector<absl::Duration>& values) {
  const auto shown = [&values](double part) {
    return absl::FormatDuration(absl::Trunc(Quantile(values, part), absl::Microseconds(100)));
  };
  return absl::StrCat("p50 ", shown(0.5), ", p99 ", shown(0.99), ", most ", shown(1));
}

uint64_t ResidentMiB(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/statm"));
  uint64_t all = 0;
  uint64_t resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

std::vector<absl::Duration> TimesOfSyncs(const std::string& folder, int count) {
  const std::string bytes(64 << 10, 'x');
  std::vector<absl::Duration> times;
  for (int i = 0; i < count; ++i) {
    const std::string path = absl::StrCat(folder, "/calibration-", i);
    const absl::Time begin = absl::Now();
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool synced =
        fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
        fsync(fd) == 0;
    times.push_back(absl::Now() - begin);
    EXPECT_TRUE(synced) << path;
    if (fd >= 0) close(fd);
    unlink(path.c_str());
  }
  return times;
}

}  // namespace gprofhub::tests
