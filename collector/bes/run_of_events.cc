// The keys are those that bazel/status.sh prints. They are the fields of v1.RunInfo in capital
// letters, so they can also be set with --build_metadata.
#include "collector/bes/run_of_events.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ci/upload/run/ci_systems.h"
#include "ci/upload/run/git.h"

namespace gprofhub::collector {
namespace {

constexpr absl::string_view kEnvironmentOption = "--client_env=";

absl::Status NotHere() {
  return absl::FailedPreconditionError("it is on the machine that ran Bazel");
}

absl::StatusOr<v1::RunInfo> RunOfCi(const ci::Environment& environment) {
  ci::RunSources sources;
  sources.environment = environment;
  sources.git = [](const std::vector<std::string>&) -> absl::StatusOr<std::string> {
    return NotHere();
  };
  sources.read_file = [](const std::string&) -> absl::StatusOr<std::string> { return NotHere(); };
  const std::optional<ci::CiJob> job = ci::ReadCiJob(sources);
  if (!job.has_value() || job->commit.empty()) {
    return absl::FailedPreconditionError(
        "the commit is not known: give Bazel --workspace_status_command with gprofhub's "
        "bazel/status.sh, or --build_metadata=GPROFHUB_COMMIT=<full hash>");
  }
  v1::RunInfo run;
  run.set_commit(job->commit);
  run.set_branch(job->branch);
  run.set_base_commit(job->base_commit);
  run.set_pull_request(job->pull_request);
  run.set_ci_link(ci::WithoutCredentials(job->link));
  run.set_from_fork(job->from_fork);
  return run;
}

}  // namespace

void RunOfEvents::Take(const build_events::BuildEvent& event) {
  switch (event.payload_case()) {
    case build_events::BuildEvent::kStarted:
      invocation_id_ = event.started().uuid();
      started_unix_ms_ = event.started().start_time_millis();
      break;
    case build_events::BuildEvent::kBuildMetadata:
      for (const auto& [key, value] : event.build_metadata().metadata()) metadata_[key] = value;
      break;
    case build_events::BuildEvent::kWorkspaceStatus:
      for (const auto& item : event.workspace_status().item()) status_[item.key()] = item.value();
      has_status_ = true;
      break;
    case build_events::BuildEvent::kUnstructuredCommandLine:
      for (absl::string_view argument : event.unstructured_command_line().args()) {
        if (!absl::ConsumePrefix(&argument, kEnvironmentOption)) continue;
        const std::pair<std::string, std::string> variable =
            absl::StrSplit(argument, absl::MaxSplits('=', 1));
        environment_.insert(variable);
      }
      break;
    default:
      break;
  }
}

std::string RunOfEvents::Said(const std::string& key) const {
  for (const auto* source : {&metadata_, &status_}) {
    const auto found = source->find("GPROFHUB_" + key);
    if (found != source->end()) return found->second;
  }
  return "";
}

absl::StatusOr<v1::RunInfo> RunOfEvents::Run() const {
  v1::RunInfo run;
  if (Said("COMMIT").empty()) {
    absl::StatusOr<v1::RunInfo> of_ci = RunOfCi(environment_);
    if (!of_ci.ok()) return of_ci.status();
    run = *std::move(of_ci);
  } else {
    run.set_commit(Said("COMMIT"));
    run.set_branch(Said("BRANCH"));
    run.set_base_commit(Said("BASE_COMMIT"));
    run.set_pull_request(Said("PULL_REQUEST"));
    run.set_ci_link(ci::WithoutCredentials(Said("CI_LINK")));
  }
  const std::string fork = Said("FROM_FORK");
  if (!fork.empty() && fork != "true" && fork != "false") {
    return absl::InvalidArgumentError("GPROFHUB_FROM_FORK: must be true or false");
  }
  run.set_from_fork(run.from_fork() || fork == "true");
  if (const std::string logs = Said("TEST_LOGS"); !logs.empty() && !WantsLogs()) {
    return absl::InvalidArgumentError("GPROFHUB_TEST_LOGS: must be failed");
  }
  const std::string ancestors = Said("ANCESTORS");
  for (const absl::string_view hash : absl::StrSplit(ancestors, ' ', absl::SkipEmpty())) {
    run.add_ancestors(std::string(hash));
  }
  run.set_machine(Said("MACHINE"));
  if (const std::string seconds = Said("COMMIT_TIME"); !seconds.empty()) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(seconds, &value) || value <= 0 || value > INT64_MAX / 1000) {
      return absl::InvalidArgumentError(
          absl::StrCat("GPROFHUB_COMMIT_TIME: must be seconds since 1970, and is ", seconds));
    }
    run.set_commit_unix_ms(value * 1000);
  }
  run.set_run_key(invocation_id_);
  run.set_started_unix_ms(started_unix_ms_);
  return run;
}

}  // namespace gprofhub::collector
