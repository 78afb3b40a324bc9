#include "reporter/worker/rerun_requests.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace gprofhub::reporter {

using Start = store::RerunRequestRecord::Start;

absl::StatusOr<OpenRerun> SettleRerunRequest(const store::GateRecords& gate, Forge& forge,
                                             const PullRequest& pull_request,
                                             const store::RunRecord& run, const v1::Report& report,
                                             const std::string& job, absl::Time now,
                                             absl::Duration patience) {
  absl::StatusOr<std::vector<store::RerunRequestRecord>> requests =
      gate.ListRerunRequests(run.project, pull_request.number);
  if (!requests.ok()) return requests.status();
  OpenRerun open;
  for (store::RerunRequestRecord& request : *requests) {
    if (request.commit == run.commit && !request.answered) open.request = std::move(request);
  }
  if (!open.request.has_value() || report.reruns().empty() || job.empty() ||
      open.request->start != Start::kNotTried) {
    return open;
  }
  store::RerunRequestRecord& request = *open.request;
  const absl::StatusOr<std::string> started = forge.StartAgain(pull_request, run.ci_link, job);
  if (absl::IsUnavailable(started.status()) && now - request.created < patience) {
    open.to_start = true;
    return open;
  }
  request.start = started.ok() ? Start::kStarted : Start::kFailed;
  request.note = started.ok() ? *started : std::string(started.status().message());
  if (absl::Status status = gate.NoteRerunStart(request.id, request.start, request.note);
      !status.ok()) {
    return status;
  }
  return open;
}

}  // namespace gprofhub::reporter
