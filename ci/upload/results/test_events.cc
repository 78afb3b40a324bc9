#include "ci/upload/results/test_events.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/http/percent_coding.h"
#include "ci/upload/results/output_names.h"
#include "proto/build_events.pb.h"

namespace gprofhub::ci {

std::string Describe(const TestAttempt& attempt) {
  return absl::StrCat(attempt.label, " run ", attempt.run, " shard ", attempt.shard, " attempt ",
                      attempt.attempt);
}

namespace {

// Outputs of the profiling configurations' aspect (bazel/symbols.bzl).
constexpr absl::string_view kSymbolsGroup = "gprofhub_symbols";

// Whether the path can be the test's executable, which is named after its label.
bool IsNamedAfter(absl::string_view path, absl::string_view label) {
  const std::string name(label.substr(label.rfind(':') + 1));
  return absl::EndsWith(path, absl::StrCat("/", name));
}

uint32_t AtLeastOne(int32_t number) { return number < 1 ? 1 : static_cast<uint32_t>(number); }

constexpr int64_t kNanosOfMilli = 1'000'000;

// Of a Timestamp or Duration; nullopt if it is not set, or not between 0 and the year 10000.
template <typename Time>
std::optional<int64_t> MillisOf(const Time& time, int64_t rounded_up_nanos) {
  constexpr int64_t kMostSeconds = 253'402'300'799;
  constexpr int64_t kNanosOfSecond = 1'000'000'000;
  if (time.seconds() < 0 || time.seconds() > kMostSeconds || time.nanos() < 0 ||
      time.nanos() >= kNanosOfSecond || (time.seconds() == 0 && time.nanos() == 0)) {
    return std::nullopt;
  }
  return time.seconds() * 1000 + (time.nanos() + rounded_up_nanos) / kNanosOfMilli;
}

int64_t UnixMs(const google::protobuf::Timestamp& time, int64_t deprecated_millis) {
  return MillisOf(time, 0).value_or(deprecated_millis);
}

// Milliseconds, rounded up; 0 if the event has no valid time.
uint32_t DurationOf(const build_events::TestResult& result) {
  const int64_t millis = MillisOf(result.test_attempt_duration(), kNanosOfMilli - 1)
                             .value_or(result.test_attempt_duration_millis());
  return millis < 0 || millis > std::numeric_limits<uint32_t>::max()
             ? 0
             : static_cast<uint32_t>(millis);
}

// Appends local files to `paths`, others to `uris`.
void AddUri(const std::string& uri, std::vector<std::string>& paths,
            std::vector<std::string>& uris) {
  std::string path = PathOfUri(uri);
  if (path.empty()) {
    uris.push_back(uri);
  } else {
    paths.push_back(std::move(path));
  }
}

void AddOutput(const build_events::File& file, TestAttempt& attempt) {
  const std::string name(OutputOf(file.name()));
  if (IsAllOutputs(file.name())) {
    AddUri(file.uri(), attempt.outputs, attempt.remote_outputs);
  } else if (name.empty()) {
    return;  // the log, the manifest
  } else if (IsProfile(name)) {
    const std::string path = PathOfUri(file.uri());
    if (path.empty()) {
      attempt.remote_output_files.push_back({name, file.uri()});
    } else {
      attempt.output_files.push_back({name, path});
    }
  }
  attempt.names_outputs = true;
}

}  // namespace

void TestEvents::CollectFiles(const build_events::OutputGroup& group,
                              std::set<std::string>& visited, std::vector<std::string>& paths,
                              std::vector<std::string>& uris) const {
  // A work list: a hostile stream could nest sets deeper than the stack.
  std::vector<std::string> open;
  for (const auto& set : group.file_sets()) open.push_back(set.id());
  for (const auto& file : group.inline_files()) AddUri(file.uri(), paths, uris);
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    if (!visited.insert(id).second) continue;
    const auto set = file_sets_.find(id);
    if (set == file_sets_.end()) continue;
    for (const auto& file : set->second.files()) AddUri(file.uri(), paths, uris);
    for (const auto& child : set->second.file_sets()) open.push_back(child.id());
  }
}

