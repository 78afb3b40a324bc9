// Stores that benchmarks fill with runs, through the store's own queue.
#pragma once

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "store/open_store.h"
#include "store/records/records.h"
#include "store/upkeep.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::scale {

inline constexpr char kProject[] = "scale";

// Run number `run` of them has been started and committed an hour after the one before.
std::string CommitOf(int run);
absl::Time TimeOf(int run);

// A store in a folder; "postgres": on a PostgreSQL server that runs as long as this.
struct OpenedStore {
  std::unique_ptr<tests::PostgresServer> server;
  store::Store store;
  store::Upkeep upkeep;
  bool is_empty = true;
};
OpenedStore OpenAt(const std::string& where);

// An execution of run number `run` of the branch "main": its one profile has the same few bytes for
// all, for it is never read.
store::NewExecution ExecutionOf(int run, const std::string& target);

// Records the execution, and ends its analysis with this result, of which the run and the target
// are filled in. Returns the job.
store::Job AddAnalyzed(const store::Store& store, const store::NewExecution& execution,
                       store::AnalysisResult result);

}  // namespace gprofhub::scale
