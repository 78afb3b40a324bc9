#include "ci/upload/upload.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ci/upload/prepare_execution.h"

namespace gprofhub::ci {
namespace {

// Whether the next execution may fare better.
bool ConcernsThisExecutionOnly(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kFailedPrecondition:
      return true;
    default:
      return false;
  }
}

bool InOrder(const TestAttempt& a, const TestAttempt& b) {
  return std::tie(a.label, a.configuration, a.run, a.shard, a.attempt) <
         std::tie(b.label, b.configuration, b.run, b.shard, b.attempt);
}

// The run that the execution belongs to; its kind is that of its profiles.
void NameRun(const v1::RunInfo& planned, const TestAttempt& attempt, bool several_configurations,
             v1::RunInfo& run) {
  const v1::ProfileKind kind = run.profile_kind();
  run = planned;
  run.set_profile_kind(kind);
  if (!run.configuration().empty()) return;
  run.set_configuration(attempt.configuration);
  if (several_configurations) {
    run.set_run_key(absl::StrCat(run.run_key(), "/", attempt.configuration));
  }
}

// Sends the execution and adds to the summary what came of it. Returns what to tell people,
// or the error.
absl::StatusOr<std::string> Send(const PreparedExecution& prepared, const UploadSteps& steps,
                                 UploadSummary& summary) {
  std::string said = absl::StrCat(prepared.profiles.size(),
                                  prepared.profiles.size() == 1 ? " profile" : " profiles");
  if (!steps.send) return said;
  const absl::StatusOr<UploadOutcome> outcome = steps.send(prepared.header, prepared.blobs);
  if (!outcome.ok()) return outcome.status();
  summary.run_ids.insert(outcome->response.run_id());
  summary.bytes_sent += outcome->bytes_sent;
  if (outcome->response.already_present()) ++summary.already_present;
  if (prepared.profiles.empty()) {
    if (outcome->response.profiles() == 0) return "no profile here, none at the server";
    ++summary.found;
    return "the server has its profile";
  }
  if (outcome->response.already_present()) return absl::StrCat(said, ", already there");
  return absl::StrCat(said, ", ", outcome->bytes_sent, " bytes sent");
}

// Whether to ask the server for the profile of a result out of Bazel's cache: there is one, but
// it is not on this machine. A test that leaves none is nobody's business.
bool AsksForProfile(const TestAttempt& attempt, const std::vector<std::string>& left_out,
                    const UploadSteps& steps) {
  return attempt.cached && !left_out.empty() && steps.send != nullptr;
}

std::string Describe(const v1::ExecutionInfo& execution) {
  TestAttempt attempt;
  attempt.label = execution.target();
  attempt.run = execution.run_number();
  attempt.shard = execution.shard();
  attempt.attempt = execution.attempt();
  return Describe(attempt);
}

// Sends what was prepared. Returns what to tell people, or an error that every further execution
// would meet.
absl::StatusOr<std::string> SendPrepared(const PreparedExecution& prepared,
                                         const UploadSteps& steps, UploadSummary& summary) {
  for (const auto& [sha256, bytes] : prepared.blobs) summary.bytes_total += bytes.size();
  absl::StatusOr<std::string> said = Send(prepared, steps, summary);
  if (!said.ok()) {
    if (!ConcernsThisExecutionOnly(said.status())) return said.status();
    summary.skipped.push_back(
        absl::StrCat(Describe(prepared.header.execution()), ": ", said.status().message()));
    return std::string(said.status().message());
  }
  ++summary.executions;
  summary.cached += prepared.header.execution().cached() ? 1 : 0;
  summary.profiles += prepared.profiles.size();
  for (const auto& [build_id, image] : prepared.images) summary.images.insert(build_id);
  return said;
}

// Prepares and sends one execution, and those of its parts. Returns what to tell people, or an
// error that every further execution would meet.
absl::StatusOr<std::string> UploadAttempt(const UploadPlan& plan, const TestAttempt& attempt,
                                          bool several_configurations, const UploadSteps& steps,
                                          UploadSummary& summary) {
  std::vector<std::string> left_out;
  std::vector<PreparedExecution> units =
      PrepareExecutions(attempt, steps.search, steps.bundles, left_out);
  const uint32_t found_before = summary.found;
  std::vector<std::string> said;
  for (PreparedExecution& prepared : units) {
    if (prepared.profiles.empty() && !AsksForProfile(attempt, left_out, steps)) continue;
    NameRun(plan.run, attempt, several_configurations, *prepared.header.mutable_run());
    absl::StatusOr<std::string> one = SendPrepared(prepared, steps, summary);
    if (!one.ok()) return one.status();
    said.push_back(*std::move(one));
  }
  // What is not here and was found at the server is not missed.
  if (summary.found == found_before) {
    summary.skipped.insert(summary.skipped.end(), left_out.begin(), left_out.end());
  }
  if (said.size() == 1) return said.front();
  if (!said.empty()) return absl::StrCat(said.size(), " cases");
  if (!left_out.empty()) return "left out";
  ++summary.without_profiles;
  return "no profiles";
}

}  // namespace

UploadSummary UploadAttempts(UploadPlan plan, const UploadSteps& steps) {
  UploadSummary summary;
  // Executions of one test share its image.
  std::sort(plan.attempts.begin(), plan.attempts.end(), InOrder);
  std::set<std::string> configurations;
  for (const TestAttempt& attempt : plan.attempts) configurations.insert(attempt.configuration);

  size_t done = 0;
  for (const TestAttempt& attempt : plan.attempts) {
    const absl::StatusOr<std::string> said =
        UploadAttempt(plan, attempt, configurations.size() > 1, steps, summary);
    if (!said.ok()) {
      summary.status = said.status();
      return summary;
    }
    ++done;
    steps.progress(done, plan.attempts.size(), absl::StrCat(Describe(attempt), ": ", *said));
  }
  return summary;
}

}  // namespace gprofhub::ci
