#include "reporter/findings/findings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/hash.h"
#include "base/text.h"
#include "profile/names.h"

namespace gprofhub::reporter {

namespace {

void MakeText(std::string* name) {
  if (!base::IsUtf8(*name)) *name = base::ToUtf8(*name);
}

void MakeText(v1::ToolchainChange& toolchain) {
  MakeText(toolchain.mutable_before());
  MakeText(toolchain.mutable_after());
  for (std::string& name : *toolchain.mutable_beside()) MakeText(&name);
}

void MakeText(v1::Rewrite& rewrite) {
  MakeText(rewrite.mutable_component());
  for (v1::Rewrite::Pair& pair : *rewrite.mutable_pairs()) {
    MakeText(pair.mutable_before());
    MakeText(pair.mutable_after());
  }
  for (std::string& name : *rewrite.mutable_gone()) MakeText(&name);
  for (std::string& name : *rewrite.mutable_came()) MakeText(&name);
}

}  // namespace

void LimitFindings(size_t most, v1::Report& report) {
  const auto all = static_cast<size_t>(report.findings_size());
  if (all <= most) return;
  report.mutable_findings()->DeleteSubrange(static_cast<int>(most), static_cast<int>(all - most));
  WarnOfUnlisted(all - most, report);
}

void WarnOfUnlisted(size_t left_out, v1::Report& report) {
  if (left_out == 0) return;
  report.add_warnings(absl::StrCat(left_out, " less important ",
                                   left_out == 1 ? "finding is" : "findings are", " not listed"));
}

double CpuEffect(const v1::Finding& finding) {
  if (finding.has_share_of_calls()) return 0;
  return finding.test_effect().has_percent() ? std::fabs(finding.test_effect().percent()) / 100
                                             : finding.impact();
}

double RankingShare(const v1::Finding& finding) {
  return finding.has_share_of_calls() ? finding.share_of_calls() : finding.impact();
}

bool IsGroup(const v1::Finding& finding) {
  return finding.has_toolchain() || finding.has_rewrite();
}

bool IsInconclusiveGroup(const v1::Finding& finding) {
  return IsGroup(finding) && !finding.material();
}

bool CountsInstructions(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::INSTRUCTIONS ||
         finding.metric() == v1::Finding::EVENT_INSTRUCTIONS;
}

bool CostsOtherThanCpu(const v1::Finding& finding) {
  return finding.share_of_bytes() >= kLeastOtherShare ||
         finding.share_of_waits() >= kLeastOtherShare;
}

namespace {

constexpr size_t kPropertyCharacters = 80;

// A text of the environment, which is untrusted.
std::string ValueText(const std::string& value, absl::string_view none) {
  return value.empty() ? std::string(none)
                       : base::Shortened(base::Printable(value), kPropertyCharacters);
}

std::string DifferenceWords(const v1::EnvironmentDifference& difference) {
  const std::string before = ValueText(difference.before(), "none");
  const std::string after = ValueText(difference.after(), "none");
  if (difference.property() == "processors") {
    return absl::StrCat(after, after == "1" ? " processor" : " processors", " instead of ", before);
  }
  if (difference.property() != "features") {
    return absl::StrCat(difference.property() == "tunables" ? "GLIBC_TUNABLES " : "the processor ",
                        after, " instead of ", before);
  }
  std::vector<std::string> words;
  if (!difference.after().empty()) words.push_back("with the processor features " + after);
  if (!difference.before().empty()) words.push_back("without the processor features " + before);
  return absl::StrJoin(words, ", ");
}

}  // namespace

std::string EnvironmentWords(
    const google::protobuf::RepeatedPtrField<v1::EnvironmentDifference>& differences) {
  std::vector<std::string> words;
  for (const v1::EnvironmentDifference& difference : differences) {
    words.push_back(DifferenceWords(difference));
  }
  return absl::StrJoin(words, ", ");
}

bool CountsAllocatedBytes(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::CALLS && finding.function() == profile::kAllocatedBytes;
}

bool CountsPeakBytes(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::CALLS && finding.function() == profile::kPeakBytes;
}

bool CountsBytes(const v1::Finding& finding) {
  return CountsAllocatedBytes(finding) || CountsPeakBytes(finding);
}

bool IsOrigin(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::CALLS && !finding.caller().empty() &&
         finding.verdict() != v1::Finding::SHIFTED;
}

bool IsCost(v1::Finding::Verdict verdict) {
  return verdict == v1::Finding::REGRESSED || verdict == v1::Finding::NEW;
}

bool IsSaving(v1::Finding::Verdict verdict) {
  return verdict == v1::Finding::IMPROVED || verdict == v1::Finding::VANISHED;
}

bool Changed(const v1::Finding& finding) {
  return IsCost(finding.verdict()) || IsSaving(finding.verdict());
}

bool MayHaveChanged(const v1::Finding& finding) {
  return Changed(finding) || finding.unconfirmed();
}

bool CallsVary(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::CALLS && !finding.exact() && !finding.one_run();
}

bool MayBeChance(const v1::Finding& finding) {
  return CallsVary(finding) || (finding.metric() == v1::Finding::CALLS && finding.unexplained());
}

void MakeNamesText(v1::Finding& finding) {
  MakeText(finding.mutable_function());
  MakeText(finding.mutable_function_display());
  MakeText(finding.mutable_caller());
  MakeText(finding.mutable_caller_display());
  MakeText(finding.mutable_target());
  if (finding.has_site()) MakeText(finding.mutable_site()->mutable_file());
  for (std::string& name : *finding.mutable_follows()) MakeText(&name);
  for (std::string& name : *finding.mutable_edited()) MakeText(&name);
  for (v1::LibraryPart& part : *finding.mutable_libraries()) MakeText(part.mutable_name());
  MakeText(finding.mutable_folded_under());
  if (finding.has_toolchain()) MakeText(*finding.mutable_toolchain());
  if (finding.has_rewrite()) MakeText(*finding.mutable_rewrite());
  if (!finding.has_shift()) return;
  for (std::string& name : *finding.mutable_shift()->mutable_with()) MakeText(&name);
}

// Groups findings by cause. A change of the source is one place, but seldom one arc: a copied
// struct calls four copy constructors, a longer loop calls everything in it. So findings of one
// direction (more or less) have one cause if
//
// - they are about one function, in any target;
// - the calls to blame are in the same caller, within a screen of each other, or at the same place
//   of the source: a template's code is in each of its instances;
// - one caller makes exactly the same number of calls more (or less): they are in one line or
//   block, and one of them may have the line of what was inlined there;
// - the caller to blame is itself called more (or less) because of the cause, and its own change
//   may be a side effect of that (Finding.may_follow, which reporter/comparison/forks.cc decides).
//
// Only the first arc of each function counts, the one with the largest share: otherwise a utility
// that is called from everywhere would merge all causes.

namespace {

// Maximum distance in lines between two calls of one caller that one change may cover.
constexpr int64_t kNear = 40;

using FunctionThatWay = std::pair<std::string, bool>;  // name, whether it went worse
// Target, caller, number of additional calls, whether it went worse.
using CallsThatWay = std::tuple<std::string, std::string, double, bool>;
using PlaceThatWay = std::tuple<std::string, uint32_t, bool>;

class Causes {
 public:
  explicit Causes(const v1::Report& report) : report_(report) {
    for (int i = 0; i < report.findings_size(); ++i) first_.push_back(static_cast<size_t>(i));
    for (int i = 0; i < report.findings_size(); ++i) JoinFunction(i);
    for (const auto& [function, arc] : main_arcs_) JoinPlace(arc);
    for (const auto& [function, arc] : main_arcs_) JoinCaller(arc);
  }

