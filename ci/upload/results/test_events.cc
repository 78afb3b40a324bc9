#include "ci/upload/results/test_events.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/http/percent_coding.h"
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

// Milliseconds, rounded up; 0 if the event has no valid time.
uint32_t DurationOf(const build_events::TestResult& result) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  constexpr int64_t kNanosOfMilli = 1'000'000;
  const build_events::Duration& duration = result.test_attempt_duration();
  int64_t millis = result.test_attempt_duration_millis();
  if (duration.seconds() < 0 || duration.nanos() < 0 || duration.seconds() > kMost / 1000) return 0;
  if (millis == 0) {
    millis = duration.seconds() * 1000 + (duration.nanos() + kNanosOfMilli - 1) / kNanosOfMilli;
  }
  return millis < 0 || millis > kMost ? 0 : static_cast<uint32_t>(millis);
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

}  // namespace

void TestEvents::CollectFiles(const build_events::OutputGroup& group,
                              std::set<std::string>& visited, std::vector<std::string>& paths,
                              std::vector<std::string>& uris) const {
  // A work list: a hostile stream could nest sets deeper than the stack.
  std::vector<std::string> open;
  for (const auto& set : group.file_sets()) open.push_back(set.id());
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
  attempt.label = id.label();
  attempt.run = AtLeastOne(id.run());
  attempt.shard = AtLeastOne(id.shard());
  attempt.attempt = AtLeastOne(id.attempt());
  attempt.configuration = Mnemonic(id.configuration().id());
  attempt.status = build_events::TestStatus_IsValid(result.status())
                       ? build_events::TestStatus_Name(result.status())
                       : absl::StrCat("STATUS_", result.status());
  attempt.cached = result.cached_locally() || result.execution_info().cached_remotely();
  attempt.started_unix_ms = result.test_attempt_start_millis_epoch();
  attempt.duration_ms = DurationOf(result);
  attempt.build_ended_unix_ms = finished_unix_ms_;
  for (const auto& file : result.test_action_output()) {
    if (file.name() == "test.log" && result.status() != build_events::PASSED) {
      attempt.log = file.uri();
    }
    // "test.outputs__outputs.zip", or the folder where Bazel does not zip; the log and the manifest
    // have other names.
    if (file.name() != "test.outputs" && file.name() != "test.outputs__outputs.zip") continue;
    AddUri(file.uri(), attempt.outputs, attempt.remote_outputs);
  }
  const ConfiguredLabel target = {id.label(), id.configuration().id()};
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
  return symbols_.contains({id.label(), id.configuration().id()});
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
      for (const build_events::OutputGroup& group : event.completed().output_group()) {
        if (group.name() != kSymbolsGroup) continue;
        symbols_[{id.label(), id.configuration().id()}].push_back(group);
      }
      // An aspect's outputs are not the test's own.
      if (!id.aspect().empty()) break;
      targets_[{id.label(), id.configuration().id()}] = std::move(*event.mutable_completed());
      break;
    }
    case build_events::BuildEvent::kTestResult:
      results_.emplace_back(event.id().test_result(), std::move(*event.mutable_test_result()));
      break;
    case build_events::BuildEvent::kFinished:
      finished_unix_ms_ = event.finished().finish_time_millis();
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
  log.started_unix_ms = events.started().start_time_millis();
  log.command = events.started().command();
  log.workspace_directory = events.started().workspace_directory();
  for (size_t i = 0; i < events.attempts(); ++i) log.attempts.push_back(events.Attempt(i));
  return log;
}

namespace {

constexpr absl::string_view kFolder = "gprofhub.cases/";

}  // namespace

std::string CaseOf(absl::string_view profile_name) {
  if (!absl::ConsumePrefix(&profile_name, kFolder)) return "";
  const size_t end = profile_name.find('/');
  if (end == absl::string_view::npos) return "";
  return base::PercentDecoded(profile_name.substr(0, end));
}

