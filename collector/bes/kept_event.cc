#include "collector/bes/kept_event.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "collector/calls/bounded_parse.h"

namespace gprofhub::collector {
namespace {

using build_events::BuildEvent;

constexpr absl::string_view kOwnPrefix = "GPROFHUB_";
constexpr absl::string_view kEnvironmentOption = "--client_env=";
constexpr absl::string_view kBundleSuffix = ".gprofhub-symbols";
constexpr absl::string_view kSymbolsGroup = "gprofhub_symbols";
constexpr absl::string_view kOutputsPrefix = "test.outputs";
constexpr absl::string_view kManifestPrefix = "test.outputs_manifest";
constexpr absl::string_view kLog = "test.log";

// The variables that ci/upload/run/ci_systems.cc reads, sorted. No prefixes: GITHUB_TOKEN must not
// match.
constexpr absl::string_view kVariablesOfCi[] = {
    "BRANCH_NAME",
    "BUILDKITE",
    "BUILDKITE_BRANCH",
    "BUILDKITE_BUILD_URL",
    "BUILDKITE_COMMIT",
    "BUILDKITE_JOB_ID",
    "BUILDKITE_PIPELINE_DEFAULT_BRANCH",
    "BUILDKITE_PULL_REQUEST",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "BUILDKITE_PULL_REQUEST_REPO",
    "BUILDKITE_REPO",
    "BUILD_TAG",
    "BUILD_URL",
    "CHANGE_BRANCH",
    "CHANGE_FORK",
    "CHANGE_ID",
    "CHANGE_TARGET",
    "CI_COMMIT_BRANCH",
    "CI_COMMIT_SHA",
    "CI_DEFAULT_BRANCH",
    "CI_JOB_ID",
    "CI_JOB_URL",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA",
    "CI_MERGE_REQUEST_IID",
    "CI_MERGE_REQUEST_PROJECT_ID",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
    "CI_MERGE_REQUEST_SOURCE_PROJECT_ID",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "CI_MERGE_REQUEST_TARGET_BRANCH_SHA",
    "GITHUB_ACTIONS",
    "GITHUB_BASE_REF",
    "GITHUB_EVENT_PATH",
    "GITHUB_HEAD_REF",
    "GITHUB_JOB",
    "GITHUB_REF",
    "GITHUB_REPOSITORY",
    "GITHUB_RUN_ATTEMPT",
    "GITHUB_RUN_ID",
    "GITHUB_SERVER_URL",
    "GITHUB_SHA",
    "GITLAB_CI",
    "GIT_BRANCH",
    "GIT_COMMIT",
    "JENKINS_URL",
};

template <typename List, typename Wanted>
void KeepIf(List& list, Wanted wanted) {
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&wanted](const auto& item) { return !wanted(item); }),
             list.end());
}

bool IsWantedArgument(absl::string_view argument) {
  return absl::ConsumePrefix(&argument, kEnvironmentOption) &&
         IsVariableOfCi(argument.substr(0, argument.find('=')));
}

// Keeps the files of symbol bundles; returns whether any is left.
bool KeepBundles(build_events::NamedFileSet& set) {
  KeepIf(*set.mutable_files(),
         [](const auto& file) { return absl::EndsWith(file.name(), kBundleSuffix); });
  return set.files_size() > 0 || set.file_sets_size() > 0;
}

bool KeepSymbolsGroup(build_events::TargetCompleted& completed) {
  KeepIf(*completed.mutable_output_group(),
         [](const auto& group) { return group.name() == kSymbolsGroup; });
  return completed.output_group_size() > 0;
}

void KeepOutputs(build_events::TestResult& result) {
  const bool passed = result.status() == build_events::PASSED;
  KeepIf(*result.mutable_test_action_output(), [passed](const auto& file) {
    return (absl::StartsWith(file.name(), kOutputsPrefix) &&
            !absl::StartsWith(file.name(), kManifestPrefix)) ||
           (file.name() == kLog && !passed);
  });
}

// A test, with its configurations.
bool KeepTest(BuildEvent& event) {
  if (event.configured().test_size() == 0 || !event.id().target_configured().aspect().empty()) {
    return false;
  }
  KeepIf(*event.mutable_children(), [](const auto& id) { return id.has_target_completed(); });
  return true;
}

bool KeepMetadata(build_events::BuildMetadata& metadata) {
  auto& items = *metadata.mutable_metadata();
  for (auto item = items.begin(); item != items.end();) {
    item = absl::StartsWith(item->first, kOwnPrefix) ? std::next(item) : items.erase(item);
  }
  return !items.empty();
}

// Reduces the payload to the kept fields; returns whether any is left.
bool KeepPayload(BuildEvent& event) {
  switch (event.payload_case()) {
    case BuildEvent::kStarted:
      // The path of the user's repository is private and not needed.
      event.mutable_started()->clear_workspace_directory();
      return true;
    case BuildEvent::kConfiguration:
    case BuildEvent::kFinished:
    case BuildEvent::kTestSummary:
      return true;
    case BuildEvent::kCompleted:
      return KeepSymbolsGroup(*event.mutable_completed());
    case BuildEvent::kNamedSetOfFiles:
      return KeepBundles(*event.mutable_named_set_of_files());
    case BuildEvent::kTestResult:
      KeepOutputs(*event.mutable_test_result());
      return true;
    case BuildEvent::kConfigured:
      return KeepTest(event);
    case BuildEvent::kUnstructuredCommandLine:
      KeepIf(*event.mutable_unstructured_command_line()->mutable_args(), IsWantedArgument);
      return event.unstructured_command_line().args_size() > 0;
    case BuildEvent::kWorkspaceStatus:
      KeepIf(*event.mutable_workspace_status()->mutable_item(),
             [](const auto& item) { return absl::StartsWith(item.key(), kOwnPrefix); });
      // Its presence alone is the information.
      return true;
    case BuildEvent::kBuildMetadata:
      return KeepMetadata(*event.mutable_build_metadata());
    case BuildEvent::PAYLOAD_NOT_SET:
      break;
  }
  return false;
}

}  // namespace

bool IsVariableOfCi(absl::string_view name) {
  return std::binary_search(std::begin(kVariablesOfCi), std::end(kVariablesOfCi), name);
}

absl::StatusOr<std::optional<BuildEvent>> KeptEvent(absl::string_view bytes) {
  BuildEvent event;
  if (absl::Status status = ParseBounded(bytes, event); !status.ok()) return status;
  event.DiscardUnknownFields();
  if (event.payload_case() != BuildEvent::kConfigured) event.clear_children();
  if (!KeepPayload(event)) {
    if (!event.last_message()) return std::nullopt;
    event.clear_payload();
  }
  return event;
}

}  // namespace gprofhub::collector
