// The two halves of retention (retention.h), for one project.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// Values of retention: policies, and the freed data.

struct RetentionPolicy {
  std::string project;  // "*": the default of projects without a policy
  int64_t raw_days = 0;
  int64_t full_days = 0;
  int64_t daily_days = 0;
  std::vector<std::string> keep_branches;  // patterns (base/glob.h)
};

// A run that is exempt from retention.
struct PinnedRun {
  std::string project;
  int64_t id = 0;
  std::string branch;
  std::string commit;
  absl::Time pinned;
  std::string reason;  // may be empty
};

// The deleted data, or with dry_run the data that would be deleted.
struct Freed {
  uint64_t runs = 0;
  uint64_t targets = 0;   // of these runs
  uint64_t profiles = 0;  // raw ones, of these runs and of others
  uint64_t kept = 0;      // expired runs that are exempt
};

struct RetentionOptions {
  bool dry_run = false;
  uint32_t targets_at_once = 20;
  uint32_t runs_at_once = 200;  // that are looked at
  std::function<absl::Time()> now;
  // Called between the steps; may block. An error ends the work.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// Deletes expired runs. Adds the deleted data to `freed`, also before an error.
absl::Status ThinOutRuns(sql::Database& database, const RetentionPolicy& policy,
                         const RetentionOptions& options, const Actor& by, Freed& freed);

// Removes the profiles of runs that are older than raw_days.
absl::Status RemoveRawProfiles(sql::Database& database, const RetentionPolicy& policy,
                               const RetentionOptions& options, const Actor& by, Freed& freed);

}  // namespace gprofhub::store
