// Measurements of the load tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace gprofhub::tests {

// The quantile `part` (0 to 1) of the values, by nearest rank. Zero for an empty list.
absl::Duration Quantile(std::vector<absl::Duration> values, double part);

// "p50 1.2ms, p99 8.1ms, most 12ms".
std::string Summary(const std::vector<absl::Duration>& values);

// Resident memory of a process now, in MiB; 0 if it has exited.
uint64_t ResidentMiB(pid_t pid);

// Time to make 64 KiB durable on the disk of `folder`: each of `count` files is written and synced
// (write, fsync) separately. Durations of uploads are meaningful only in comparison with this.
std::vector<absl::Duration> TimesOfSyncs(const std::string& folder, int count);

}  // namespace gprofhub::tests
