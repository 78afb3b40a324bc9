#include "reporter/comparison/fold_rewrites.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "reporter/findings/findings.h"
#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

using Names = absl::flat_hash_set<std::string>;

class Folder {
 public:
  Folder(const MatchedTarget& target, const Names& members, const std::string& label)
      : target_(target), members_(members), label_(label) {}

  void Run(std::vector<v1::Finding>& findings) const {
    // Changes that the rest of the program causes are not the component's.
    Names inside, outside;
    for (const v1::Finding& finding : findings) {
      if (!IsOrigin(finding) || !finding.folded_under().empty()) continue;
      Names& caused = IsInside(finding) ? inside : outside;
      caused.insert(finding.function());
      caused.insert(finding.follows().begin(), finding.follows().end());
    }
    const Names consequences = Consequences(inside, outside);
    for (v1::Finding& finding : findings) {
      if (!finding.folded_under().empty()) continue;
      const bool is_consequence = finding.caller().empty() &&
                                  finding.metric() == v1::Finding::CALLS &&
                                  consequences.contains(finding.function());
      if (IsInside(finding) || is_consequence) Fold(finding);
    }
  }

 private:
  bool IsInside(const v1::Finding& finding) const {
    return members_.contains(finding.function()) || members_.contains(finding.caller());
  }

  bool Changed(const ArcPair& arc) const {
    return !SameRatio(arc.before.sum, target_.repetitions_before, arc.after.sum,
                      target_.repetitions_after);
  }

  // Functions whose calls changed because of changes that began inside and not outside, because of
  // the component alone, or because of such functions.
  Names Consequences(const Names& inside, const Names& outside) const {
    std::vector<bool> is_folded(target_.functions.size(), false);
    Names consequences;
    for (size_t i = 0; i < is_folded.size(); ++i) {
      const absl::string_view name = target_.functions[i].name;
      const bool follows = inside.contains(name) && !outside.contains(name);
      is_folded[i] = follows || members_.contains(name);
      if (follows) consequences.emplace(name);
    }
    for (bool found = true; found;) {
      found = false;
      // Arcs are sorted by callee.
      for (size_t first = 0, end = 0; first < target_.arcs.size(); first = end) {
        const uint32_t callee = target_.arcs[first].callee;
        bool any = false, all = true;
        for (end = first; end < target_.arcs.size() && target_.arcs[end].callee == callee; ++end) {
          const ArcPair& arc = target_.arcs[end];
          if (!Changed(arc) || arc.caller == callee) continue;
          any = true;
          all = all && arc.caller != kSpontaneous && is_folded[arc.caller];
        }
        const absl::string_view name = target_.functions[callee].name;
        if (!any || !all || is_folded[callee] || outside.contains(name)) continue;
        is_folded[callee] = found = true;
        consequences.emplace(name);
      }
    }
    return consequences;
  }

  void Fold(v1::Finding& finding) const {
    finding.set_material(false);
    finding.set_folded_under(label_);
    if (finding.verdict() == v1::Finding::EQUIVALENT ||
        finding.verdict() == v1::Finding::CANNOT_TELL ||
        finding.verdict() == v1::Finding::SHIFTED) {
      return;
    }
    finding.set_verdict(v1::Finding::SHIFTED);
    finding.mutable_shift()->Clear();
    finding.mutable_shift()->set_kind(v1::Shift::REWRITTEN);
    finding.mutable_shift()->add_with(label_);
  }

  const MatchedTarget& target_;
  const Names& members_;
  const std::string& label_;
};

}  // namespace

v1::Finding FoldUnderRewrite(const MatchedTarget& target, const Rewrite& rewrite,
                             const TargetTotals& totals, std::vector<v1::Finding>& findings) {
  v1::Finding group;
  group.set_metric(v1::Finding::SELF_TIME);
  group.set_function(rewrite.component);
  v1::Rewrite& about = *group.mutable_rewrite();
  about.set_component(rewrite.component);
  about.set_stayed(static_cast<uint32_t>(rewrite.stayed.size()));
  absl::flat_hash_set<uint32_t> paired;
  for (const auto& [was, is] : rewrite.pairs) {
    v1::Rewrite::Pair& pair = *about.add_pairs();
    pair.set_before(std::string(target.functions[was].name));
    pair.set_after(std::string(target.functions[is].name));
    paired.insert(was);
    paired.insert(is);
  }
  Names members;
  double before = 0, after = 0;
  for (const auto* list : {&rewrite.gone, &rewrite.came, &rewrite.stayed}) {
    for (const uint32_t i : *list) {
      const FunctionPair& function = target.functions[i];
      members.emplace(function.name);
      before += function.before.self_samples;
      after += function.after.self_samples;
      if (paired.contains(i) || list == &rewrite.stayed) continue;
      (list == &rewrite.gone ? about.add_gone() : about.add_came())
          ->assign(function.name.data(), function.name.size());
    }
  }
  if (totals.before_samples > 0) about.set_share_before(before / totals.before_samples);
  if (totals.after_samples > 0) about.set_share_after(after / totals.after_samples);
  group.set_weight(std::max(about.share_before(), about.share_after()));
  Folder(target, members, group.function()).Run(findings);
  return group;
}

}  // namespace gprofhub::reporter
