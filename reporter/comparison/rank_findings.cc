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

// The findings of a kind about a function of a target.
struct Group {
  double impact = 0;  // the largest of them
  double other = 0;   // the largest share of bytes, or of calls that wait
  bool has_origin = false;
  bool may_follow = true;  // all arcs and own times of the group may
  bool saves = true;       // no finding of the group costs anything
};

struct Ranked {
  v1::Finding* finding = nullptr;
  FindingKind kind = FindingKind::kCause;
  const Group* group = nullptr;
  double share = 0;
};

// A call that is no longer made, because of what else is done now, is no cause of that.
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
  // What did not change, or cannot be told, has no impact to speak of.
  const bool unchanged = kind == FindingKind::kCannotTell || kind == FindingKind::kEquivalent;
  // What another finding explains ranks behind it.
  const double impact = finding.explained() ? 0 : RankingShare(finding);
  group.impact = std::max(group.impact, unchanged ? finding.weight() : impact);
  group.other = std::max({group.other, finding.share_of_bytes(), finding.share_of_waits()});
}

auto KeyOf(const Ranked& entry) {
  const v1::Finding& f = *entry.finding;
  const bool is_arc = !f.caller().empty();
  // What changed every function comes before any of them.
  return std::make_tuple(entry.kind, !f.has_toolchain(), entry.group->saves,
                         entry.group->has_origin && entry.group->may_follow, -entry.group->impact,
                         -entry.group->other, absl::string_view(f.target()),
                         absl::string_view(f.function()), !is_arc, f.metric(), f.may_follow(),
                         -entry.share, absl::string_view(f.caller()));
}

}  // namespace

void RankFindings(std::vector<v1::Finding> findings, v1::Report& report) {
  // Kind, target, function. A node's group stays where it is.
  using GroupKey = std::tuple<FindingKind, absl::string_view, absl::string_view>;
  absl::node_hash_map<GroupKey, Group> groups;
  const std::vector<FindingKind> kinds = FindingKinds(findings);
  std::vector<Ranked> ranked;
  ranked.reserve(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    v1::Finding& finding = findings[i];
    Group& group = groups[{kinds[i], finding.target(), finding.function()}];
    AddTo(group, finding, kinds[i]);
    ranked.push_back({&finding, kinds[i], &group, RankingShare(finding)});
  }
  std::sort(ranked.begin(), ranked.end(),
            [](const Ranked& a, const Ranked& b) { return KeyOf(a) < KeyOf(b); });
  report.mutable_findings()->Reserve(static_cast<int>(ranked.size()));
  for (const Ranked& entry : ranked) *report.add_findings() = std::move(*entry.finding);
}

void LimitFindings(v1::Report& report, size_t limit) {
  const size_t count = static_cast<size_t>(report.findings_size());
  if (count <= limit) return;
  report.mutable_findings()->DeleteSubrange(static_cast<int>(limit),
                                            static_cast<int>(count - limit));
  report.add_warnings(absl::StrCat(count - limit, " less important findings are not listed"));
}

}  // namespace gprofhub::reporter
