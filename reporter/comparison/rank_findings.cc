#include "reporter/comparison/rank_findings.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/judge_calls.h"
#include "reporter/comparison/measure_times.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/rewrites.h"
#include "reporter/comparison/time_findings.h"
#include "reporter/comparison/time_model.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

namespace {

// Folds a target's findings under a rewritten component. The component as a whole can be compared:
// it replaces the old functions if it makes the same calls of functions outside of it. Each of
// these that it calls more or less often is a change of its own, and has an arc's finding: for the
// call with the largest change. It is the component's change unless
//
// - the component itself is called more often, in proportion;
// - other callers make up for it: the function's total calls did not change that way;
// - calls of the function are inlined somewhere on either side, so that counts need not be the
//   source's.

using Names = absl::flat_hash_set<std::string>;

class Folder {
 public:
  Folder(const MatchedTarget& target, const Rewrite& rewrite, const std::string& label,
         double minimum_impact)
      : target_(target),
        label_(label),
        minimum_impact_(minimum_impact),
        is_member_(target.functions.size(), false) {
    for (const auto* list : {&rewrite.gone, &rewrite.came, &rewrite.stayed}) {
      for (const uint32_t i : *list) {
        is_member_[i] = true;
        members_.emplace(target.functions[i].name);
      }
    }
  }

  // Returns whether calls of functions outside of the component differ.
  bool Run(std::vector<v1::Finding>& findings) const {
    std::vector<v1::Finding> calls_out = CallsOut(findings);
    // Changes that the rest of the program causes are not the component's.
    Names inside, outside;
    for (const v1::Finding& finding : findings) {
      if (!IsOrigin(finding) || !finding.folded_under().empty()) continue;
      Names& caused = IsInside(finding) ? inside : outside;
      caused.insert(finding.function());
      caused.insert(finding.follows().begin(), finding.follows().end());
    }
    Names judged;
    for (const v1::Finding& arc : calls_out) {
      judged.insert(arc.function());
      inside.erase(arc.function());
      outside.insert(arc.function());
    }
    // What only these calls change is their side effect.
    Names explained = Consequences(judged, {}, outside);
    for (const std::string& name : explained) inside.erase(name);
    outside.insert(explained.begin(), explained.end());
    const Names consequences = Consequences(members_, inside, outside);
    // So is what they change together with the component.
    Names all = members_;
    all.insert(explained.begin(), explained.end());
    all.insert(judged.begin(), judged.end());
    for (const std::string& name : Consequences(all, inside, outside)) {
      if (!consequences.contains(name)) explained.insert(name);
    }
    std::vector<std::string> side_effects(explained.begin(), explained.end());
    explained.insert(judged.begin(), judged.end());
    std::sort(side_effects.begin(), side_effects.end());
    for (v1::Finding& arc : calls_out) {
      arc.mutable_follows()->Assign(side_effects.begin(), side_effects.end());
    }
    for (v1::Finding& finding : findings) {
      if (!finding.folded_under().empty()) continue;
      const bool is_function = finding.caller().empty() && finding.metric() == v1::Finding::CALLS;
      if (is_function && judged.contains(finding.function())) continue;
      const bool is_consequence = is_function && consequences.contains(finding.function());
      if (!IsInside(finding) && !is_consequence) continue;
      Fold(finding);
      auto& follows = *finding.mutable_follows();
      follows.erase(std::remove_if(follows.begin(), follows.end(),
                                   [&](const auto& name) { return explained.contains(name); }),
                    follows.end());
    }
    for (v1::Finding& arc : calls_out) findings.push_back(std::move(arc));
    return !calls_out.empty();
  }

 private:
  // The time of libraries is no part of the component's own time.
  bool IsInside(const v1::Finding& finding) const {
    if (finding.metric() == v1::Finding::LIBRARY_TIME) return false;
    return members_.contains(finding.function()) || members_.contains(finding.caller());
  }

  bool IsMember(uint32_t function) const {
    return function != kSpontaneous && is_member_[function];
  }

  bool Changed(const ArcPair& arc) const {
    return !SameRatio(arc.before.sum, target_.repetitions_before, arc.after.sum,
                      target_.repetitions_after);
  }

