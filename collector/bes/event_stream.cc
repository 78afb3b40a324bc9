#include "collector/bes/event_stream.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "ci/upload/results/ci_systems.h"
#include "ci/upload/results/output_names.h"
#include "collector/access/authorizer.h"
#include "collector/fair_pool.h"
#include "collector/method.h"
#include "collector/validate.h"

namespace gprofhub::collector {

namespace {

using build_events::BuildEvent;

constexpr absl::string_view kOwnPrefix = "GPROFHUB_";
constexpr absl::string_view kEnvironmentOption = "--client_env=";
constexpr absl::string_view kBundleSuffix = ".gprofhub-symbols";
constexpr absl::string_view kSymbolsGroup = "gprofhub_symbols";
constexpr absl::string_view kLog = "test.log";

template <typename List, typename Wanted>
void KeepIf(List& list, Wanted wanted) {
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&wanted](const auto& item) { return !wanted(item); }),
             list.end());
}

// Options that Bazel's client adds; users do not type them.
constexpr absl::string_view kOfClient[] = {
    "--binary_path",      "--client_cwd",        "--client_env",      "--command_wait_time",
    "--default_override", "--extract_data_time", "--isatty",          "--rc_source",
    "--restart_reason",   "--startup_time",      "--terminal_columns"};

// Options whose values may be stored. Others may be secrets, such as those of headers,
// credentials and variables.
constexpr absl::string_view kWithValue[] = {"--build_tag_filters",
                                            "--compilation_mode",
                                            "--config",
                                            "--cpu",
                                            "--flaky_test_attempts",
                                            "--jobs",
                                            "--local_test_jobs",
                                            "--platforms",
                                            "--runs_per_test",
                                            "--test_filter",
                                            "--test_output",
                                            "--test_sharding_strategy",
                                            "--test_size_filters",
                                            "--test_tag_filters",
                                            "--test_timeout",
                                            "-c",
                                            "-j"};
constexpr absl::string_view kHidden = "…";

