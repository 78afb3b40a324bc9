#include "reporter/comparison/rank_findings.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "reporter/findings/finding_kinds.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

// The findings of one kind about one function of a target.
struct Group {
  double impact = 0;  // the largest one
  double other = 0;   // the largest share of bytes, or of calls that wait
  bool has_origin = false;
  bool may_follow = true;  // true for all arcs and self times of the group
  bool saves = true;       // no finding of the group is a cost
};

// Sort key. An unchanged or inconclusive time is ranked before its finding is made.
struct Ranked {
  FindingKind kind = FindingKind::kCause;
  const Group* group = nullptr;
  bool about_toolchain = false;
  bool may_follow = false;
  v1::Finding::Metric metric = v1::Finding::CALLS;
  double share = 0;
  absl::string_view target, function, caller;
  v1::Finding* finding = nullptr;  // otherwise:
  const QuietFinding* quiet = nullptr;
};

// Whether the finding is a saving. A vanished call is an effect of the new calls, not their cause.
bool Saves(const v1::Finding& finding) {
  return finding.verdict() == v1::Finding::IMPROVED || finding.verdict() == v1::Finding::VANISHED;
}

void AddTo(Group& group, const v1::Finding& finding, FindingKind kind) {
  const bool is_own_time =
      finding.metric() == v1::Finding::SELF_TIME || CountsInstructions(finding);
  if (IsOrigin(finding) || is_own_time) {
    group.has_origin = true;
    group.may_follow = group.may_follow && finding.may_follow();
  }
  group.saves = group.saves && Saves(finding) && !finding.has_rewrite();
  // Unchanged and inconclusive findings have no meaningful impact.
  const bool unchanged = kind == FindingKind::kCannotTell || kind == FindingKind::kEquivalent;
  // A finding that another one explains ranks behind it.
  const double impact = finding.explained() ? 0 : RankingShare(finding);
  group.impact = std::max(group.impact, unchanged ? finding.weight() : impact);
  group.other = std::max({group.other, finding.share_of_bytes(), finding.share_of_waits()});
}

void AddTo(Group& group, const QuietFinding& quiet) {
  if (quiet.metric != v1::Finding::TOTAL_TIME) {
    group.has_origin = true;
    group.may_follow = false;
  }
  group.saves = false;
  group.impact = std::max(group.impact, quiet.weight);
}

bool ComesFirst(const Ranked& a, const Ranked& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  // A toolchain change affects every function, so it comes first.
  if (a.about_toolchain != b.about_toolchain) return a.about_toolchain;
  if (a.group != b.group) {
    const auto key = [](const Ranked& entry) {
      const Group& group = *entry.group;
      return std::make_tuple(group.saves, group.has_origin && group.may_follow, -group.impact,
                             -group.other, entry.target, entry.function);
    };
    return key(a) < key(b);
  }
  const auto key = [](const Ranked& entry) {
    return std::make_tuple(entry.caller.empty(), entry.metric, entry.may_follow, -entry.share,
                           entry.caller);
  };
  return key(a) < key(b);
}

FindingKind KindOf(const QuietFinding& quiet) {
  return quiet.verdict == v1::Finding::EQUIVALENT ? FindingKind::kEquivalent
                                                  : FindingKind::kCannotTell;
}

}  // namespace

void RankFindings(std::vector<v1::Finding> findings, const std::vector<QuietFinding>& quiet,
                  size_t most, absl::FunctionRef<v1::Finding(const QuietFinding&)> describe,
                  v1::Report& report) {
  // Kind, target, function. Iterators and addresses in a node-based map are stable.
  using GroupKey = std::tuple<FindingKind, absl::string_view, absl::string_view>;
  absl::node_hash_map<GroupKey, Group> groups;
  const std::vector<FindingKind> kinds = FindingKinds(findings);
  std::vector<Ranked> ranked;
  ranked.reserve(findings.size() + quiet.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    v1::Finding& finding = findings[i];
    Group& group = groups[{kinds[i], finding.target(), finding.function()}];
    AddTo(group, finding, kinds[i]);
    ranked.push_back({kinds[i], &group, finding.has_toolchain(), finding.may_follow(),
                      finding.metric(), RankingShare(finding), finding.target(), finding.function(),
                      finding.caller(), &finding, nullptr});
  }
  for (const QuietFinding& one : quiet) {
    const FindingKind kind = KindOf(one);
    Group& group = groups[{kind, one.target, one.function}];
    AddTo(group, one);
    Ranked& entry = ranked.emplace_back();
    entry.kind = kind;
    entry.group = &group;
    entry.metric = one.metric;
    entry.target = one.target;
    entry.function = one.function;
    entry.quiet = &one;
  }
  const size_t shown = std::min(most, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<ptrdiff_t>(shown), ranked.end(),
                    ComesFirst);
  report.mutable_findings()->Reserve(static_cast<int>(shown));
  for (size_t i = 0; i < shown; ++i) {
    *report.add_findings() =
        ranked[i].quiet != nullptr ? describe(*ranked[i].quiet) : std::move(*ranked[i].finding);
  }
  if (shown == ranked.size()) return;
  report.add_warnings(
      absl::StrCat(ranked.size() - shown, " less important findings are not listed"));
}

}  // namespace gprofhub::reporter