std::vector<std::string> TestEvents::DefaultOutputs(const ConfiguredLabel& target) const {
  std::vector<std::string> paths;
  const auto completed = targets_.find(target);
  if (completed == targets_.end()) return paths;
  std::set<std::string> visited;
  std::vector<std::string> elsewhere;
  for (const auto& group : completed->second.output_group()) {
    if (group.name() == "default") CollectFiles(group, visited, paths, elsewhere);
  }
  std::stable_partition(paths.begin(), paths.end(), [&target](const std::string& path) {
    return IsNamedAfter(path, target.first);
  });
  return paths;
}

TestAttempt TestEvents::Attempt(size_t index) const {
  const auto& [id, result] = results_.at(index);
  TestAttempt attempt;
  attempt.label = ApparentLabel(id.label());
  attempt.folder = FolderOfLabel(id.label());
  attempt.run = AtLeastOne(id.run());
  attempt.shard = AtLeastOne(id.shard());
  attempt.attempt = AtLeastOne(id.attempt());
  attempt.configuration = Mnemonic(id.configuration().id());
  attempt.status = build_events::TestStatus_IsValid(result.status())
                       ? build_events::TestStatus_Name(result.status())
                       : absl::StrCat("STATUS_", result.status());
  attempt.cached = result.cached_locally() || result.execution_info().cached_remotely();
  attempt.started_unix_ms =
      UnixMs(result.test_attempt_start(), result.test_attempt_start_millis_epoch());
  attempt.duration_ms = DurationOf(result);
  attempt.build_ended_unix_ms = finished_unix_ms_;
  for (const auto& file : result.test_action_output()) {
    if (file.name() == "test.log" && result.status() != build_events::PASSED) {
      attempt.log = file.uri();
    }
    AddOutput(file, attempt);
  }
  const ConfiguredLabel target = {attempt.label, id.configuration().id()};
  attempt.executables = DefaultOutputs(target);
  if (const auto groups = symbols_.find(target); groups != symbols_.end()) {
    std::set<std::string> visited;
    for (const build_events::OutputGroup& group : groups->second) {
      CollectFiles(group, visited, attempt.symbol_bundles, attempt.remote_symbol_bundles);
    }
  }
  return attempt;
}

bool TestEvents::HasSymbols(size_t index) const {
  const build_events::TestResultId& id = results_.at(index).first;
  return symbols_.contains({ApparentLabel(id.label()), id.configuration().id()});
}

std::string TestEvents::Mnemonic(const std::string& configuration_id) const {
  const auto found = mnemonics_.find(configuration_id);
  return found == mnemonics_.end() ? "" : found->second;
}

void TestEvents::Take(build_events::BuildEvent event) {
  ended_ = ended_ || event.last_message();
  switch (event.payload_case()) {
    case build_events::BuildEvent::kStarted:
      started_ = std::move(*event.mutable_started());
      break;
    case build_events::BuildEvent::kConfiguration:
      mnemonics_[event.id().configuration().id()] = event.configuration().mnemonic();
      break;
    case build_events::BuildEvent::kNamedSetOfFiles:
      file_sets_[event.id().named_set().id()] = std::move(*event.mutable_named_set_of_files());
      break;
    case build_events::BuildEvent::kCompleted: {
      const auto& id = event.id().target_completed();
      const ConfiguredLabel target = {ApparentLabel(id.label()), id.configuration().id()};
      for (const build_events::OutputGroup& group : event.completed().output_group()) {
        if (group.name() != kSymbolsGroup) continue;
        symbols_[target].push_back(group);
      }
      // An aspect's outputs are not the test's own.
      if (!id.aspect().empty()) break;
      targets_[target] = std::move(*event.mutable_completed());
      break;
    }
    case build_events::BuildEvent::kTestResult:
      results_.emplace_back(event.id().test_result(), std::move(*event.mutable_test_result()));
      break;
    case build_events::BuildEvent::kFinished:
      finished_unix_ms_ =
          UnixMs(event.finished().finish_time(), event.finished().finish_time_millis());
      break;
    case build_events::BuildEvent::kTestSummary:
    case build_events::BuildEvent::kUnstructuredCommandLine:
    case build_events::BuildEvent::kWorkspaceStatus:
    case build_events::BuildEvent::kConfigured:
    case build_events::BuildEvent::kBuildMetadata:
    case build_events::BuildEvent::PAYLOAD_NOT_SET:
      break;
  }
}

