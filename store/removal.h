// Runs and projects on their way out.
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

// A part of the store: store.h says what holds for all of them.
class Removal {
 public:
  explicit Removal(std::shared_ptr<sql::Database> database);

  // Deletes the run with all that belongs to it: targets, executions, profiles, jobs, points, and
  // what it gated first. Nothing compares with it from then on. Results out of a cache that took
  // its profiles lose them, and are analysed anew. Blobs are left to garbage collection
  // (store/upkeep/garbage.h), for they may be others', too. A worker that has its job finds that it
  // has lost it. NOT_FOUND, also if the run is another project's.
  absl::Status DeleteRun(absl::string_view project, int64_t run_id, const Actor& by,
                         absl::Time now) const;

  // The project's runs of the branch, pull requests' too, oldest first.
  absl::StatusOr<std::vector<int64_t>> RunsOfBranch(absl::string_view project,
                                                    absl::string_view branch) const;

  // All of the project's runs, oldest first.
  absl::StatusOr<std::vector<int64_t>> RunsOfProject(absl::string_view project) const;

  // Deletes what a project has beside its runs: acknowledgements, culprits, what channels were
  // told, its policy of retention, and its rights to blobs. Its tokens are revoked, not deleted: a
  // server without any token is open to everybody. The audit log stays. Each kind goes in steps.
  absl::Status DeleteRestOfProject(absl::string_view project, const Actor& by,
                                   absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
