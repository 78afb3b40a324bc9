// The policy file: a repository's rules for failing checks (docs/pull-requests.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// CODEOWNERS: owners of a repository's files, as interpreted by GitHub and GitLab (docs.github.com
// "About code owners", docs.gitlab.com "CODEOWNERS syntax").

// Locations of the file, in search order. The first existing one applies.
inline constexpr const char* kCodeOwnersFiles[] = {".github/CODEOWNERS", ".gitlab/CODEOWNERS",
                                                   "CODEOWNERS", "docs/CODEOWNERS"};

struct CodeOwnersEntry {
  std::string pattern;
  std::vector<std::string> owners;  // "@login", "@org/team", "a@b.example"; may be empty
  bool excludes = false;            // "!pattern": the section does not apply to these files
};

// Entries in the file's order. A file without sections has one.
struct CodeOwnersSection {
  std::vector<CodeOwnersEntry> entries;
};

struct CodeOwners {
  std::vector<CodeOwnersSection> sections;
};

// Parses leniently. Invalid lines, words that are not owners, and content beyond 3 MB, 20,000
// entries, 255 bytes of a pattern or 20 owners of an entry are ignored: the forge reports errors of
// the file to its users.
CodeOwners ParseCodeOwners(absl::string_view text);

// The owners of the file: from each section those of the last entry that matches, without
// duplicates. `path` is relative to the repository.
std::vector<std::string> OwnersOfFile(const CodeOwners& owners, absl::string_view path);

// Whether a pattern matches a path, or a directory that contains it. A pattern with a slash before
// its end is anchored at the repository's root, others match anywhere. "*" and "?" do not match
// slashes, "**" does; "folder/*" matches direct children only.
bool OwnerPatternMatches(absl::string_view pattern, absl::string_view path);

// Validating reader of hand-written JSON documents. Reports the first error and its location.

// Parses JSON. INVALID_ARGUMENT "FILE: …" if it is malformed, or if an object has a duplicate
// field: other readers would use the other value.
absl::StatusOr<nlohmann::json> ParseStrictly(absl::string_view text, absl::string_view file);

// Longest text of a rule or a command: the store's limit.
inline constexpr size_t kMaxRuleTextBytes = 1000;

// Reads values and keeps the first error. Values read after an error are meaningless. A `path` is
// the location of a value, as in "gates[2]". A path that is a prefix of a field ends with a dot.
class JsonReader {
 public:
  using Json = nlohmann::json;

  explicit JsonReader(absl::string_view file) : file_(file) {}

  // INVALID_ARGUMENT "FILE: PATH: WHAT" for the first error.
  const absl::Status& status() const { return status_; }
  void Fail(absl::string_view path, absl::string_view what);

  // Whether it is an object with no other fields than these.
  bool Object(const Json& value, const std::string& path, const std::set<std::string>& fields);

  // The list under `field`, or nothing.
  const Json* List(const Json& object, const std::string& path, const char* field);

  // A text of 1 to 1000 bytes without NUL.
  std::string Text(const Json& value, const std::string& path);
  // A required field.
  std::string TextField(const Json& object, const std::string& path, const char* field);
  std::vector<std::string> Texts(const Json& object, const std::string& path, const char* field);

  // From 0 to `most`.
  double Number(const Json& object, const std::string& path, const char* field, double most,
                double otherwise);
  bool Boolean(const Json& object, const std::string& path, const char* field, bool otherwise);

  // The words of a list, mapped to values. `otherwise` if there is no list.
  template <typename Value, typename Word, size_t kCount>
  std::vector<Value> Words(const Json& object, const std::string& path, const char* field,
                           const Word (&words)[kCount], std::vector<Value> otherwise) {
    if (!object.contains(field)) return otherwise;
    std::vector<Value> values;
    const std::vector<std::string> texts = Texts(object, path, field);
    for (size_t i = 0; i < texts.size(); ++i) {
      std::vector<std::string> known;
      std::optional<Value> value;
      for (const Word& word : words) {
        known.push_back(word.name);
        if (texts[i] == word.name) value = word.value;
      }
      if (value.has_value()) {
        values.push_back(*value);
      } else {
        Fail(absl::StrCat(path, field, "[", i, "]"),
             absl::StrCat("must be one of ", absl::StrJoin(known, ", ")));
      }
    }
    if (values.empty()) Fail(path + field, "must not be empty");
    return values;
  }

