#include "reporter/comparison/fold_rewrites.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

using Names = absl::flat_hash_set<std::string>;

class Folder {
 public:
  Folder(const Names& members, const std::string& label) : members_(members), label_(label) {}

  void Run(std::vector<v1::Finding>& findings) const {
    // What the rest of the program causes is not the component's.
    Names caused_inside, caused_outside;
    for (const v1::Finding& finding : findings) {
      if (!IsOrigin(finding) || !finding.folded_under().empty()) continue;
      Names& caused = IsInside(finding) ? caused_inside : caused_outside;
      caused.insert(finding.function());
      caused.insert(finding.follows().begin(), finding.follows().end());
    }
    for (v1::Finding& finding : findings) {
      if (!finding.folded_under().empty()) continue;
      const bool is_consequence = finding.caller().empty() &&
                                  finding.metric() == v1::Finding::CALLS &&
                                  caused_inside.contains(finding.function()) &&
                                  !caused_outside.contains(finding.function());
      if (IsInside(finding) || is_consequence) Fold(finding);
    }
  }

 private:
  bool IsInside(const v1::Finding& finding) const {
    return members_.contains(finding.function()) || members_.contains(finding.caller());
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
    pair.set_before(target.functions[was].name);
    pair.set_after(target.functions[is].name);
    paired.insert(was);
    paired.insert(is);
  }
  Names members;
  double before = 0, after = 0;
  for (const auto* list : {&rewrite.gone, &rewrite.came, &rewrite.stayed}) {
    for (const uint32_t i : *list) {
      const FunctionPair& function = target.functions[i];
      members.insert(function.name);
      before += function.before.self_samples;
      after += function.after.self_samples;
      if (paired.contains(i) || list == &rewrite.stayed) continue;
      (list == &rewrite.gone ? about.add_gone() : about.add_came())->assign(function.name);
    }
  }
  if (totals.before_samples > 0) about.set_share_before(before / totals.before_samples);
  if (totals.after_samples > 0) about.set_share_after(after / totals.after_samples);
  group.set_weight(std::max(about.share_before(), about.share_after()));
  Folder(members, group.function()).Run(findings);
  return group;
}

}  // namespace gprofhub::reporter