  std::vector<size_t> Take() {
    for (size_t i = 0; i < first_.size(); ++i) first_[i] = Find(i);
    return std::move(first_);
  }

 private:
  const v1::Finding& At(size_t i) const { return report_.findings(static_cast<int>(i)); }

  size_t Find(size_t i) {
    while (first_[i] != i) i = first_[i] = first_[first_[i]];
    return i;
  }
  void Join(size_t a, size_t b) {
    a = Find(a);
    b = Find(b);
    first_[std::max(a, b)] = std::min(a, b);
  }

  void JoinFunction(int index) {
    const v1::Finding& finding = report_.findings(index);
    if (!Changed(finding)) return;
    const size_t i = static_cast<size_t>(index);
    const FunctionThatWay key = {finding.function(), IsCost(finding.verdict())};
    Join(functions_.try_emplace(key, i).first->second, i);
    if (!IsOrigin(finding)) return;
    main_arcs_.try_emplace(key, i);
    // Its side effects belong to it, as far as they have findings.
    for (const std::string& name : finding.follows()) {
      followed_.try_emplace({name, IsCost(finding.verdict())}, i);
    }
  }

  void JoinPlace(size_t i) {
    const v1::Finding& arc = At(i);
    const bool worse = IsCost(arc.verdict());
    if (arc.caller() != profile::kSpontaneousName) {
      if (arc.exact() && arc.after() != arc.before()) {
        const CallsThatWay calls = {arc.target(), arc.caller(), arc.after() - arc.before(), worse};
        Join(numbers_.try_emplace(calls, i).first->second, i);
      }
      std::map<int64_t, size_t>& lines = callers_[{arc.caller(), arc.site().file(), worse}];
      const int64_t line = arc.site().line();
      const auto next = lines.lower_bound(line);
      if (next != lines.end() && next->first - line <= kNear) Join(next->second, i);
      if (next != lines.begin() && line - std::prev(next)->first <= kNear) {
        Join(std::prev(next)->second, i);
      }
      lines.emplace_hint(next, line, i);
    }
    if (arc.site().line() == 0) return;
    Join(places_.try_emplace({arc.site().file(), arc.site().line(), worse}, i).first->second, i);
  }

