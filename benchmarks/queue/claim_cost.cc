// How long a claim takes with 100, 1,000 and 10,000 jobs queued, half of them of one project and
// the rest of nine others, on both engines.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "store/open_store.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::store {
namespace {

constexpr int kClaims = 50;

int Queue(const Store& store, int from, int to) {
  for (int i = from; i < to; ++i) {
    NewExecution execution;
    execution.run.project = i % 2 == 0 ? "large" : absl::StrCat("project ", i % 9);
    execution.run.run_key = "run";
    execution.run.commit = std::string(40, 'a');
    execution.execution.target = absl::StrCat("//db:test_", i);
    execution.execution.status = "PASSED";
    const auto recorded = store.ingest.RecordExecution(execution, absl::Now());
    if (!recorded.ok()) {
      std::cerr << recorded.status() << "\n";
      return 1;
    }
  }
  return 0;
}

int Measure(const std::string& name, const std::string& location) {
  const auto store = OpenStore(location, OpenMode::kCreate);
  if (!store.ok()) {
    std::cerr << store.status() << "\n";
    return 1;
  }
  int queued = 0;
  for (const int jobs : {100, 1000, 10000}) {
    if (Queue(*store, queued, jobs) != 0) return 1;
    queued = jobs;
    std::vector<absl::Duration> times;
    std::vector<Job> claimed;
    for (int i = 0; i < kClaims; ++i) {
      const absl::Time begun = absl::Now();
      const auto job = store->jobs.Claim("worker", begun, absl::Hours(1), 8);
      times.push_back(absl::Now() - begun);
      if (!job.ok() || !job->has_value()) return 1;
      claimed.push_back(**job);
    }
    for (const Job& job : claimed) {
      if (!store->jobs.Fail(job, "again", store::JobQueue::Ending::kAgain, absl::Now()).ok())
        return 1;
    }
    std::sort(times.begin(), times.end());
    std::cout << name << ", " << jobs
              << " jobs: median of a claim: " << absl::FormatDuration(times[kClaims / 2])
              << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace gprofhub::store

int main() {
  std::string folder = "/tmp/claim_cost.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  if (gprofhub::store::Measure("SQLite", "sqlite:" + folder) != 0) return 1;
  const auto postgres = gprofhub::tests::PostgresServer::Start();
  if (!postgres.ok()) {
    std::cerr << postgres.status() << "\n";
    return 1;
  }
  const auto url = (*postgres)->CreateDatabase("claims");
  return url.ok() ? gprofhub::store::Measure("PostgreSQL", *url) : 1;
}