  double Difference(uint64_t before, uint64_t after) const {
    return target_.PerAfter(after) - target_.PerBefore(before);
  }

  // Findings of the changed calls out of the component.
  std::vector<v1::Finding> CallsOut(const std::vector<v1::Finding>& findings) const {
    uint64_t entered_before = 0, entered_after = 0;
    for (const ArcPair& arc : target_.arcs) {
      if (!IsMember(arc.callee) || IsMember(arc.caller)) continue;
      entered_before += arc.before.sum;
      entered_after += arc.after.sum;
    }
    absl::flat_hash_map<absl::string_view, const v1::Finding*> of_function;
    for (const v1::Finding& finding : findings) {
      const bool is_function = finding.caller().empty() && finding.metric() == v1::Finding::CALLS;
      if (is_function && finding.folded_under().empty() && reporter::Changed(finding)) {
        of_function.emplace(finding.function(), &finding);
      }
    }
    std::vector<v1::Finding> calls_out;
    // Arcs are sorted by callee.
    for (size_t first = 0, end = 0; first < target_.arcs.size(); first = end) {
      const uint32_t callee = target_.arcs[first].callee;
      uint64_t before = 0, after = 0;
      for (end = first; end < target_.arcs.size() && target_.arcs[end].callee == callee; ++end) {
        if (!IsMember(target_.arcs[end].caller)) continue;
        before += target_.arcs[end].before.sum;
        after += target_.arcs[end].after.sum;
      }
      const auto found = of_function.find(target_.functions[callee].name);
      const double change = Difference(before, after);
      if (change == 0 || IsMember(callee) || found == of_function.end()) continue;
      const v1::Finding& whole = *found->second;
      const double in_all = whole.after() - whole.before();
      const bool in_proportion = entered_before > 0 && entered_after > 0 &&
                                 SameRatio(before, entered_before, after, entered_after);
      if (in_proportion || change * in_all <= 0 || !CallsAreTheSources(target_, callee)) continue;
      const ArcPair* main = nullptr;
      double most = 0;
      for (size_t i = first; i < end; ++i) {
        const ArcPair& arc = target_.arcs[i];
        const double here = Difference(arc.before.sum, arc.after.sum) * (change > 0 ? 1 : -1);
        if (!IsMember(arc.caller) || here <= most) continue;
        most = here;
        main = &arc;
      }
      if (main != nullptr) {
        calls_out.push_back(CallOut(*main, whole, std::min(1.0, change / in_all)));
      }
    }
    return calls_out;
  }

  // `part`: of the change of all calls.
  v1::Finding CallOut(const ArcPair& arc, const v1::Finding& whole, double part) const {
    v1::Finding finding = whole;
    finding.clear_follows();
    SetArc(target_, arc, finding);
    finding.set_before(target_.PerBefore(arc.before.sum));
    finding.set_after(target_.PerAfter(arc.after.sum));
    finding.set_effect_percent(
        arc.before.sum == 0 ? 0 : (finding.after() / finding.before() - 1) * 100);
    finding.set_impact(finding.impact() * part);
    if (finding.has_share_of_calls()) finding.set_share_of_calls(finding.share_of_calls() * part);
    finding.set_share_of_bytes(finding.share_of_bytes() * part);
    finding.set_share_of_waits(finding.share_of_waits() * part);
    finding.set_material(whole.material() && CostsEnough(finding, minimum_impact_));
    return finding;
  }