 private:
  const std::string file_;
  absl::Status status_;
};

inline constexpr char kPolicyFile[] = ".gprofhub.json";

// A rule matches a finding by target, function, metric and verdict. The first matching rule
// applies: the finding is gated if it reaches the thresholds.
struct GateRule {
  std::string name;
  std::vector<std::string> targets;    // globs; empty: all
  std::vector<std::string> functions;  // globs on linkage or displayed name; empty: all
  std::vector<v1::Finding::Metric> metrics;
  std::vector<v1::Finding::Verdict> verdicts;
  double min_cpu_percent = 1;  // the change's share of the target's CPU
  // The change's share of the target's calls, for targets without CPU samples. Not set: such
  // changes do not fail, unless min_cpu_percent is 0.
  std::optional<double> min_calls_percent;
  double min_effect_percent = 0;  // of the count or time itself, up or down
  bool fails = true;              // false: matching findings are not gated
};

// Weight of a target's runs in an ordering.
struct OrderingWorkload {
  std::string target;  // a label, a glob on labels, or a local folder
  double weight = 1;   // 0: left out
};

// Inputs of an ordering (docs/ordering.md).
struct OrderingPolicy {
  std::vector<OrderingWorkload> workloads;  // the first that matches a target applies
  std::vector<std::string> exclude;         // shell patterns of functions and files
  bool with_tests = false;
  uint32_t history = 1;       // number of merged runs, 1 to 100
  double half_life_days = 0;  // 0: none
};

// Owners of findings. A rule matches a finding by file and function.
struct OwnerRule {
  std::vector<std::string> files;      // patterns as in CODEOWNERS; empty: all
  std::vector<std::string> functions;  // globs on linkage or displayed name; empty: all
  std::vector<std::string> owners;     // "@login", "@org/team", an address; never empty
};

struct Policy {
  std::vector<GateRule> gates;
  // Changes with a smaller share of CPU are not worth a comment.
  double comment_above_percent = 0.5;
  // The acknowledgements in the file. They apply to every pull request.
  std::vector<store::AcknowledgementRecord> acknowledged;
  OrderingPolicy ordering;
  // The first rule that matches a finding applies, before CODEOWNERS.
  std::vector<OwnerRule> owners;
  // The CI job to restart when a rerun is requested; empty: none.
  std::string rerun_job;
};

// The default policy, without a file. It gates regressed calls, instructions and self times of at
// least 1% of a test's CPU.
Policy DefaultPolicy();

// INVALID_ARGUMENT "FILE: gates[2].min_cpu_percent: …" names the first error: invalid JSON, over 1
// MB, an unknown or repeated field, a value of another type or out of range.
absl::StatusOr<Policy> ParsePolicy(absl::string_view text, absl::string_view file);

// Owners of a finding.

// The owners of the first rule of policy.owners that matches the finding; otherwise the CODEOWNERS
// of the file where its change began. May be empty. Owners must be escaped before display.
std::vector<std::string> OwnersOf(const Policy& policy, const CodeOwners& code_owners,
                                  const v1::Finding& finding);

// Names of verdicts in configuration files.

struct VerdictWord {
  const char* name;
  v1::Finding::Verdict value;
};
inline constexpr VerdictWord kVerdictWords[] = {{"regressed", v1::Finding::REGRESSED},
                                                {"improved", v1::Finding::IMPROVED},
                                                {"new", v1::Finding::NEW},
                                                {"vanished", v1::Finding::VANISHED}};

}  // namespace gprofhub::reporter
