#include "ci/upload/results/testlogs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
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
#include "ci/upload/results/output_names.h"

namespace gprofhub::ci {

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

// The folders in which Bazel may have put the attempt's outputs.
std::vector<std::string> OutputFoldersOf(const TestAttempt& attempt,
                                         const std::vector<std::string>& testlogs) {
  std::vector<std::string> all;
  for (const std::string& logs : testlogs) {
    for (const std::string& folder : FoldersOf(attempt, absl::StrCat(logs, "/", attempt.folder))) {
      all.push_back(folder + "/test.outputs");
      all.push_back(absl::StrCat(folder, "/test_attempts/attempt_", attempt.attempt, ".outputs"));
    }
  }
  return all;
}

// The local copy of an output with this name in one of the folders; empty if there is none.
std::string FindOutput(const std::string& uri, const std::string& name, const TestAttempt& attempt,
                       const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::string file = absl::StrCat(folder, "/", name);
    if (IsFileOf(uri, attempt, file)) return file;
  }
  return "";
}

// Moves what is found from the attempt's remote outputs to the local ones.
void FindOutputsOf(TestAttempt& attempt, const std::vector<std::string>& testlogs) {
  if (attempt.remote_outputs.empty() && attempt.remote_output_files.empty()) return;
  const std::vector<std::string> folders = OutputFoldersOf(attempt, testlogs);
  std::vector<std::string> elsewhere;
  for (std::string& uri : attempt.remote_outputs) {
    std::string file = FindOutput(uri, "outputs.zip", attempt, folders);
    std::vector<std::string>& list = file.empty() ? elsewhere : attempt.outputs;
    list.push_back(file.empty() ? std::move(uri) : std::move(file));
  }
  attempt.remote_outputs = std::move(elsewhere);
  std::vector<OutputFile> files_elsewhere;
  for (OutputFile& output : attempt.remote_output_files) {
    const std::string file =
        IsPlainPath(output.name) ? FindOutput(output.place, output.name, attempt, folders) : "";
    if (file.empty()) {
      files_elsewhere.push_back(std::move(output));
    } else {
      attempt.output_files.push_back({std::move(output.name), file});
    }
  }
  attempt.remote_output_files = std::move(files_elsewhere);
}

struct Found {
  Place place;
  std::string folder;            // of the test
  uint32_t earlier_attempt = 0;  // 0: the last attempt
  std::string outputs;
  fs::file_time_type written;
};

using FoundByTest = std::map<std::string, std::vector<Found>>;  // by label

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
  found.folder = absl::StrJoin(parts, "/");
  tests[LabelOfFolder(std::move(parts))].push_back(std::move(found));
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

void AddAttempts(const std::string& label, std::vector<Found> found, const Tree& tree,
                 TestLogs& logs) {
  const auto newest =
      std::max_element(found.begin(), found.end(),
                       [](const Found& a, const Found& b) { return a.written < b.written; });
  // Another version of Bazel has another folder for a test of an external repository.
  const auto stale = std::stable_partition(
      found.begin(), found.end(),
      [layout = newest->place.layout, folder = newest->folder](const Found& f) {
        return f.place.layout == layout && f.folder == folder;
      });
  if (stale != found.end()) {
    logs.notes.push_back(absl::StrCat(label,
                                      ": skipped outputs of an earlier invocation with different "
                                      "shards, --runs_per_test or version of Bazel, for example ",
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
    if (!tree.bin.empty()) attempt.executables = {tree.bin / f.folder};
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
  for (auto& [label, found] : tests) AddAttempts(label, std::move(found), tree, logs);
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
    FindOutputsOf(attempt, {out + "/testlogs", absl::StrCat(workspace, "/bazel-testlogs")});
    const std::string program = absl::StrCat(out, "/bin/", attempt.folder);
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