namespace {

namespace fs = std::filesystem;

constexpr int kMaxEntries = 1'000'000;

// Position of an outputs folder in a test's run. Folders of one layout ("", "run 2", "shard 4",
// "shard 4 run 2": the numbers are the totals) come from one invocation.
struct Place {
  uint32_t run = 1;
  uint32_t shard = 1;
  std::string layout;
};

// Consumes "<word>_<n>_of_<total>" at the start of `text`.
bool TakeNumber(absl::string_view word, absl::string_view& text, uint32_t& number,
                std::string& layout) {
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, absl::StrCat(word, "_"))) return false;
  const size_t of = rest.find("_of_");
  if (of == absl::string_view::npos) return false;
  uint32_t total = 0;
  const absl::string_view after = rest.substr(of + 4);
  const size_t end = std::min(after.find('_'), after.size());
  if (!absl::SimpleAtoi(rest.substr(0, of), &number) ||
      !absl::SimpleAtoi(after.substr(0, end), &total) || number < 1 || number > total) {
    return false;
  }
  absl::StrAppend(&layout, word, " ", total, " ");
  text = after.substr(end);
  return true;
}

// "shard_1_of_2", "run_1_of_2" or "shard_1_of_2_run_1_of_2".
std::optional<Place> ParsePlace(absl::string_view name) {
  Place place;
  const bool sharded = TakeNumber("shard", name, place.shard, place.layout);
  if (sharded && !name.empty() && !absl::ConsumePrefix(&name, "_")) return std::nullopt;
  const bool repeated = TakeNumber("run", name, place.run, place.layout);
  if (!name.empty() || (!sharded && !repeated)) return std::nullopt;
  return place;
}

// Number of an earlier attempt from "attempt_<n>.outputs".
std::optional<uint32_t> ParseAttempt(absl::string_view name) {
  uint32_t number = 0;
  if (!absl::ConsumePrefix(&name, "attempt_") || !absl::ConsumeSuffix(&name, ".outputs") ||
      !absl::SimpleAtoi(name, &number) || number < 1) {
    return std::nullopt;
  }
  return number;
}

// "pkg/sub/name" is //pkg/sub:name, "external/repo/pkg/name" @repo//pkg:name.
std::string LabelOf(std::vector<std::string> parts) {
  std::string repository;
  if (parts.size() > 2 && parts[0] == "external") {
    repository = "@" + parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  const std::string name = parts.back();
  parts.pop_back();
  return absl::StrCat(repository, "//", absl::StrJoin(parts, "/"), ":", name);
}

// The inverse of LabelOf, for "@@repo" and "@repo", too.
std::string FolderOfLabel(absl::string_view label) {
  while (absl::ConsumePrefix(&label, "@")) {
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(label, absl::MaxSplits("//", 1));
  const std::string repository =
      parts.first.empty() ? "" : absl::StrCat("external/", parts.first, "/");
  const std::pair<absl::string_view, absl::string_view> path =
      absl::StrSplit(parts.second, absl::MaxSplits(':', 1));
  return absl::StrCat(repository, path.first, path.first.empty() ? "" : "/", path.second);
}

// Whether the file has the content that "bytestream://…/blobs/[function/]<digest>/<size>" names.
// With another digest function than SHA-256 its size and time have to do.
bool IsFileOf(absl::string_view uri, const TestAttempt& attempt, const std::string& file) {
  const std::vector<absl::string_view> segments = absl::StrSplit(uri, '/');
  uint64_t size = 0;
  if (segments.size() < 3 || !absl::SimpleAtoi(segments.back(), &size)) return false;
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) != size || error) {
    return false;
  }
  const absl::string_view digest = segments[segments.size() - 2];
  if (!base::IsSha256Hex(digest) || segments[segments.size() - 3] != "blobs") {
    return !IsOfLaterBuild(attempt, file);
  }
  const absl::StatusOr<std::string> bytes = base::ReadFile(file, size);
  return bytes.ok() && base::Sha256Hex(*bytes) == digest;
}

