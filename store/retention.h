// Retention: how long the data of runs is stored.
//
// The age of a run is that of RunRecord::ordered. A project's policy defines which data stays:
//
//   older than   of the main line                            of pull requests and forks
//   raw_days     raw profiles are deleted;                   the same
//                results and points stay
//   full_days    of each day the newest run stays            all are deleted: they are no baselines
//   daily_days   of each week the newest run stays
//
// Runs are grouped by branch, configuration, machine and kind of profiles: the rules apply to each
// such series. Days and weeks (from Monday) are those of UTC. 0 days means for ever.
//
// These stay whole, however old they are:
//   - runs of branches that match keep_branches: releases and tags;
//   - runs that are the base of an existing run of a pull request;
//   - runs in which an acknowledged finding first appeared, unless it was revoked;
//   - pinned runs;
//   - runs with a pending analysis. (A pending report does not count: without a reporter it stays
//     pending for ever.)
// The newest run of a series stays in any case: it is the newest of its day and of its week.
//
// Each step is a transaction with few rows, with pauses between the steps. A killed process leaves
// at most a run that lacks some of its targets; the next one continues with it. The audit log has a
// row for each run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/retention_runs.h"

namespace gprofhub::store {

// The store's record of its backups.

namespace sql {
class Database;
}

// A part of the store: store/open_store.h documents what all parts guarantee.
class Backups {
 public:
  explicit Backups(std::shared_ptr<sql::Database> database);

  // Start time of the last successful backup: it includes everything recorded before.
  // absl::InfinitePast() without any backup.
  absl::StatusOr<absl::Time> Last() const;

  // Records a successful backup at `place`, started at that time.
  absl::Status RecordGood(absl::Time begun, absl::string_view place, const Actor& by,
                          absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

namespace sql {
class Database;
}

// A part of the store: store/open_store.h documents what all parts guarantee.
class Retention {
 public:
  explicit Retention(std::shared_ptr<sql::Database> database);

  // INVALID_ARGUMENT for negative days, or where a shorter time follows a longer one.
  absl::Status Set(const RetentionPolicy& policy, const Actor& by, absl::Time now) const;
  // All policies, by project.
  absl::StatusOr<std::vector<RetentionPolicy>> List() const;
  // From now on everything of the project stays, or follows "*". NOT_FOUND.
  absl::Status Remove(absl::string_view project, const Actor& by, absl::Time now) const;

  // Pins the run: it stays whole. Pinning it again sets the new reason, which may be empty.
  // NOT_FOUND, also if the run is another project's.
  absl::Status Pin(absl::string_view project, int64_t run_id, absl::string_view reason,
                   const Actor& by, absl::Time now) const;
  // From now on the policies hold for it. NOT_FOUND, also if it is not pinned.
  absl::Status Unpin(absl::string_view project, int64_t run_id, const Actor& by,
                     absl::Time now) const;
  // All that are pinned, or the project's, by project and number.
  absl::StatusOr<std::vector<PinnedRun>> ListPinned(absl::string_view project) const;

  // Arrival of the newest run; InfinitePast without runs.
  absl::StatusOr<absl::Time> NewestArrival() const;

  // Applies the policies to all projects, or to this one. An error does not undo earlier steps.
  absl::StatusOr<Freed> Apply(absl::string_view project, const RetentionOptions& options,
                              const Actor& by) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