  void JoinCaller(size_t i) {
    const v1::Finding& arc = At(i);
    if (!arc.may_follow()) return;
    const FunctionThatWay caller = {arc.caller(), IsCost(arc.verdict())};
    for (const auto* known : {&main_arcs_, &followed_}) {
      const auto cause = known->find(caller);
      if (cause == known->end()) continue;
      Join(cause->second, i);
      return;
    }
  }

  const v1::Report& report_;
  std::vector<size_t> first_;                    // union-find forest: by finding, an earlier one
  std::map<FunctionThatWay, size_t> functions_;  // the function's first finding
  std::map<FunctionThatWay, size_t> main_arcs_;  // the function's first arc
  std::map<FunctionThatWay, size_t> followed_;   // the arc that it is a side effect of
  // By caller, file and direction: arcs by line.
  std::map<std::tuple<std::string, std::string, bool>, std::map<int64_t, size_t>> callers_;
  std::map<PlaceThatWay, size_t> places_;
  std::map<CallsThatWay, size_t> numbers_;
};

}  // namespace

std::vector<size_t> CausesOf(const v1::Report& report) { return Causes(report).Take(); }

namespace {

constexpr size_t kDigits = 10;

}  // namespace

std::string FindingId(const v1::Finding& finding) {
  const std::string metric = absl::AsciiStrToLower(v1::Finding::Metric_Name(finding.metric()));
  const std::string named = absl::StrJoin<std::initializer_list<absl::string_view>>(
      {finding.target(), metric, finding.function(), finding.caller()}, absl::string_view("\0", 1));
  return base::Sha256Hex(named).substr(0, kDigits);
}

namespace {

constexpr size_t kNamedIds = 5;
constexpr absl::string_view kAdvice =
    "`gprofhub report --all`, `gprofhub diff --all` and --format=json say each finding's id";

std::string Quoted(absl::string_view id) {
  return absl::StrCat("\"", base::Shortened(base::Printable(id), 40), "\"");
}

}  // namespace

absl::StatusOr<v1::Finding> FindFinding(const v1::Report& report, absl::string_view id) {
  const std::string wanted = absl::AsciiStrToLower(id);
  const bool is_id = !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [](char c) {
    return absl::ascii_isxdigit(static_cast<unsigned char>(c));
  });
  if (!is_id) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(id), " is no finding's id, which is hexadecimal digits; ", kAdvice));
  }
  // By id: findings with equal names are one finding.
  std::map<std::string, const v1::Finding*> found;
  for (const v1::Finding& finding : report.findings()) {
    const std::string own = FindingId(finding);
    if (absl::StartsWith(own, wanted)) found.emplace(own, &finding);
  }
  if (found.size() == 1) return *found.begin()->second;
  if (found.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no finding of this comparison has the id ", Quoted(id), "; ", kAdvice));
  }
  std::vector<std::string> ids;
  for (const auto& [own, finding] : found) {
    if (ids.size() < kNamedIds) ids.push_back(own);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(found.size(), " findings have an id that begins with ", Quoted(id), ", such as ",
                   absl::StrJoin(ids, ", ")));
}

