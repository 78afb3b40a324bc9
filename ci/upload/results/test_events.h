// Collects the tests of one invocation from its stream of build events.
// Source: proto/build_events.proto.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/build_events.pb.h"

namespace gprofhub::ci {

// One execution of a test, found in Bazel's build events, in a bazel-testlogs tree or on the
// command line.

// A file among a test's undeclared outputs that Bazel names on its own: version 8 and later, unless
// --zip_undeclared_test_outputs is set.
struct OutputFile {
  std::string name;   // relative to the outputs; untrusted (IsPlainPath)
  std::string place;  // path, or the URI of a file that is not on this machine
};

// One attempt of one shard of one run of a test.
struct TestAttempt {
  std::string label;          // ApparentLabel of what Bazel writes
  std::string folder;         // FolderOfLabel of what Bazel writes; empty if unknown
  std::string configuration;  // mnemonic, such as "k8-opt"; may be empty
  uint32_t run = 1;
  uint32_t shard = 1;
  uint32_t attempt = 1;
  std::string status;           // "PASSED", "FAILED", …: Bazel's names
  bool cached = false;          // answered from a local or remote cache, not run
  int64_t started_unix_ms = 0;  // 0 if unknown
  uint32_t duration_ms = 0;     // 0 if unknown; for a cached result, of the original run

  // End of the build that ran it; 0 if unknown. Outputs written later are those of another build,
  // which Bazel puts in the same place.
  int64_t build_ended_unix_ms = 0;

  // Paths of its undeclared outputs: an outputs.zip or a folder.
  std::vector<std::string> outputs;
  // Outputs that are not on this machine, as URIs.
  std::vector<std::string> remote_outputs;
  // The profiles among outputs that Bazel names one by one.
  std::vector<OutputFile> output_files;
  std::vector<OutputFile> remote_output_files;
  // Whether Bazel names undeclared outputs, profiles or not.
  bool names_outputs = false;
  // Its test.log, as a URI, if it did not pass; empty: not named.
  std::string log;
  // Candidates for the test's executable, the likeliest first.
  std::vector<std::string> executables;
  // Symbol bundles that the build made, of one image each (bazel/symbols.bzl), and those that are
  // not on this machine, as URIs.
  std::vector<std::string> symbol_bundles;
  std::vector<std::string> remote_symbol_bundles;
};

// For messages: "//pkg:test run 1 shard 2 attempt 1".
std::string Describe(const TestAttempt& attempt);

// Reads the tests of one invocation from Bazel's build event file.
// Source: proto/build_events.proto.

struct BuildLog {
  std::string invocation_id;
  int64_t started_unix_ms = 0;
  std::string command;                // "test", "coverage", …
  std::string workspace_directory;    // absolute
  std::vector<TestAttempt> attempts;  // in the order in which they ended
};

// Parses `bytes`, the content of a --build_event_binary_file. `file_name` is for messages.
// INVALID_ARGUMENT with the offset if the bytes are not build events; FAILED_PRECONDITION if the
// build did not end (yet), so that the events are incomplete.
absl::StatusOr<BuildLog> ParseBuildEvents(absl::string_view bytes, absl::string_view file_name);

// Parts of a test that are measured separately, such as each case of a benchmark
// (bazel/benchmark.bzl). A part leaves its profiles in a folder of its own among the test's
// outputs, gprofhub.cases/<name, percent-encoded>, and is a target of its own
// (profile/target_names.h).

// The part that wrote a profile of this name, relative to the outputs: "BM_Insert/8" for
// "gprofhub.cases/BM_Insert%2F8/bench.12.gprofhub". Empty: the test itself.
std::string CaseOf(absl::string_view profile_name);

class TestEvents {
 public:
  void Take(build_events::BuildEvent event);

  const build_events::BuildStarted& started() const { return started_; }  // empty before it
  bool ended() const { return ended_; }  // the last event was received

  // Attempts of tests, in the order in which they ended.
  size_t attempts() const { return results_.size(); }
  // The i-th attempt, with the files that are known so far. Events refer only to earlier sets of
  // files.
  TestAttempt Attempt(size_t index) const;
  // Whether the events have named its symbol bundles.
  bool HasSymbols(size_t index) const;

  // Such as "k8-opt"; empty for an unknown id.
  std::string Mnemonic(const std::string& configuration_id) const;

 private:
  using ConfiguredLabel = std::pair<std::string, std::string>;  // ApparentLabel, configuration id

  void CollectFiles(const build_events::OutputGroup& group, std::set<std::string>& visited,
                    std::vector<std::string>& paths, std::vector<std::string>& uris) const;
  std::vector<std::string> DefaultOutputs(const ConfiguredLabel& target) const;

  // Events name files through nested sets, and configurations by an id: Attempt() resolves both.
  build_events::BuildStarted started_;
  std::map<std::string, build_events::NamedFileSet> file_sets_;
  std::map<std::string, std::string> mnemonics_;
  std::map<ConfiguredLabel, build_events::TargetCompleted> targets_;
  std::map<ConfiguredLabel, std::vector<build_events::OutputGroup>> symbols_;
  std::vector<std::pair<build_events::TestResultId, build_events::TestResult>> results_;
  bool ended_ = false;
  int64_t finished_unix_ms_ = 0;
};

// When the build started; 0 if the event has no time.
int64_t StartedUnixMs(const build_events::BuildStarted& started);

// The path in a file:// URI, its percent escapes decoded; empty for any other
// scheme.
std::string PathOfUri(absl::string_view uri);

}  // namespace gprofhub::ci