// The folders of the attempt's run and shard: Bazel's events do not contain how many there are.
std::vector<std::string> FoldersOf(const TestAttempt& attempt, const std::string& test_folder) {
  std::vector<std::string> folders;
  if (attempt.run == 1 && attempt.shard == 1) folders.push_back(test_folder);
  std::error_code error;
  for (fs::directory_iterator entry(test_folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::optional<Place> place = ParsePlace(entry->path().filename().string());
    if (place && place->run == attempt.run && place->shard == attempt.shard) {
      folders.push_back(entry->path());
    }
  }
  return folders;
}

// The local copy of an output; empty if there is none.
std::string FindOutput(const std::string& uri, const TestAttempt& attempt,
                       const std::vector<std::string>& testlogs) {
  for (const std::string& logs : testlogs) {
    const std::string test = absl::StrCat(logs, "/", FolderOfLabel(attempt.label));
    for (const std::string& folder : FoldersOf(attempt, test)) {
      for (const std::string& outputs :
           {std::string("test.outputs"),
            absl::StrCat("test_attempts/attempt_", attempt.attempt, ".outputs")}) {
        std::string file = absl::StrCat(folder, "/", outputs, "/outputs.zip");
        if (IsFileOf(uri, attempt, file)) return file;
      }
    }
  }
  return "";
}

struct Found {
  Place place;
  uint32_t earlier_attempt = 0;  // 0: the last attempt
  std::string outputs;
  fs::file_time_type written;
};

using FoundByTest = std::map<std::vector<std::string>, std::vector<Found>>;

// Adds the outputs folder at `relative` (to the tree) to its test.
void Classify(const fs::path& root, const fs::path& relative, FoundByTest& tests) {
  std::vector<std::string> parts(relative.begin(), relative.end());
  Found found;
  found.outputs = root / relative;
  const std::string name = parts.back();
  parts.pop_back();
  if (name != "test.outputs") {
    const std::optional<uint32_t> attempt = ParseAttempt(name);
    if (!attempt || parts.empty() || parts.back() != "test_attempts") return;
    found.earlier_attempt = *attempt;
    parts.pop_back();
  }
  if (parts.empty()) return;
  if (std::optional<Place> place = ParsePlace(parts.back()); place && parts.size() > 1) {
    found.place = *place;
    parts.pop_back();
  }
  std::error_code error;
  const fs::path archive = fs::path(found.outputs) / "outputs.zip";
  if (fs::is_regular_file(archive, error)) found.outputs = archive;
  if (fs::is_empty(found.outputs, error) || error) return;
  found.written = fs::last_write_time(found.outputs, error);
  tests[parts].push_back(std::move(found));
}

// The executables of …/bazel-out/<configuration>/testlogs are in the sibling folder …/bin.
struct Tree {
  fs::path bin;
  std::string configuration;
};

Tree DescribeTree(const fs::path& root) {
  if (root.filename() != "testlogs") return {};
  return {root.parent_path() / "bin", root.parent_path().filename()};
}

void AddAttempts(const std::vector<std::string>& parts, std::vector<Found> found, const Tree& tree,
                 TestLogs& logs) {
  const std::string label = LabelOf(parts);
  const auto newest =
      std::max_element(found.begin(), found.end(),
                       [](const Found& a, const Found& b) { return a.written < b.written; });
  const std::string layout = newest->place.layout;
  const auto stale = std::stable_partition(
      found.begin(), found.end(), [&layout](const Found& f) { return f.place.layout == layout; });
  if (stale != found.end()) {
    logs.notes.push_back(absl::StrCat(label,
                                      ": skipped outputs of an earlier invocation with different "
                                      "shards or --runs_per_test, for example ",
                                      stale->outputs));
    found.erase(stale, found.end());
  }
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> earlier;
  for (const Found& f : found) {
    uint32_t& last = earlier[{f.place.run, f.place.shard}];
    last = std::max(last, f.earlier_attempt);
  }
  for (const Found& f : found) {
    TestAttempt attempt;
    attempt.label = label;
    attempt.configuration = tree.configuration;
    attempt.run = f.place.run;
    attempt.shard = f.place.shard;
    attempt.attempt =
        f.earlier_attempt != 0 ? f.earlier_attempt : earlier[{f.place.run, f.place.shard}] + 1;
    attempt.status = f.earlier_attempt != 0 ? "FAILED" : "NO_STATUS";
    attempt.outputs = {f.outputs};
    if (!tree.bin.empty()) attempt.executables = {tree.bin / absl::StrJoin(parts, "/")};
    logs.attempts.push_back(std::move(attempt));
  }
}

}  // namespace

