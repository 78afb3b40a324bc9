// Rules that derive a service's health.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"
#include "cli/observe/store_watch.h"

namespace gprofhub::cli {

struct HealthLimits {
  // Timeout after which a store counts as unavailable.
  absl::Duration silence = absl::Seconds(10);
  // Bytes on the disk of the store's files below which no upload is taken to be possible.
  uint64_t least_free = uint64_t{256} << 20;
  // A queue is stuck if its oldest job has waited for longer, and has been the oldest one for that
  // time.
  absl::Duration stuck = absl::Minutes(10);
  // An upload that failed for want of space marks the store as full for this time.
  absl::Duration remember_no_room = absl::Minutes(1);
  // Of a copy of a database: what is older is not shown any more.
  absl::Duration stalest = absl::InfiniteDuration();
};

// Roles of this process.
struct ServedRoles {
  bool collector = false;
  bool query = false;
  bool worker = false;
  bool reporter = false;
};

struct Health {
  bool serving = true;
  std::string why;  // reason for not serving, for an operator; may name files and hosts
};

// Names of services in health requests.
inline constexpr char kCollectorHealth[] = "gprofhub.v1.Collector";
inline constexpr char kQueryHealth[] = "gprofhub.v1.Query";
inline constexpr char kWorkerHealth[] = "gprofhub.worker";
inline constexpr char kReporterHealth[] = "gprofhub.reporter";
inline constexpr char kWholeHealth[] = "";

// By service, of those that the process has. The overall health is that of the services that accept
// calls, or, without any, of everything: a stuck queue is not a reason to stop uploads.
std::map<std::string, Health> JudgeHealth(const StoreView& store, const ServedRoles& roles,
                                          const HealthLimits& limits, absl::Time now);

}  // namespace gprofhub::cli
