#include "reporter/comparison/choose_reruns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/computed.h"
#include "reporter/comparison/time_findings.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/text.h"

namespace gprofhub::reporter {

namespace {

// Beyond these, another run adds little evidence of how a count varies.
constexpr size_t kRunsOfVaryingCount = 4;
// Of the targets in which one function's change is unconfirmed, this number is rerun: it varies in
// all of them, or in none.
constexpr size_t kTargetsOfOneFunction = 3;
// Lower bound of the cost of a rerun, for targets without samples.
constexpr double kLeastCostSeconds = 0.01;

std::string NameOf(const v1::Finding& finding) {
  return FunctionName(finding.function_display().empty() ? finding.function()
                                                         : finding.function_display());
}

// A target whose rerun would be useful, and its priority.
struct Wish {
  v1::Rerun rerun;
  double share = 0;  // of the target's CPU that the change may have
};

// The rerun that would decide the finding; 0 runs: none. `runs` are those of the head.
Wish WishOf(const v1::Finding& finding, size_t runs) {
  Wish wish;
  wish.rerun.set_target(finding.target());
  wish.share = RankingShare(finding);
  if (finding.unconfirmed()) {
    // Runs in the same environment as before do not show that another one is not the reason.
    if (!finding.material() || finding.explained() || finding.in_test() ||
        finding.environment_size() > 0 || runs >= kRunsOfVaryingCount) {
      return wish;
    }
    const bool one_run = runs == 1;
    wish.rerun.set_runs(static_cast<uint32_t>(one_run ? 1 : kRunsOfVaryingCount - runs));
    wish.rerun.set_reason(absl::StrCat(finding.metric() == v1::Finding::CALLS
                                           ? "whether the change of the calls of "
                                           : "whether the change of the time of ",
                                       NameOf(finding), " repeats"));
    return wish;
  }
  if (finding.metric() == v1::Finding::CALLS) {
    if (IsCost(finding.verdict()) && finding.one_run() && finding.material() &&
        !finding.in_test() && runs == 1) {
      wish.rerun.set_runs(1);
      wish.rerun.set_alarms(true);
      wish.rerun.set_reason(
          absl::StrCat("whether the calls of ", NameOf(finding), ", which one run shows, repeat"));
    }
    return wish;
  }
  const double may_have_grown =
      finding.weight() * std::max(0.0, finding.interval_high_percent()) / 100;
  // Only the head is rerun.
  const uint32_t needed = finding.more_runs_needed();
  if (finding.verdict() == v1::Finding::CANNOT_TELL && needed > 0 && needed <= kFewRuns &&
      may_have_grown >= kLeastCpuShare) {
    wish.share = may_have_grown;
    wish.rerun.set_runs(needed);
    wish.rerun.set_reason(absl::StrCat("whether ", NameOf(finding), " is slower"));
  }
  return wish;
}

// Unconfirmed changes of functions for which enough other targets are rerun, those of the largest
// shares.
std::set<const v1::Finding*> SparedReruns(absl::Span<const v1::Finding> findings) {
  std::map<std::pair<std::string, std::string>, std::vector<const v1::Finding*>> of_function;
  for (const v1::Finding& finding : findings) {
    if (!finding.unconfirmed() || !finding.material()) continue;
    of_function[{finding.function(), finding.caller()}].push_back(&finding);
  }
  std::set<const v1::Finding*> spared;
  for (auto& [function, all] : of_function) {
    if (all.size() <= kTargetsOfOneFunction) continue;
    std::stable_sort(all.begin(), all.end(), [](const v1::Finding* a, const v1::Finding* b) {
      return RankingShare(*a) > RankingShare(*b);
    });
    spared.insert(all.begin() + kTargetsOfOneFunction, all.end());
  }
  return spared;
}

bool MattersMore(const Wish& a, const Wish& b) {
  if (a.rerun.alarms() != b.rerun.alarms()) return a.rerun.alarms();
  return a.share > b.share;
}

double CostOf(const v1::Rerun& rerun) { return rerun.expected_seconds() * rerun.runs(); }

bool IsMoreUseful(const Wish& a, const Wish& b) {
  if (a.rerun.alarms() != b.rerun.alarms()) return a.rerun.alarms();
  const auto worth = [](const Wish& wish) {
    return wish.share / std::max(kLeastCostSeconds, CostOf(wish.rerun));
  };
  if (worth(a) != worth(b)) return worth(a) > worth(b);
  return a.rerun.target() < b.rerun.target();
}

}  // namespace

HeadRuns HeadRunsOf(absl::Span<const profile::ComputedProfile> profiles) {
  HeadRuns head;
  for (const profile::ComputedProfile& profile : profiles) {
    const uint32_t repetitions = std::max(1u, profile.repetitions);
    head.runs += repetitions;
    if (profile.dimension != "seconds" || profile.sample_rate <= 0) continue;
    head.seconds +=
        (profile.total_samples + profile.overhead_samples) / profile.sample_rate / repetitions;
  }
  if (!profiles.empty()) head.seconds /= static_cast<double>(profiles.size());
  return head;
}

void AddReruns(const std::map<std::string, HeadRuns>& head, absl::Span<const v1::Finding> findings,
               v1::Report& report) {
  double all_seconds = 0;
  for (const auto& [label, runs] : head) all_seconds += runs.seconds;
  report.mutable_compared()->set_head_test_seconds(all_seconds);
  std::map<std::string, Wish> wishes;  // by target
  const std::set<const v1::Finding*> spared = SparedReruns(findings);
  std::set<std::string> explained;  // targets with a cause
  for (const v1::Finding& finding : findings) {
    if (Changed(finding) && finding.material() && finding.after() > finding.before()) {
      explained.insert(finding.target());
    }
    const auto target = head.find(finding.target());
    if (target == head.end() || spared.contains(&finding)) continue;
    Wish wish = WishOf(finding, target->second.runs);
    if (wish.rerun.runs() == 0) continue;
    const auto [known, added] = wishes.emplace(finding.target(), wish);
    if (added) continue;
    const uint32_t runs = std::max(known->second.rerun.runs(), wish.rerun.runs());
    if (MattersMore(wish, known->second)) known->second = std::move(wish);
    known->second.rerun.set_runs(runs);
  }
  for (v1::TargetTotal& total : *report.mutable_totals()) {
    const auto target = head.find(total.target());
    if (explained.contains(total.target())) total.set_unconfirmed(false);
    if (target == head.end() || target->second.runs >= kRunsOfVaryingCount) continue;
    if (total.unconfirmed()) {
      Wish wish;
      wish.rerun.set_target(total.target());
      wish.rerun.set_runs(1);
      wish.rerun.set_reason("whether the test is slower");
      wish.share = 1 - total.before() / total.after();
      wishes.emplace(total.target(), std::move(wish));
      continue;
    }
    if (total.verdict() != v1::Finding::REGRESSED || explained.contains(total.target())) continue;
    Wish wish;
    wish.rerun.set_target(total.target());
    wish.rerun.set_runs(static_cast<uint32_t>(kRunsOfVaryingCount - target->second.runs));
    wish.rerun.set_reason("which function made the test slower");
    wish.share = total.after() > 0 ? 1 - total.before() / total.after() : 0;
    wishes.emplace(total.target(), std::move(wish));
  }
  std::vector<Wish> ordered;
  for (auto& [label, wish] : wishes) {
    wish.rerun.set_expected_seconds(head.at(label).seconds);
    ordered.push_back(std::move(wish));
  }
  std::sort(ordered.begin(), ordered.end(), IsMoreUseful);
  for (Wish& wish : ordered) *report.add_reruns() = std::move(wish.rerun);
}

RerunPlan PlanReruns(const v1::Report& report, double budget_percent) {
  RerunPlan plan;
  plan.budget_seconds = report.compared().head_test_seconds() * budget_percent / 100;
  double left = plan.budget_seconds;
  for (const v1::Rerun& rerun : report.reruns()) {
    if (budget_percent > 0 && CostOf(rerun) > left) {
      plan.left_out.push_back(rerun);
      continue;
    }
    left -= CostOf(rerun);
    plan.chosen.push_back(rerun);
  }
  return plan;
}

namespace {

// The kind of machine of the side's run `index`, in the order of origins.
absl::string_view MachineOf(const ComparisonSide& side, const std::string& label, size_t index) {
  const auto origins = side.origins.find(label);
  if (origins == side.origins.end() || index >= origins->second.size()) return "";
  return origins->second[index].machine;
}

// An unknown kind matches every kind.
bool SameKind(absl::string_view a, absl::string_view b) { return a.empty() || b.empty() || a == b; }

}  // namespace

std::vector<CountedRun> HistoryOf(const ComparisonSide& base, const std::string& label) {
  std::vector<CountedRun> runs;
  const auto origins = base.origins.find(label);
  if (origins == base.origins.end()) return runs;
  for (const auto* part : {&base.targets, &base.window}) {
    const auto found = part->find(label);
    if (found == part->end()) continue;
    for (const profile::ComputedProfile& profile : found->second) {
      if (runs.size() == origins->second.size()) return runs;
      const ProfileOrigin& origin = origins->second[runs.size()];
      runs.push_back({origin.commit, origin.binary, &profile});
    }
  }
  return runs;
}

absl::string_view HeadMachine(const ComparisonSide& head, const std::string& label) {
  return MachineOf(head, label, 0);
}

absl::Span<const profile::ComputedProfile> ComparableWindow(
    const ComparisonSide& base, const std::string& label, absl::string_view machine,
    std::vector<profile::ComputedProfile>& storage) {
  const auto found = base.window.find(label);
  if (found == base.window.end()) return {};
  const std::vector<profile::ComputedProfile>& window = found->second;
  const std::vector<profile::ComputedProfile>& runs = base.targets.at(label);
  const auto is_comparable = [&](size_t i) {
    return window[i].dimension == runs.front().dimension && window[i].sample_rate > 0 &&
           SameKind(MachineOf(base, label, runs.size() + i), machine);
  };
  size_t comparable = 0;
  for (size_t i = 0; i < window.size(); ++i) comparable += is_comparable(i);
  if (comparable == window.size()) return window;
  for (size_t i = 0; i < window.size(); ++i) {
    if (is_comparable(i)) storage.push_back(window[i]);
  }
  return storage;
}

size_t ForgetOtherMachines(const ComparisonSide& base, const std::string& label,
                           absl::string_view machine, MatchedTarget& matched) {
  size_t forgotten = 0;
  for (size_t run = 0; run < matched.runs_before; ++run) {
    if (SameKind(MachineOf(base, label, run), machine)) continue;
    ++forgotten;
    for (FunctionPair& function : matched.functions) {
      if (function.self_by_run.empty()) continue;
      function.self_by_run[run] = function.child_by_run[run] =
          std::numeric_limits<double>::quiet_NaN();
      if (function.instructions_by_run.empty()) continue;
      function.instructions_by_run[run] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return forgotten;
}

void NoteOtherMachines(size_t incomparable, size_t on_older_runs, v1::Report& report) {
  if (incomparable + on_older_runs == 0) return;
  const v1::Compared& compared = report.compared();
  const std::string& base = compared.base().machine();
  const std::string& head = compared.head().machine();
  // A cached result may have been measured on another machine than the one that uploaded it.
  std::string warning = base == head
                            ? "the base was measured on another kind of machine than the head: "
                            : absl::StrCat("the base ran on another kind of machine (", base,
                                           ") than the head (", head, "): ");
  if (on_older_runs > 0) {
    absl::StrAppend(&warning, "times of ", on_older_runs,
                    on_older_runs == 1 ? " target are" : " targets are",
                    " compared with those of older runs on the head's kind");
  }
  if (incomparable > 0) {
    absl::StrAppend(&warning, on_older_runs > 0 ? "; " : "", "times of ", incomparable,
                    incomparable == 1 ? " target are" : " targets are", " not compared");
  }
  report.add_warnings(warning);
}

}  // namespace gprofhub::reporter
