#include "benchmarks/scale/filled_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/scale/measuring.h"
#include "store/testing/temp_store.h"

namespace gprofhub::scale {
namespace {

const absl::Time kBegin = absl::FromUnixSeconds(1'600'000'000);

}  // namespace

std::string CommitOf(int run) { return absl::StrFormat("%040x", run + 1); }

absl::Time TimeOf(int run) { return kBegin + run * absl::Hours(1); }

OpenedStore OpenAt(const std::string& where) {
  std::unique_ptr<tests::PostgresServer> server;
  std::string location = where;
  if (where == "postgres") {
    server = OrDie(tests::PostgresServer::Start());
    location = OrDie(server->CreateDatabase("scale"));
  }
  store::WholeStore whole = OrDie(store::OpenWholeStore(location, store::OpenMode::kCreate));
  const bool is_empty = OrDie(whole.store.reading.ListProjects(1)).empty();
  return {std::move(server), std::move(whole.store), std::move(whole.upkeep), is_empty};
}

store::NewExecution ExecutionOf(int run, const std::string& target) {
  static const store::Blob kGmon = store::MakeBlob("gmon");
  static const store::Blob kBundle = store::MakeBlob("symbols");
  store::NewExecution execution;
  execution.run.project = kProject;
  execution.run.run_key = absl::StrCat("run-", run);
  execution.run.commit = CommitOf(run);
  execution.run.branch = "main";
  execution.run.configuration = "k8-opt";
  execution.run.started = execution.run.committed = TimeOf(run);
  execution.execution.target = target;
  execution.execution.status = "PASSED";
  execution.profiles = {{"gmon.1", "b1d1", kGmon.name}};
  execution.images = {{"b1d1", kBundle.name}};
  execution.blobs = {kGmon, kBundle};
  return execution;
}

store::Job AddAnalyzed(const store::Store& store, const store::NewExecution& execution,
                       store::AnalysisResult result) {
  // A run is ordered by its commit's time, but not after its arrival.
  const absl::Time now = execution.run.committed;
  OrDie(store.ingest.RecordExecution(execution, now));
  const auto job = OrDie(store.jobs.Claim("worker", now, absl::Hours(1), 3));
  if (!job.has_value()) Die("there is no job");
  for (store::PointSegment& segment : result.segments) {
    segment.run_id = job->run_id;
    segment.target = job->target;
  }
  OrDie(store.jobs.Complete(*job, result, now));
  return *job;
}

}  // namespace gprofhub::scale
