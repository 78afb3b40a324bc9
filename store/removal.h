// Deletion of runs and projects.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store.h documents what all parts guarantee.
class Removal {
 public:
  explicit Removal(std::shared_ptr<sql::Database> database);

  // Deletes the run and everything that belongs to it: targets, executions, profiles, jobs, points,
  // and its gated findings first. It is no longer available for comparisons. Cached results that
  // took its profiles lose them, and are analysed again. Blobs are left to garbage collection
  // (store/upkeep/garbage.h), for other rows may reference them. A worker with its job finds that
  // it has lost the job. NOT_FOUND, also if the run is another project's.
  absl::Status DeleteRun(absl::string_view project, int64_t run_id, const Actor& by,
                         absl::Time now) const;

  // The project's runs of the branch, pull requests' too, oldest first.
  absl::StatusOr<std::vector<int64_t>> RunsOfBranch(absl::string_view project,
                                                    absl::string_view branch) const;

  // All of the project's runs, oldest first.
  absl::StatusOr<std::vector<int64_t>> RunsOfProject(absl::string_view project) const;

  // Deletes everything of a project except its runs: acknowledgements, culprits, notifications, its
  // retention policy, and its rights to blobs. Its tokens are revoked, not deleted: a server
  // without any token accepts anonymous requests. The audit log stays. Each kind is deleted in
  // steps.
  absl::Status DeleteRestOfProject(absl::string_view project, const Actor& by,
                                   absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