  // Functions whose calls changed because of changes that began inside and not outside, because of
  // `causes` alone, or because of such functions.
  Names Consequences(const Names& causes, const Names& inside, const Names& outside) const {
    std::vector<bool> is_folded(target_.functions.size(), false);
    Names consequences;
    for (size_t i = 0; i < is_folded.size(); ++i) {
      const absl::string_view name = target_.functions[i].name;
      const bool follows = inside.contains(name) && !outside.contains(name);
      is_folded[i] = follows || causes.contains(name);
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
  const std::string& label_;
  const double minimum_impact_;
  std::vector<bool> is_member_;  // by function
  Names members_;
};

// Folds findings of the component's functions under one finding, which it returns without its
// times.
v1::Finding FoldUnderRewrite(const MatchedTarget& target, const Rewrite& rewrite,
                             const TargetTotals& totals, double minimum_impact,
                             std::vector<v1::Finding>& findings) {
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
  double before = 0, after = 0;
  for (const auto* list : {&rewrite.gone, &rewrite.came, &rewrite.stayed}) {
    for (const uint32_t i : *list) {
      const FunctionPair& function = target.functions[i];
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
  const Folder folder(target, rewrite, group.function(), minimum_impact);
  about.set_calls_differ(folder.Run(findings));
  return group;
}

// Separates a target's findings that another toolchain explains from those it does not.

// Folds findings of a target with toolchain changes under one finding, which it returns without its
// times. A change of calls that inlining cannot explain (toolchain_changes.h) is not folded but
// marked. Neither raises an alarm.
v1::Finding FoldUnderToolchain(const MatchedTarget& target, std::vector<v1::Finding>& findings);

class FoldToolchainFolder {
 public:
  FoldToolchainFolder(const MatchedTarget& target, const std::string& label)
      : target_(target), label_(label), is_called_by_changed_(target.functions.size(), false) {
    for (uint32_t i = 0; i < target.functions.size(); ++i) {
      // Of several static functions with one name, the changed one counts.
      const auto [entry, is_new] = by_name_.try_emplace(target.functions[i].name, i);
      if (!is_new && IsChanged(i)) entry->second = i;
    }
    for (const ArcPair& arc : target.arcs) {
      if (arc.caller != kSpontaneous && IsChanged(arc.caller)) {
        is_called_by_changed_[arc.callee] = true;
      }
    }
  }

  // Folds or marks the finding, if the toolchain change explains it.
  void Judge(v1::Finding& finding) {
    const auto found = by_name_.find(finding.function());
    if (found == by_name_.end()) return;
    const uint32_t i = found->second;
    const bool is_count = finding.metric() == v1::Finding::CALLS;
    if (!(is_count ? ExplainsCount(i) : ExplainsTime(i, finding.metric()))) return;
    const bool changed =
        finding.verdict() == v1::Finding::REGRESSED || finding.verdict() == v1::Finding::IMPROVED;
    finding.set_material(false);
    if (is_count && changed && CallsAreTheSources(target_, i)) {
      finding.set_beside_toolchain(true);
      beside_.insert(finding.function());
      return;
    }
    if (finding.verdict() != v1::Finding::EQUIVALENT &&
        finding.verdict() != v1::Finding::CANNOT_TELL &&
        finding.verdict() != v1::Finding::SHIFTED) {
      finding.set_verdict(v1::Finding::SHIFTED);
      finding.mutable_shift()->Clear();
      finding.mutable_shift()->set_kind(v1::Shift::TOOLCHAIN);
      finding.mutable_shift()->add_with(label_);
    }
    finding.set_folded_under(label_);
    folded_.insert(finding.function());
  }

  const std::set<std::string>& folded() const { return folded_; }
  const std::set<std::string>& beside() const { return beside_; }

 private:
  bool IsChanged(uint32_t i) const { return target_.functions[i].toolchain_change >= 0; }

  // Inlining changes the calls of the callers.
  bool ExplainsCount(uint32_t i) const { return IsChanged(i) || is_called_by_changed_[i]; }

  // The same compiler emits the same code. For a module without symbols the compiler is unknown.
  bool ExplainsTime(uint32_t i, v1::Finding::Metric metric) const {
    if (metric == v1::Finding::TOTAL_TIME) return true;
    const FunctionPair& function = target_.functions[i];
    return IsChanged(i) || (function.before.toolchain.empty() && function.after.toolchain.empty());
  }

  const MatchedTarget& target_;
  const std::string& label_;
  std::vector<bool> is_called_by_changed_;
  absl::flat_hash_map<absl::string_view, uint32_t> by_name_;
  std::set<std::string> folded_, beside_;
};

v1::Finding FoldUnderToolchain(const MatchedTarget& target, std::vector<v1::Finding>& findings) {
  const std::vector<ToolchainPair>& changes = target.toolchain_changes;
  const ToolchainPair& main =
      *std::max_element(changes.begin(), changes.end(),
                        [](const auto& a, const auto& b) { return a.functions < b.functions; });
  v1::Finding group;
  group.set_metric(v1::Finding::TOTAL_TIME);
  group.set_measured(true);
  group.set_function(ToolchainLabel(main.before, main.after));
  group.set_weight(1);
  v1::ToolchainChange& toolchain = *group.mutable_toolchain();
  toolchain.set_before(main.before);
  toolchain.set_after(main.after);
  for (const ToolchainPair& change : changes) {
    toolchain.set_functions(toolchain.functions() + static_cast<uint32_t>(change.functions));
    toolchain.set_files(toolchain.files() + static_cast<uint32_t>(change.files));
  }
  toolchain.set_all_functions(static_cast<uint32_t>(target.functions_of_known_toolchain));
  toolchain.set_all_files(static_cast<uint32_t>(target.files_of_known_toolchain));
  // A file's functions may have changed in several ways, so the sum may count it twice.
  toolchain.set_files(std::min(toolchain.files(), toolchain.all_files()));
  FoldToolchainFolder folder(target, group.function());
  for (v1::Finding& finding : findings) folder.Judge(finding);
  toolchain.set_folded(static_cast<uint32_t>(folder.folded().size()));
  for (const std::string& name : folder.beside()) toolchain.add_beside(name);
  return group;
}

// Sets a group's time from its samples; `larger_total` is the target's total.
void SetGroupTime(const TimeTest& test, bool has_times, double larger_total,
                  const TimeOptions& options, v1::Finding& finding) {
  finding.set_verdict(v1::Finding::CANNOT_TELL);
  const bool is_sampled = has_times && test.before_exposure > 0 && test.after_exposure > 0 &&
                          test.before_samples + test.after_samples >= options.minimum_samples;
  if (!is_sampled) return;
  finding.set_before(TimeBefore(test));
  finding.set_after(TimeAfter(test));
  if (test.before_samples > 0) {
    finding.set_effect_percent((finding.after() / finding.before() - 1) * 100);
  }
  finding.set_standard_error(StandardErrorOfChange(test));
  const auto [low, high] = IntervalPercent(test, options.model);
  finding.set_interval_low_percent(low);
  finding.set_interval_high_percent(high);
  finding.set_impact(std::min(
      1.0, std::fabs(finding.after() - finding.before()) / std::max(larger_total, 1e-300)));
  if (test.changed) {
    finding.set_verdict(test.effect > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
    finding.set_material(finding.impact() >= options.minimum_impact);
    return;
  }
  finding.set_verdict(QuietVerdict(test, options.model));
  if (finding.verdict() == v1::Finding::CANNOT_TELL) {
    finding.set_detectable_percent(DetectablePercent(test));
  }
}

}  // namespace

TargetGroups FindGroups(const MatchedTarget& target,
                        absl::Span<const profile::ComputedProfile> before,
                        absl::Span<const profile::ComputedProfile> older,
                        absl::Span<const profile::ComputedProfile> after, bool has_times,
                        const TimeOptions& options) {
  TargetGroups groups;
  groups.has_times = has_times;
  if (!target.toolchain_changes.empty()) {
    if (has_times) groups.whole = JudgeWholeTime(before, older, after, options);
    return groups;
  }
  groups.rewrites = FindRewrites(target);
  for (const Rewrite& rewrite : groups.rewrites) {
    std::vector<uint32_t> all = rewrite.stayed;
    all.insert(all.end(), rewrite.gone.begin(), rewrite.gone.end());
    all.insert(all.end(), rewrite.came.begin(), rewrite.came.end());
    groups.rewrite_times.push_back(
        has_times ? JudgeTimeTogether(target, before, older, after, all, options) : TimeTest());
  }
  return groups;
}

bool HasGroups(const MatchedTarget& target, const TargetGroups& groups) {
  return !target.toolchain_changes.empty() || !groups.rewrites.empty();
}

void FoldGroups(const MatchedTarget& target, const TargetGroups& groups, const TargetTotals& totals,
                const TimeOptions& options, std::vector<v1::Finding>& findings) {
  if (!target.toolchain_changes.empty()) {
    v1::Finding finding = FoldUnderToolchain(target, findings);
    const double larger =
        groups.has_times && groups.whole.before_exposure > 0 && groups.whole.after_exposure > 0
            ? std::max(TimeBefore(groups.whole), TimeAfter(groups.whole))
            : 0;
    SetGroupTime(groups.whole, groups.has_times, larger, options, finding);
    findings.push_back(std::move(finding));
    return;
  }
  const double before =
      std::max(1.0, totals.before_samples) / static_cast<double>(target.repetitions_before);
  const double after =
      std::max(1.0, totals.after_samples) / static_cast<double>(target.repetitions_after);
  for (size_t i = 0; i < groups.rewrites.size(); ++i) {
    v1::Finding finding =
        FoldUnderRewrite(target, groups.rewrites[i], totals, options.minimum_impact, findings);
    // Both come from the same samples as the shares, so each side's rate cancels.
    const double change = std::fabs(finding.rewrite().share_after() * after -
                                    finding.rewrite().share_before() * before);
    SetGroupTime(groups.rewrite_times[i], groups.has_times, 1, options, finding);
    finding.set_impact(std::min(1.0, change / std::max(before, after)));
    finding.set_material(finding.material() && finding.impact() >= options.minimum_impact);
    findings.push_back(std::move(finding));
  }
}

namespace {

// The findings of one kind about one function of a target.
struct Group {
  double impact = 0;  // the largest one
  double other = 0;   // the largest share of bytes, or of calls that wait
  bool has_origin = false;
  bool may_follow = true;  // true for all arcs and self times of the group
  bool saves = true;       // no finding of the group is a cost
  bool is_open = false;    // a rewrite without a material change of its time
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

void AddTo(Group& group, const v1::Finding& finding, FindingKind kind) {
  const bool is_own_time = finding.metric() == v1::Finding::SELF_TIME ||
                           finding.metric() == v1::Finding::LIBRARY_TIME ||
                           CountsInstructions(finding);
  if (IsOrigin(finding) || is_own_time) {
    group.has_origin = true;
    group.may_follow = group.may_follow && finding.may_follow();
  }
  // A vanished call is an effect of the new calls, not their cause.
  group.saves = group.saves && IsSaving(finding.verdict());
  group.is_open |= IsInconclusiveGroup(finding);
  // Unchanged and inconclusive findings have no meaningful impact.
  const bool unchanged =
      kind == FindingKind::kCannotTell || kind == FindingKind::kEquivalent || group.is_open;
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

bool RanksHigher(const Ranked& a, const Ranked& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  // A toolchain change affects every function, so it comes first.
  if (a.about_toolchain != b.about_toolchain) return a.about_toolchain;
  if (a.group != b.group) {
    const auto key = [](const Ranked& entry) {
      const Group& group = *entry.group;
      return std::make_tuple(group.saves, group.is_open, group.has_origin && group.may_follow,
                             -group.impact, -group.other, entry.target, entry.function);
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
                  size_t most_quiet, absl::FunctionRef<v1::Finding(const QuietFinding&)> describe,
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
  const auto first_quiet = ranked.begin() + static_cast<ptrdiff_t>(findings.size());
  if (most_quiet < quiet.size()) {
    const auto most = first_quiet + static_cast<ptrdiff_t>(most_quiet);
    std::nth_element(first_quiet, most, ranked.end(), RanksHigher);
    ranked.erase(most, ranked.end());
    WarnOfUnlisted(quiet.size() - most_quiet, report);
  }
  std::sort(ranked.begin(), ranked.end(), RanksHigher);
  report.mutable_findings()->Reserve(static_cast<int>(ranked.size()));
  for (const Ranked& entry : ranked) {
    *report.add_findings() =
        entry.quiet != nullptr ? describe(*entry.quiet) : std::move(*entry.finding);
  }
}

}  // namespace gprofhub::reporter
