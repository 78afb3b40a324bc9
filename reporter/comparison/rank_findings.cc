#include "reporter/comparison/rank_findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "reporter/findings/finding_kinds.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

struct Ranked {
  v1::Finding finding;
  FindingKind kind = FindingKind::kCause;
  double group_impact = 0;  // largest of this function's findings of this kind
  bool may_follow = false;  // all arcs and own times of the group may
  bool saves = false;       // no finding of the group costs anything
};

// A call that is no longer made, because of what else is done now, is no cause of that.
bool Saves(const v1::Finding& finding) {
  return finding.verdict() == v1::Finding::IMPROVED || finding.verdict() == v1::Finding::VANISHED;
}

using GroupKey = std::tuple<FindingKind, std::string, std::string>;  // kind, target, function

}  // namespace

void RankFindings(std::vector<v1::Finding> findings, v1::Report& report) {
  const std::vector<FindingKind> kinds = FindingKinds(findings);
  std::map<GroupKey, double> group_impact;
  std::map<GroupKey, bool> may_follow, saves;
  std::vector<Ranked> ranked;
  ranked.reserve(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    v1::Finding& finding = findings[i];
    double& largest = group_impact[{kinds[i], finding.target(), finding.function()}];
    const bool is_own_time =
        finding.metric() == v1::Finding::SELF_TIME || finding.metric() == v1::Finding::INSTRUCTIONS;
    if (IsOrigin(finding) || is_own_time) {
      bool& all = may_follow.try_emplace({kinds[i], finding.target(), finding.function()}, true)
                      .first->second;
      all = all && finding.may_follow();
    }
    const bool is_saving = Saves(finding) && !finding.has_rewrite();
    bool& all_save =
        saves.try_emplace({kinds[i], finding.target(), finding.function()}, true).first->second;
    all_save = all_save && is_saving;
    // What did not change, or cannot be told, has no impact to speak of.
    const bool unchanged =
        kinds[i] == FindingKind::kCannotTell || kinds[i] == FindingKind::kEquivalent;
    // What another finding explains ranks behind it.
    const double impact = finding.explained() ? 0 : RankingShare(finding);
    largest = std::max(largest, unchanged ? finding.weight() : impact);
    ranked.push_back({std::move(finding), kinds[i]});
  }
  for (Ranked& entry : ranked) {
    const GroupKey group = {entry.kind, entry.finding.target(), entry.finding.function()};
    entry.group_impact = group_impact[group];
    entry.may_follow = may_follow[group];
    entry.saves = saves[group];
  }
  const auto key = [](const Ranked& entry) {
    const v1::Finding& f = entry.finding;
    const bool is_arc = !f.caller().empty();
    // What changed every function comes before any of them.
    return std::make_tuple(entry.kind, !f.has_toolchain(), entry.saves, entry.may_follow,
                           -entry.group_impact, absl::string_view(f.target()),
                           absl::string_view(f.function()), !is_arc, f.metric(), f.may_follow(),
                           -RankingShare(f), absl::string_view(f.caller()));
  };
  std::sort(ranked.begin(), ranked.end(),
            [&](const Ranked& a, const Ranked& b) { return key(a) < key(b); });
  for (Ranked& entry : ranked) *report.add_findings() = std::move(entry.finding);
}

void LimitFindings(v1::Report& report, size_t limit) {
  const size_t count = static_cast<size_t>(report.findings_size());
  if (count <= limit) return;
  report.mutable_findings()->DeleteSubrange(static_cast<int>(limit),
                                            static_cast<int>(count - limit));
  report.add_warnings(absl::StrCat(count - limit, " less important findings are not listed"));
}

}  // namespace gprofhub::reporter
