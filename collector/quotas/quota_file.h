// Quotas of projects: the file of `gprofhub serve --quotas`.
//
//   {"defaults": {"calls_per_minute": 600, "bytes_per_day": 20000000000},
//    "projects": {"acme/db": {"calls_per_minute": 6000, "uploads": 64}}}
//
// "defaults" applies to every project; a project's own values override single fields. A missing
// field means no limit; 0 lifts a limit of "defaults".
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::collector {

// 0: no limit.
struct Quota {
  uint64_t calls_per_minute = 0;
  uint64_t bytes_per_hour = 0;  // of uploads
  uint64_t bytes_per_day = 0;
  uint64_t stored_bytes = 0;
  uint64_t uploads = 0;  // concurrent

  friend bool operator==(const Quota&, const Quota&) = default;
};

struct QuotaFile {
  Quota defaults;
  std::map<std::string, Quota, std::less<>> projects;  // complete, with the defaults merged in

  const Quota& Of(absl::string_view project) const;
};

// INVALID_ARGUMENT that names the field.
absl::StatusOr<QuotaFile> ParseQuotas(absl::string_view json);

}  // namespace gprofhub::collector
