// Result of a bisection, as text and as JSON.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ci/upload/results/ci_systems.h"
#include "cli/bisect/bisect.h"
#include "cli/command/command.h"
#include "proto/findings.pb.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// The question of a bisection: the calls that changed.

struct Question {
  std::string target;    // Bazel label of one test
  std::string function;  // linkage name
  std::string caller;    // linkage name; empty: the calls from everywhere

  friend bool operator==(const Question&, const Question&) = default;
};

// Derives the question of a bisection from a report.

// A finding to search for, and how its test was built.
struct Sought {
  Question question;
  std::string configuration;  // of the report, such as "k8-opt-gprof"; may be empty
  Levels levels;              // as the report has them
};

// The calls of a finding. INVALID_ARGUMENT for findings about other quantities: only calls can be
// judged by one run.
absl::StatusOr<Question> QuestionOf(const v1::Finding& finding);

// The finding with this id (reporter/findings/findings.h), of which the first four digits or more
// will do. NOT_FOUND; INVALID_ARGUMENT for several, and as QuestionOf.
absl::StatusOr<Sought> FindQuestion(const v1::Report& report, absl::string_view id);

// The fields of a finding's JSON that a question needs. Throws nlohmann::json::exception.
v1::Finding FindingOfJson(const nlohmann::json& json);

// Parses the output of `gprofhub report --format=json`, only the fields that are needed here: names
// and counts of findings, and the configuration. INVALID_ARGUMENT, with `name`.
absl::StatusOr<v1::Report> ReadReportJson(absl::string_view json, absl::string_view name);

// The user's git repository, as far as a search needs it. The user's checkout is never modified.

struct Commit {
  std::string hash;  // full
  std::string author;
  std::string date;  // of the commit, YYYY-MM-DD
  std::string subject;
};

// A line of commits in which something changed.
struct CommitLine {
  std::vector<Commit> commits;  // oldest first: the base, then the first parents up to the head
  // The given base is not an ancestor of the head, and `commits` begins with the merge base.
  bool from_merge_base = false;
};

// The base and the head of "BASE..HEAD" or "BASE.."; then the head is HEAD. INVALID_ARGUMENT.
struct Range {
  std::string base;
  std::string head;
};
absl::StatusOr<Range> ParseRange(absl::string_view text);

// FAILED_PRECONDITION if git does not know a commit (in a shallow clone, for example), or all
// commits of the head are in the base.
absl::StatusOr<CommitLine> ReadLine(const ci::GitCommand& git, const Range& range);

// A working tree next to the user's, in which the commits are checked out one after the other.
class Worktree {
 public:
  // Creates `folder`, or takes it over from an interrupted bisection. FAILED_PRECONDITION.
  static absl::StatusOr<Worktree> Open(ci::GitCommand repository, const std::string& folder);

  Worktree(Worktree&&) = default;
  Worktree& operator=(Worktree&&) = default;
  // Removes the working tree. Build outputs stay in Bazel's own cache.
  ~Worktree();

  // Checks the commit out, with its submodules.
  absl::Status CheckOut(const std::string& commit) const;

 private:
  Worktree(ci::GitCommand repository, std::string folder);

  ci::GitCommand repository_;
  std::string folder_;
};

// State of a bisection in a file, so that an interrupted one can be resumed.

// All inputs that determine a commit's counts.
struct Setting {
  Question question;
  std::string configuration;               // of Bazel: --config=…
  std::vector<std::string> bazel_options;  // as given

  friend bool operator==(const Setting&, const Setting&) = default;
};

struct State {
  Setting setting;
  std::map<std::string, Measurement> measured;  // by full commit hash
};

// One JSON document, "schema": 1.
std::string StateJson(const State& state);

// INVALID_ARGUMENT, with `name`, for anything but the output of StateJson.
absl::StatusOr<State> ParseState(absl::string_view json, absl::string_view name);

// The file's name for a setting; unique per setting.
std::string StateFileName(const Setting& setting);

// The file's state; an empty one of this setting if the file does not exist. Errors: ParseState's,
// and FAILED_PRECONDITION if the file has another setting.
absl::StatusOr<State> ReadState(const std::string& path, const Setting& setting);

// Replaces the file as a whole: a reader finds the old one or the new one.
absl::Status WriteState(const std::string& path, const State& state);

// A cache in front of `measure`: looks into `state` first, and adds results of `measure` to it and
// to the file. A commit that was measured with fewer runs than requested is measured again. `state`
// and `measure` must outlive the result.
Measure Remembered(const std::string& path, State& state, const Measure& measure);

// Shared options of `gprofhub bisect` and `gprofhub bisect-judge`.

struct BuildOptions {
  std::string configuration;  // of Bazel; empty: the finding's, else gprof
  std::vector<std::string> bazel_options;
  std::string bazel = "bazel";
};

struct SoughtOptions {
  ServerOptions server;
  std::string finding;  // an id
  std::string report;   // file
  Question question;
  BuildOptions build;
};

// Adds --config, --bazel-option and --bazel.
void AddBuildOptions(CLI::App& command, BuildOptions& options);

// Adds --finding, --report, --function, --caller, --target, AddBuildOptions' and the server's
// options.
void AddSoughtOptions(CLI::App& command, SoughtOptions& options);

// Throws CLI::ValidationError unless exactly one of the ways to name the question is used.
void CheckSoughtOptions(const SoughtOptions& options);

// The question: named by the options, or found in the report file, or in the server's report on the
// head of `range` against its base. NOT_FOUND; INVALID_ARGUMENT where the server is needed and
// there is no range; the server's errors.
absl::StatusOr<Sought> FindSought(const SoughtOptions& options, const std::optional<Range>& range);

// How Bazel runs its test.
Setting SettingOf(const BuildOptions& options, const Sought& sought);

struct BisectReport {
  Question question;
  CommitLine line;
  Bisection result;
};

// Whether one commit is left.
bool IsFound(const BisectReport& report);

// The answer first, then a table of all commits that were tested, oldest first.
std::string BisectText(const BisectReport& report);

// One object of what `gprofhub bisect --format=json` prints (docs/bisect.md).
nlohmann::ordered_json BisectJson(const BisectReport& report);

}  // namespace gprofhub::cli