bool IsOneOf(absl::Span<const absl::string_view> names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsTargetPattern(absl::string_view word) {
  absl::ConsumePrefix(&word, "-");
  return absl::StartsWith(word, "//") || absl::StartsWith(word, "@") || absl::StartsWith(word, ":");
}

// The CI system's variables, and the command line without values that may be secrets.
void KeepArguments(build_events::UnstructuredCommandLine& line) {
  std::vector<std::string> kept;
  std::string option;  // that the next word is a value of, perhaps
  bool is_command = true;
  for (const std::string& argument : line.args()) {
    absl::string_view variable = argument;
    const std::string name = argument.substr(0, argument.find('='));
    const bool is_pattern = IsTargetPattern(argument);
    if (absl::ConsumePrefix(&variable, kEnvironmentOption)) {
      if (ci::IsCiVariable(variable.substr(0, variable.find('=')))) kept.push_back(argument);
    } else if (std::exchange(is_command, false)) {
      kept.push_back(argument);
    } else if (IsOneOf(kOfClient, name)) {
      continue;
    } else if (absl::StartsWith(argument, "-") && !is_pattern) {
      const bool has_value = name.size() < argument.size();
      const bool is_shown = !has_value || IsOneOf(kWithValue, name);
      kept.push_back(is_shown ? argument : absl::StrCat(name, "=", kHidden));
      option = has_value ? "" : name;
      continue;
    } else {
      const bool is_value = IsOneOf(kWithValue, option);
      kept.push_back(is_pattern || is_value ? argument : std::string(kHidden));
    }
    option.clear();
  }
  line.mutable_args()->Assign(kept.begin(), kept.end());
}

bool IsBundle(const build_events::File& file) { return absl::EndsWith(file.name(), kBundleSuffix); }

// Empty ids take two bytes on the wire and many times that in memory, and identify nothing.
template <typename List>
void KeepNamed(List& ids) {
  KeepIf(ids, [](const auto& id) { return !id.id().empty(); });
}

// Keeps the files of symbol bundles; returns whether any is left.
bool KeepBundles(build_events::NamedFileSet& set) {
  KeepIf(*set.mutable_files(), IsBundle);
  KeepNamed(*set.mutable_file_sets());
  return set.files_size() > 0 || set.file_sets_size() > 0;
}

bool KeepSymbolsGroup(build_events::TargetCompleted& completed) {
  KeepIf(*completed.mutable_output_group(),
         [](const auto& group) { return group.name() == kSymbolsGroup; });
  for (auto& group : *completed.mutable_output_group()) {
    KeepIf(*group.mutable_inline_files(), IsBundle);
    KeepNamed(*group.mutable_file_sets());
  }
  return completed.output_group_size() > 0;
}

// Of undeclared outputs that Bazel names one by one, a test may leave thousands. Only profiles are
// kept; without any, one other file, so that it stays known that Bazel names outputs
// (ci::AsksForProfile).
void KeepOutputs(build_events::TestResult& result) {
  const bool passed = result.status() == build_events::PASSED;
  auto& files = *result.mutable_test_action_output();
  const bool has_profiles = std::any_of(files.begin(), files.end(), [](const auto& file) {
    return ci::IsProfile(ci::OutputOf(file.name()));
  });
  bool wants_other = !has_profiles;
  KeepIf(files, [&](const auto& file) {
    const absl::string_view output = ci::OutputOf(file.name());
    if (output.empty()) return ci::IsAllOutputs(file.name()) || (file.name() == kLog && !passed);
    return ci::IsProfile(output) || std::exchange(wants_other, false);
  });
}

// A test, with its configurations.
bool KeepTest(BuildEvent& event) {
  if (event.configured().test_size() == 0 || !event.id().target_configured().aspect().empty()) {
    return false;
  }
  KeepIf(*event.mutable_children(),
         [](const auto& id) { return !id.target_completed().configuration().id().empty(); });
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
      KeepArguments(*event.mutable_unstructured_command_line());
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

absl::StatusOr<std::optional<BuildEvent>> KeptEvent(absl::string_view bytes) {
  BuildEvent event;
  RETURN_IF_ERROR(ParseBounded(bytes, event));
  event.DiscardUnknownFields();
  if (event.payload_case() != BuildEvent::kConfigured) event.clear_children();
  if (!KeepPayload(event)) {
    if (!event.last_message()) return std::nullopt;
    event.clear_payload();
  }
  // A copy: the memory of a message does not shrink when its fields are removed.
  return BuildEvent(event);
}

namespace {

namespace build = google::devtools::build::v1;

constexpr absl::Duration kComeBackForAStream = absl::Seconds(10);
constexpr size_t kLongestInvocationId = 190;  // a run's key may have 200
constexpr size_t kLongestBuildId = 200;
constexpr absl::string_view kBazelEvent = "/build_event_stream.BuildEvent";
// Project of callers that have no token and name no project, as in cli/command.
constexpr absl::string_view kDefaultProject = "default";

// The project of the call, if the caller may upload to it.
absl::StatusOr<std::string> ProjectOf(const Caller& caller, const std::string& named) {
  std::string project = named.empty() ? caller.project : named;
  if (project.empty()) project = std::string(kDefaultProject);
  RETURN_IF_ERROR(ValidateProject("project_id", project));
  RETURN_IF_ERROR(Permit(caller, project, Scope::kUpload));
  return project;
}

NextMessage NoMoreMessages() {
  return []() -> std::optional<std::string> { return std::nullopt; };
}

// The event reduced to its kept fields; nullopt if it has none.
absl::StatusOr<std::optional<build_events::BuildEvent>> Kept(const build::BuildEvent& event) {
  if (!event.has_bazel_event()) return std::nullopt;
  if (!absl::EndsWith(event.bazel_event().type_url(), kBazelEvent)) return std::nullopt;
  return KeptEvent(event.bazel_event().value());
}

// Distinguishes the builds that use one invocation id. Bazel's first event is BuildStarted, with
// the time in milliseconds. Bazel resends it unchanged; empty for a stream that continues after it.
std::string FirstEventIn(const build::OrderedBuildEvent& ordered) {
  if (ordered.sequence_number() != 1) return "";
  const build::BuildEvent& event = ordered.event();
  return base::Sha256Hex(event.has_bazel_event() ? event.bazel_event().value()
                                                 : event.SerializeAsString());
}

EventForwarder* ForwarderIn(const EventStreamOffice& office, const std::string& project) {
  return office.forwarder_of ? office.forwarder_of(project) : nullptr;
}

}  // namespace

bool HaveSameRights(const AttemptSender& a, const AttemptSender& b) {
  if (a.caller.anonymous != b.caller.anonymous || !(a.caller.scopes == b.caller.scopes)) {
    return false;
  }
  if (a.caller.run.has_value() != b.caller.run.has_value()) return false;
  if (!a.caller.run.has_value()) return true;
  const RunFacts& x = *a.caller.run;
  const RunFacts& y = *b.caller.run;
  return x.kind == y.kind && x.branch == y.branch && x.pull_request == y.pull_request &&
         x.untrusted == y.untrusted;
}

void BuildOwners::Detach(const std::string& project, const std::string& build_id) {
  absl::MutexLock lock(&mutex_);
  --projects_[project][build_id].streams;
}

absl::Status BuildOwners::Find(const std::string& project, const std::string& build_id,
                               const AttemptSender& sender, int streams) {
  absl::MutexLock lock(&mutex_);
  Builds& builds = projects_[project];
  const auto [place, is_new] = builds.try_emplace(build_id);
  Build& build = place->second;
  if (is_new) build.sender = sender;
  if (!HaveSameRights(build.sender, sender)) {
    return absl::PermissionDeniedError(
        "this build was started by a client with other rights; continue it with the same token");
  }
  build.touched = ++touches_;
  build.streams += streams;
  Forget(builds);
  return absl::OkStatus();
}

void BuildOwners::Forget(Builds& builds) {
  if (builds.size() <= most_) return;
  auto oldest = builds.end();
  for (auto build = builds.begin(); build != builds.end(); ++build) {
    if (build->second.streams > 0) continue;
    if (oldest == builds.end() || build->second.touched < oldest->second.touched) oldest = build;
  }
  if (oldest != builds.end()) builds.erase(oldest);
}

EventStream::EventStream(const EventStreamOffice& office, CallContext context)
    : office_(office), context_(std::move(context)), place_(office.streams) {}

EventStream::~EventStream() {
  if (relay_ != nullptr) relay_->Detach(is_whole_);
  if (invocation_ == nullptr) return;
  office_.builds.Detach(invocation_->record().project, id_.build_id());
  invocation_->Detach(number_);
  office_.changed(invocation_);
}

absl::Status EventStream::Begin(const build::PublishBuildToolEventStreamRequest& request) {
  const build::StreamId& id = request.ordered_build_event().stream_id();
  ASSIGN_OR_RETURN(const std::string project, ProjectOf(context_.caller, request.project_id()));
  RETURN_IF_ERROR(ValidateText("ordered_build_event.stream_id.invocation_id", id.invocation_id(), 1,
                               kLongestInvocationId));
  RETURN_IF_ERROR(
      ValidateText("ordered_build_event.stream_id.build_id", id.build_id(), 0, kLongestBuildId));
  if (!place_.Take(project, 1)) {
    return Overloaded(absl::StrCat("project ", project, " has too many open event streams"),
                      kComeBackForAStream, "EVENT_STREAMS");
  }
  store::InvocationRecord wanted;
  wanted.project = project;
  wanted.invocation_id = id.invocation_id();
  wanted.first_event = FirstEventIn(request.ordered_build_event());
  AttemptSender sender = {context_.caller, context_.request};
  // The stream ends with its ID token, and Bazel continues it with another one. Test results whose
  // events came before are recorded.
  sender.caller.expires = absl::InfiniteFuture();
  ASSIGN_OR_RETURN(std::shared_ptr<Invocation> invocation, office_.open(wanted, sender));
  RETURN_IF_ERROR(office_.builds.Attach(project, id.build_id(), sender));
  id_ = id;
  EventStreamEnd end;
  end.acknowledge = [send = context_.send, id](int64_t sequence) {
    build::PublishBuildToolEventStreamResponse response;
    *response.mutable_stream_id() = id;
    response.set_sequence_number(sequence);
    send(response.SerializeAsString());
  };
  end.fail = context_.fail;
  number_ = invocation->Attach(std::move(end));
  invocation_ = std::move(invocation);
  EventForwarder* const forwarder = ForwarderIn(office_, project);
  if (forwarder != nullptr) {
    relay_ = forwarder->Begin(project, id.invocation_id(), id.build_id());
  }
  return absl::OkStatus();
}

absl::Status EventStream::Receive(absl::string_view bytes) {
  build::PublishBuildToolEventStreamRequest request;
  RETURN_IF_ERROR(ParseBounded(bytes, request));
  if (invocation_ == nullptr) {
    RETURN_IF_ERROR(Begin(request));
  }
  const build::OrderedBuildEvent& ordered = request.ordered_build_event();
  if (ordered.stream_id().invocation_id() != id_.invocation_id() ||
      ordered.stream_id().build_id() != id_.build_id()) {
    return FieldError("ordered_build_event.stream_id",
                      "differs from that of the stream's first event");
  }
  absl::StatusOr<std::optional<build_events::BuildEvent>> kept = Kept(ordered.event());
  if (!kept.ok()) {
    return absl::Status(kept.status().code(), absl::StrCat("event ", ordered.sequence_number(),
                                                           ": ", kept.status().message()));
  }
  if (kept->has_value() && !invocation_->HasReceived(ordered.sequence_number())) {
    RETURN_IF_ERROR(context_.charge(invocation_->record().project, (*kept)->ByteSizeLong()));
  }
  RETURN_IF_ERROR(invocation_->Receive(number_, ordered.sequence_number(), *std::move(kept)));
  office_.changed(invocation_);
  if (relay_ != nullptr) relay_->Pass(ordered.sequence_number(), bytes);
  return absl::OkStatus();
}

absl::StatusOr<NextMessage> EventStream::Answer() {
  if (invocation_ == nullptr) {
    return absl::InvalidArgumentError("the stream has no events");
  }
  is_whole_ = true;
  RETURN_IF_ERROR(invocation_->AwaitDurable(number_));
  return NoMoreMessages();
}

absl::Status LifecycleEvent::Receive(absl::string_view bytes) {
  build::PublishLifecycleEventRequest request;
  RETURN_IF_ERROR(ParseBounded(bytes, request));
  ASSIGN_OR_RETURN(const std::string project, ProjectOf(context_.caller, request.project_id()));
  const std::string& build_id = request.build_event().stream_id().build_id();
  RETURN_IF_ERROR(ValidateText("build_event.stream_id.build_id", build_id, 0, kLongestBuildId));
  RETURN_IF_ERROR(office_.builds.Check(project, build_id, {context_.caller, context_.request}));
  EventForwarder* const forwarder = ForwarderIn(office_, project);
  if (forwarder != nullptr) forwarder->PassLifecycle(bytes);
  return absl::OkStatus();
}

absl::StatusOr<NextMessage> LifecycleEvent::Answer() { return OneMessage(""); }

}  // namespace gprofhub::collector
