#include "tests/page/filling.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/worker/target_images.h"
#include "analyzer/worker/worker.h"
#include "base/status_macros.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/writer.h"
#include "store/testing/temp_store.h"

namespace gprofhub::tests {

std::string CommitOf(int number) { return absl::StrFormat("%040x", 0xC0FFEE + number * 7919); }

Filling::Filling(store::Store store) : store_(std::move(store)) {}

store::RunRecord Filling::Run(const std::string& project, int number) {
  store::RunRecord run;
  run.project = project;
  run.run_key = absl::StrCat("run-", number);
  run.commit = CommitOf(number);
  run.commit_subject = absl::StrCat("Release ", number);
  run.branch = "main";
  run.configuration = "k8-opt";
  run.machine = "x86_64, 8 processors";
  run.started = run.committed = kBegin + number * absl::Hours(6);
  for (int i = number - 1; i >= 0 && i >= number - 20; --i) run.ancestors.push_back(CommitOf(i));
  return run;
}

absl::Status Filling::Record(const store::RunRecord& run, const std::string& target,
                             const MadeProgram& program, const Ended& ended) const {
  const profile::SymbolTable symbols = program.Symbols();
  ASSIGN_OR_RETURN(const std::string gmon, profile::WriteGmon(program.Profile()));
  const store::Blob profile = store::MakeBlob(gmon);
  const store::Blob bundle = store::MakeBlob(profile::EncodeSymbolBundle(symbols));
  store::NewExecution execution;
  execution.run = run;
  execution.execution.target = target;
  execution.execution.attempt = ended.attempt;
  execution.execution.status = ended.status;
  execution.execution.duration_ms = ended.duration_ms;
  execution.profiles = {{"gmon.1", symbols.build_id, profile.name}};
  execution.images = {{symbols.build_id, bundle.name}};
  execution.blobs = {profile, bundle};
  return store_.ingest.RecordExecution(execution, run.started).status();
}

absl::Status Filling::KeepLog(const store::RunRecord& run, const std::string& target,
                              const std::string& log_end) const {
  store::RunFilter filter;
  filter.project = run.project;
  filter.commit = run.commit;
  ASSIGN_OR_RETURN(const auto runs, store_.reading.ListRuns(filter));
  store::InvocationRecord record;
  record.project = run.project;
  record.invocation_id = absl::StrCat("24655241-a967-4e47-9b92-", run.run_key);
  record.first_event = "event 1";
  record.commit = run.commit;
  record.sender = "ci";
  // A server forgets those of long ago.
  record.started = kBegin + absl::Hours(24 * 365 * 100);
  ASSIGN_OR_RETURN(const auto opened, store_.invocations.Open(record, "", 1, record.started));
  absl::Status status = store_.invocations.SetRun(opened.id, runs.at(0).id);
  store::InvocationTarget flaky;
  flaky.label = target;
  flaky.status = "FLAKY";
  flaky.attempts = flaky.recorded = 2;
  flaky.ended = record.started + absl::Minutes(1);
  flaky.log_end = log_end;
  status.Update(store_.invocations.PutTargets(opened.id, {flaky}));
  status.Update(store_.invocations.Finish(opened.id, store::InvocationState::kEnded,
                                          record.started + absl::Minutes(2)));
  return status;
}

absl::Status Filling::Analyze() const {
  analyzer::WorkerOptions options;
  options.name = "maker";
  options.now = [] { return kBegin; };
  analyzer::Worker worker(store_.jobs, store_.reading, store_.blobs, analyzer::AnalyzeTarget,
                          options);
  for (;;) {
    ASSIGN_OR_RETURN(const bool worked, worker.RunOnce());
    if (!worked) return absl::OkStatus();
  }
}

}  // namespace gprofhub::tests
