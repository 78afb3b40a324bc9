#include "ci/upload/results/build_events.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/percent_coding.h"
#include "proto/build_events.pb.h"

namespace gprofhub::ci {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::util::ParseDelimitedFromCodedStream;

constexpr size_t kLongestVarint = 10;  // of 64 bits

// What the aspect of the profiling configurations makes (bazel/symbols.bzl).
constexpr absl::string_view kSymbolsGroup = "gprofhub_symbols";

using ConfiguredLabel = std::pair<std::string, std::string>;

// Events name files through sets that name further sets, and configurations
// by an id: both are resolved once the whole stream is read.
struct Events {
  std::map<std::string, build_events::NamedFileSet> file_sets;
  std::map<std::string, std::string> mnemonics;
  std::map<ConfiguredLabel, build_events::TargetCompleted> targets;
  std::map<ConfiguredLabel, std::vector<build_events::OutputGroup>> symbols;
  std::vector<std::pair<build_events::TestResultId, build_events::TestResult>> results;
  bool ended = false;
  int64_t finished_unix_ms = 0;
};

absl::Status NotEnded(absl::string_view file_name, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(
      file_name, ": ", what,
      "; the build is still running or was interrupted. Run `gprofhub upload` after Bazel has "
      "ended."));
}

absl::Status Foreign(absl::string_view file_name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      file_name, ": ", what, "; give the file that Bazel wrote with --build_event_binary_file"));
}

// What Bazel writes with the two options beside --build_event_binary_file; empty for any other
// content. An event's id comes first: no binary file begins with the bytes of either.
absl::string_view OptionOfText(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "{\"")) return "--build_event_json_file";
  if (absl::StartsWith(bytes, "id {")) return "--build_event_text_file";
  return "";
}

void CollectFiles(const Events& events, const std::string& set_id, std::set<std::string>& visited,
                  std::vector<std::string>& paths) {
  // A work list: a hostile stream could nest sets deeper than the stack.
  std::vector<std::string> open = {set_id};
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    if (!visited.insert(id).second) continue;
    const auto set = events.file_sets.find(id);
    if (set == events.file_sets.end()) continue;
    for (const auto& file : set->second.files()) {
      if (std::string path = PathOfUri(file.uri()); !path.empty()) paths.push_back(std::move(path));
    }
    for (const auto& child : set->second.file_sets()) open.push_back(child.id());
  }
}

// A test's executable is named after its label.
bool IsNamedAfter(absl::string_view path, absl::string_view label) {
  const std::string name(label.substr(label.rfind(':') + 1));
  return absl::EndsWith(path, absl::StrCat("/", name));
}

std::vector<std::string> DefaultOutputs(const Events& events, const ConfiguredLabel& target) {
  std::vector<std::string> paths;
  const auto completed = events.targets.find(target);
  if (completed == events.targets.end()) return paths;
  std::set<std::string> visited;
  for (const auto& group : completed->second.output_group()) {
    if (group.name() != "default") continue;
    for (const auto& set : group.file_sets()) CollectFiles(events, set.id(), visited, paths);
  }
  std::stable_partition(paths.begin(), paths.end(), [&target](const std::string& path) {
    return IsNamedAfter(path, target.first);
  });
  return paths;
}

std::vector<std::string> SymbolBundles(const Events& events, const ConfiguredLabel& target) {
  std::vector<std::string> paths;
  const auto groups = events.symbols.find(target);
  if (groups == events.symbols.end()) return paths;
  std::set<std::string> visited;
  for (const build_events::OutputGroup& group : groups->second) {
    for (const auto& set : group.file_sets()) CollectFiles(events, set.id(), visited, paths);
  }
  return paths;
}

uint32_t AtLeastOne(int32_t number) { return number < 1 ? 1 : static_cast<uint32_t>(number); }