namespace {

// A rewrite is material from this share of the target's CPU on.
constexpr double kRewriteMatters = 0.005;

using FunctionOfTarget = std::pair<std::string, std::string>;  // target, function

// Other findings that a finding's kind depends on.
struct Relations {
  // Functions that are side effects: whether of a material finding.
  absl::flat_hash_map<FunctionOfTarget, bool> followers;
  // Functions with a finding about an arc: whether one of them is material.
  absl::flat_hash_map<FunctionOfTarget, bool> began;
  // Targets that have a cause.
  absl::flat_hash_set<std::string> with_cause;
};

template <typename Findings>
Relations RelationsOf(const Findings& findings) {
  Relations relations;
  for (const v1::Finding& finding : findings) {
    if (IsOrigin(finding)) {
      relations.began[{finding.target(), finding.function()}] |= finding.material();
    }
    for (const std::string& name : finding.follows()) {
      relations.followers[{finding.target(), name}] |= finding.material();
    }
    if (finding.material() && !finding.explained()) relations.with_cause.insert(finding.target());
  }
  return relations;
}

// The kind of a change: neither moved nor inconclusive.
FindingKind KindOfChange(const v1::Finding& finding, const Relations& relations) {
  const FunctionOfTarget key = {finding.target(), finding.function()};
  const bool calls = finding.metric() == v1::Finding::CALLS;
  if (calls && finding.caller().empty()) {
    const auto follower = relations.followers.find(key);
    // What follows from a change that only moved is a change of its own, if it matters.
    if (follower != relations.followers.end() && follower->second) return FindingKind::kFollower;
  }
  if (finding.explained() && relations.with_cause.contains(finding.target())) {
    return FindingKind::kFollower;
  }
  // A function as a whole is material if one of its arcs is: the rest of it is inherited.
  const auto arcs = calls ? relations.began.find(key) : relations.began.end();
  const bool material = arcs == relations.began.end() ? finding.material() : arcs->second;
  if (!material) return FindingKind::kMinor;
  return finding.metric() == v1::Finding::TOTAL_TIME ? FindingKind::kTotalTime
                                                     : FindingKind::kCause;
}

// The kind of a finding that summarises many functions. It leads even if its times are
// inconclusive.
std::optional<FindingKind> KindOfGroup(const v1::Finding& finding) {
  if (!finding.folded_under().empty()) return FindingKind::kFolded;
  if (finding.has_toolchain()) return FindingKind::kCause;
  if (!finding.has_rewrite()) return std::nullopt;
  return finding.weight() >= kRewriteMatters ? FindingKind::kCause : FindingKind::kMinor;
}

FindingKind KindOfInconclusive(const v1::Finding& finding) {
  if (finding.unexplained()) return FindingKind::kChance;
  const bool matters = finding.unconfirmed() && finding.material();
  return matters && !finding.explained() && !finding.in_test() ? FindingKind::kUnconfirmed
                                                               : FindingKind::kCannotTell;
}

template <typename Findings>
std::vector<FindingKind> KindsIn(const Findings& findings) {
  const Relations relations = RelationsOf(findings);
  std::vector<FindingKind> kinds;
  for (const v1::Finding& finding : findings) {
    if (const std::optional<FindingKind> kind = KindOfGroup(finding)) {
      kinds.push_back(*kind);
      continue;
    }
    switch (finding.verdict()) {
      case v1::Finding::SHIFTED:
        kinds.push_back(FindingKind::kShifted);
        break;
      case v1::Finding::CANNOT_TELL:
        kinds.push_back(KindOfInconclusive(finding));
        break;
      case v1::Finding::EQUIVALENT:
        kinds.push_back(FindingKind::kEquivalent);
        break;
      default:
        kinds.push_back(KindOfChange(finding, relations));
    }
  }
  return kinds;
}

}  // namespace

std::vector<FindingKind> FindingKinds(const std::vector<v1::Finding>& findings) {
  return KindsIn(findings);
}

std::vector<FindingKind> FindingKinds(const v1::Report& report) {
  return KindsIn(report.findings());
}

std::string PlaceOf(const v1::Site& site) {
  if (site.file().empty() || site.line() == 0) return site.file();
  return absl::StrCat(site.file(), ":", site.line());
}

BazelMode ModeOf(absl::string_view configuration) {
  BazelMode mode = {"gprof", ""};
  for (const absl::string_view part : absl::StrSplit(configuration, '-')) {
    if (part == "opt" || part == "dbg" || part == "fastbuild") {
      mode.compilation_mode = absl::StrCat("--compilation_mode=", part);
    }
    if (absl::StartsWith(part, "gprof")) mode.configuration = std::string(part);
  }
  return mode;
}

}  // namespace gprofhub::reporter