int64_t StartedUnixMs(const build_events::BuildStarted& started) {
  return UnixMs(started.start_time(), started.start_time_millis());
}

std::string PathOfUri(absl::string_view uri) {
  if (!absl::ConsumePrefix(&uri, "file://")) return "";
  std::string path = base::PercentDecoded(uri);
  // The system would ignore anything after a NUL byte.
  return path.find('\0') == std::string::npos ? path : "";
}

namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::util::ParseDelimitedFromCodedStream;

constexpr size_t kLongestVarint = 10;  // of 64 bits

absl::Status NotEnded(absl::string_view file_name, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat(file_name, ": ", what,
                   "; the build is still running or was interrupted; run `gprofhub upload` after "
                   "Bazel has exited"));
}

absl::Status Foreign(absl::string_view file_name, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(file_name, ": ", what, "; pass the file of --build_event_binary_file"));
}

// The option that makes Bazel write such a text file instead of --build_event_binary_file's format;
// empty for any other content. An event's id comes first: no binary file begins with these bytes.
absl::string_view OptionOfText(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "{\"")) return "--build_event_json_file";
  if (absl::StartsWith(bytes, "id {")) return "--build_event_text_file";
  return "";
}

// The error for an invalid event at `offset`: a truncated file, or another file format.
absl::Status WhyNoEvent(absl::string_view bytes, size_t offset, absl::string_view file_name) {
  bytes.remove_prefix(offset);
  CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                         static_cast<int>(bytes.size()));
  uint64_t size = 0;
  if (!input.ReadVarint64(&size)) {
    return bytes.size() < kLongestVarint
               ? NotEnded(file_name,
                          absl::StrCat("ends in the middle of the length at offset ", offset))
               : Foreign(file_name, absl::StrCat("no build event length at offset ", offset));
  }
  const size_t rest = bytes.size() - static_cast<size_t>(input.CurrentPosition());
  if (size > rest) {
    return NotEnded(file_name, absl::StrCat("the event at offset ", offset, " has ", size,
                                            " bytes, but only ", rest, " follow"));
  }
  return Foreign(file_name, absl::StrCat("the event at offset ", offset, " is not a build event"));
}

}  // namespace

absl::StatusOr<BuildLog> ParseBuildEvents(absl::string_view bytes, absl::string_view file_name) {
  if (bytes.size() > INT32_MAX) {
    return absl::ResourceExhaustedError(absl::StrCat(file_name, ": is larger than 2 GiB"));
  }
  if (const absl::string_view option = OptionOfText(bytes); !option.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file_name, ": build events in the format of ", option,
                     "; run Bazel with --build_event_binary_file instead, and pass that file"));
  }
  CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                         static_cast<int>(bytes.size()));
  TestEvents events;
  while (static_cast<size_t>(input.CurrentPosition()) < bytes.size()) {
    const auto offset = static_cast<size_t>(input.CurrentPosition());
    build_events::BuildEvent event;
    if (!ParseDelimitedFromCodedStream(&event, &input, /*clean_eof=*/nullptr)) {
      return WhyNoEvent(bytes, offset, file_name);
    }
    events.Take(std::move(event));
  }
  if (events.started().uuid().empty()) {
    if (bytes.empty()) return NotEnded(file_name, "is empty");
    return Foreign(file_name, "no event for the start of a build");
  }
  if (!events.ended()) return NotEnded(file_name, "the last event is missing");
  BuildLog log;
  log.invocation_id = events.started().uuid();
  log.started_unix_ms = StartedUnixMs(events.started());
  log.command = events.started().command();
  log.workspace_directory = events.started().workspace_directory();
  for (size_t i = 0; i < events.attempts(); ++i) log.attempts.push_back(events.Attempt(i));
  return log;
}

namespace {

constexpr absl::string_view kCases = "gprofhub.cases/";

}  // namespace

std::string CaseOf(absl::string_view profile_name) {
  if (!absl::ConsumePrefix(&profile_name, kCases)) return "";
  const size_t end = profile_name.find('/');
  if (end == absl::string_view::npos) return "";
  return base::PercentDecoded(profile_name.substr(0, end));
}

}  // namespace gprofhub::ci