absl::StatusOr<TestLogs> FindInTestLogs(const std::string& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) {
    return absl::NotFoundError(absl::StrCat(folder, ": ", error.message(),
                                            "; --testlogs must be the bazel-testlogs folder"));
  }
  fs::recursive_directory_iterator entry(root, error);
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  FoundByTest tests;
  int seen = 0;
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++seen > kMaxEntries) {
      return absl::ResourceExhaustedError(
          absl::StrCat(folder, ": has more than ", kMaxEntries, " entries"));
    }
    const std::string name = entry->path().filename();
    if (name != "test.outputs" && !absl::EndsWith(name, ".outputs")) continue;
    if (!fs::is_directory(entry->symlink_status())) continue;
    entry.disable_recursion_pending();  // outputs of a test are read later
    Classify(root, entry->path().lexically_relative(root), tests);
  }
  if (error) return absl::UnavailableError(absl::StrCat(folder, ": ", error.message()));
  TestLogs logs;
  const Tree tree = DescribeTree(root);
  for (auto& [parts, found] : tests) AddAttempts(parts, std::move(found), tree, logs);
  std::sort(logs.attempts.begin(), logs.attempts.end(),
            [](const TestAttempt& a, const TestAttempt& b) {
              return std::tie(a.label, a.run, a.shard, a.attempt) <
                     std::tie(b.label, b.run, b.shard, b.attempt);
            });
  return logs;
}

void FindOutputsHere(const std::string& workspace, std::vector<TestAttempt>& attempts) {
  for (TestAttempt& attempt : attempts) {
    const std::string out = absl::StrCat(workspace, "/bazel-out/", attempt.configuration);
    std::vector<std::string> elsewhere;
    for (std::string& uri : attempt.remote_outputs) {
      std::string file =
          FindOutput(uri, attempt, {out + "/testlogs", absl::StrCat(workspace, "/bazel-testlogs")});
      std::vector<std::string>& list = file.empty() ? elsewhere : attempt.outputs;
      list.push_back(file.empty() ? std::move(uri) : std::move(file));
    }
    attempt.remote_outputs = std::move(elsewhere);
    const std::string program = absl::StrCat(out, "/bin/", FolderOfLabel(attempt.label));
    const auto add = [](const std::string& file, std::vector<std::string>& files) {
      std::error_code error;
      if (files.empty() && fs::is_regular_file(file, error)) files.push_back(file);
    };
    add(program, attempt.executables);
    add(program + ".gprofhub-symbols", attempt.symbol_bundles);
  }
}

namespace {

// File systems may store whole seconds only.
constexpr int64_t kClockSlackMs = 2000;

}  // namespace

int64_t WrittenUnixMs(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_time_type written = std::filesystem::last_write_time(path, error);
  if (error) return 0;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::file_clock::to_sys(written).time_since_epoch())
      .count();
}

bool IsOfLaterBuild(const TestAttempt& attempt, const std::string& path) {
  return attempt.build_ended_unix_ms != 0 &&
         WrittenUnixMs(path) > attempt.build_ended_unix_ms + kClockSlackMs;
}

}  // namespace gprofhub::ci
