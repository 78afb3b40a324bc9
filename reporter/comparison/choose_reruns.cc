#include "reporter/comparison/choose_reruns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "profile/computed.h"
#include "reporter/findings/findings.h"
#include "reporter/text/function_name.h"
#include "reporter/times/findings/describe_time.h"

namespace gprofhub::reporter {
namespace {

// Beyond these, another run adds little evidence of how a count varies.
constexpr size_t kRunsOfVaryingCount = 4;
// Lower bound of the cost of a rerun, for targets without samples.
constexpr double kLeastSeconds = 0.01;

std::string NameOf(const v1::Finding& finding) {
  return FunctionName(finding.function_display().empty() ? finding.function()
                                                         : finding.function_display());
}

bool IsAlarm(const v1::Finding& finding) {
  return finding.verdict() == v1::Finding::REGRESSED || finding.verdict() == v1::Finding::NEW;
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
  if (finding.metric() == v1::Finding::CALLS) {
    if (IsAlarm(finding) && finding.one_run() && finding.material() && !finding.in_test() &&
        runs == 1) {
      wish.rerun.set_runs(1);
      wish.rerun.set_alarms(true);
      wish.rerun.set_reason(
          absl::StrCat("whether the calls of ", NameOf(finding), ", which one run shows, repeat"));
    } else if (finding.verdict() == v1::Finding::CANNOT_TELL && finding.material() &&
               runs < kRunsOfVaryingCount) {
      wish.rerun.set_runs(static_cast<uint32_t>(kRunsOfVaryingCount - runs));
      wish.rerun.set_reason(absl::StrCat("how much the calls of ", NameOf(finding), " vary"));
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

bool MattersMore(const Wish& a, const Wish& b) {
  if (a.rerun.alarms() != b.rerun.alarms()) return a.rerun.alarms();
  return a.share > b.share;
}

double CostOf(const v1::Rerun& rerun) { return rerun.expected_seconds() * rerun.runs(); }

bool ComesFirst(const Wish& a, const Wish& b) {
  if (a.rerun.alarms() != b.rerun.alarms()) return a.rerun.alarms();
  const auto worth = [](const Wish& wish) {
    return wish.share / std::max(kLeastSeconds, CostOf(wish.rerun));
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
  for (const v1::Finding& finding : findings) {
    const auto target = head.find(finding.target());
    if (target == head.end()) continue;
    Wish wish = WishOf(finding, target->second.runs);
    if (wish.rerun.runs() == 0) continue;
    const auto [known, added] = wishes.emplace(finding.target(), wish);
    if (added) continue;
    const uint32_t runs = std::max(known->second.rerun.runs(), wish.rerun.runs());
    if (MattersMore(wish, known->second)) known->second = std::move(wish);
    known->second.rerun.set_runs(runs);
  }
  std::vector<Wish> ordered;
  for (auto& [label, wish] : wishes) {
    wish.rerun.set_expected_seconds(head.at(label).seconds);
    ordered.push_back(std::move(wish));
  }
  std::sort(ordered.begin(), ordered.end(), ComesFirst);
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

}  // namespace gprofhub::reporter