TestAttempt MakeAttempt(const Events& events, const build_events::TestResultId& id,
                        const build_events::TestResult& result) {
  TestAttempt attempt;
  attempt.label = id.label();
  attempt.run = AtLeastOne(id.run());
  attempt.shard = AtLeastOne(id.shard());
  attempt.attempt = AtLeastOne(id.attempt());
  if (const auto mnemonic = events.mnemonics.find(id.configuration().id());
      mnemonic != events.mnemonics.end()) {
    attempt.configuration = mnemonic->second;
  }
  attempt.status = build_events::TestStatus_IsValid(result.status())
                       ? build_events::TestStatus_Name(result.status())
                       : absl::StrCat("STATUS_", result.status());
  attempt.cached = result.cached_locally() || result.execution_info().cached_remotely();
  attempt.started_unix_ms = result.test_attempt_start_millis_epoch();
  for (const auto& file : result.test_action_output()) {
    // "test.outputs__outputs.zip", or the folder where Bazel does not zip; the
    // log and the manifest have names of their own.
    if (file.name() != "test.outputs" && file.name() != "test.outputs__outputs.zip") continue;
    std::string path = PathOfUri(file.uri());
    if (path.empty()) {
      attempt.remote_outputs.push_back(file.uri());
    } else {
      attempt.outputs.push_back(std::move(path));
    }
  }
  attempt.executables = DefaultOutputs(events, {id.label(), id.configuration().id()});
  attempt.symbol_bundles = SymbolBundles(events, {id.label(), id.configuration().id()});
  return attempt;
}

void Take(build_events::BuildEvent event, BuildLog& log, Events& events) {
  events.ended = events.ended || event.last_message();
  switch (event.payload_case()) {
    case build_events::BuildEvent::kStarted:
      log.invocation_id = event.started().uuid();
      log.started_unix_ms = event.started().start_time_millis();
      log.command = event.started().command();
      log.workspace_directory = event.started().workspace_directory();
      break;
    case build_events::BuildEvent::kConfiguration:
      events.mnemonics[event.id().configuration().id()] = event.configuration().mnemonic();
      break;
    case build_events::BuildEvent::kNamedSetOfFiles:
      events.file_sets[event.id().named_set().id()] =
          std::move(*event.mutable_named_set_of_files());
      break;
    case build_events::BuildEvent::kCompleted: {
      const auto& id = event.id().target_completed();
      for (const build_events::OutputGroup& group : event.completed().output_group()) {
        if (group.name() != kSymbolsGroup) continue;
        events.symbols[{id.label(), id.configuration().id()}].push_back(group);
      }
      // What an aspect made is not what the test ran.
      if (!id.aspect().empty()) break;
      events.targets[{id.label(), id.configuration().id()}] = std::move(*event.mutable_completed());
      break;
    }
    case build_events::BuildEvent::kTestResult:
      events.results.emplace_back(event.id().test_result(),
                                  std::move(*event.mutable_test_result()));
      break;
    case build_events::BuildEvent::kFinished:
      events.finished_unix_ms = event.finished().finish_time_millis();
      break;
    case build_events::BuildEvent::PAYLOAD_NOT_SET:
      break;
  }
}

// What is wrong at `offset`, where an event should begin: the file ends there, or it is
// another one.
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
    return absl::InvalidArgumentError(absl::StrCat(
        file_name, ": holds build events as ", option,
        " writes them; run Bazel with --build_event_binary_file in its place and give that file"));
  }
  CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                         static_cast<int>(bytes.size()));
  BuildLog log;
  Events events;
  while (static_cast<size_t>(input.CurrentPosition()) < bytes.size()) {
    const auto offset = static_cast<size_t>(input.CurrentPosition());
    build_events::BuildEvent event;
    if (!ParseDelimitedFromCodedStream(&event, &input, /*clean_eof=*/nullptr)) {
      return WhyNoEvent(bytes, offset, file_name);
    }
    Take(std::move(event), log, events);
  }
  if (log.invocation_id.empty()) {
    if (bytes.empty()) return NotEnded(file_name, "is empty");
    return Foreign(file_name, "no event says that a build started");
  }
  if (!events.ended) return NotEnded(file_name, "the last event is missing");
  for (const auto& [id, result] : events.results) {
    log.attempts.push_back(MakeAttempt(events, id, result));
    log.attempts.back().build_ended_unix_ms = events.finished_unix_ms;
  }
  return log;
}

std::string PathOfUri(absl::string_view uri) {
  if (!absl::ConsumePrefix(&uri, "file://")) return "";
  std::string path = base::PercentDecoded(uri);
  // Nothing after a NUL byte would reach the system.
  return path.find('\0') == std::string::npos ? path : "";
}

}  // namespace gprofhub::ci
