// Impact of a change: a share of the target's CPU. For each function it is the self samples times
// the fraction of its calls that changed, blamed on where the change began
// (reporter/counts/cost_by_origin.cc). A short test has few samples, and which functions they hit
// is chance. So a hundred pseudo-samples are added, distributed by calls: until samples show
// otherwise, a call costs the average. In a test with fewer samples than that, the cost of a call
// is estimated over all tests (call_costs.cc), and the divisor is chosen when all are judged
// (reporter/comparison/tiny_targets.cc). If no test has a sample, CPU is unknown: the impact is a
// share of calls.
//
// Other costs are not visible in samples. Allocated or held bytes are not calls, and take no time.
// A caller of fsync waits: a second fsync may double the time of a commit at no CPU time. These
// impacts are shares of the target's own counts of bytes or waiting calls. They are blamed in the
// same way: a caller of a function that calls fsync is to blame if it calls that function more
// often.
#include "reporter/counts/change_costs.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "profile/names/quantities.h"

namespace gprofhub::reporter {
namespace {

constexpr double kSamplesOfDoubt = TargetTotals::kEnoughSamples;

// Smaller changes of bytes per execution are irrelevant.
constexpr double kLeastBytes = 64 * 1024;

// Functions of libc whose cost is waiting, for a disk or a clock, in proportion to their calls.
// They are visible if calls of library functions are counted.
constexpr std::array<absl::string_view, 11> kWaiting = {
    "fsync", "fdatasync", "msync",      "sync",      "syncfs",         "sync_file_range",
    "sleep", "usleep",    "thrd_sleep", "nanosleep", "clock_nanosleep"};

bool IsWaiting(const FunctionPair& function) {
  return absl::c_linear_search(kWaiting, function.name);
}
bool IsBytes(const FunctionPair& function) {
  return profile::UnitOfCalls(function.name) == profile::CountUnit::kBytes;
}

double ChangeOf(const CountChange& change) {
  return change.answer == CountAnswer::kChanged ? std::fabs(change.after - change.before) : 0;
}

class Costs {
 public:
  Costs(const MatchedTarget& target, const TargetTotals& totals, const CallCosts& costs,
        const std::vector<CountChange>& changes, const ChangeOrigins& origins)
      : target_(target), totals_(totals), costs_(costs), changes_(changes), origins_(origins) {
    for (size_t i = 0; i < changes.size(); ++i) {
      if (!profile::IsQuantity(target.functions[i].name)) all_calls_ += Larger(i);
    }
  }

  CostByOrigin Cpu() const {
    std::vector<double> cost;
    for (uint32_t i = 0; i < target_.functions.size(); ++i) cost.push_back(CpuOf(i));
    return BlameOrigins(cost);
  }

  // Allocated bytes, and bytes in use at the peak: each as a share of its kind. Empty if neither
  // changed by a relevant amount.
  CostByOrigin Bytes() const {
    std::vector<double> cost(target_.functions.size(), 0);
    bool matters = false;
    for (size_t i = 0; i < cost.size(); ++i) {
      if (!IsBytes(target_.functions[i]) || ChangeOf(changes_[i]) < kLeastBytes) continue;
      cost[i] = ChangeOf(changes_[i]) / Larger(i);
      matters = true;
    }
    return matters ? BlameOrigins(cost) : CostByOrigin();
  }

  // Waiting functions: a share of the calls of all of them. Empty if none changed.
  CostByOrigin Waits() const {
    std::vector<double> cost(target_.functions.size(), 0);
    double all = 0, changed = 0;
    for (size_t i = 0; i < cost.size(); ++i) {
      if (!IsWaiting(target_.functions[i])) continue;
      cost[i] = ChangeOf(changes_[i]);
      changed += cost[i];
      all += Larger(i);
    }
    if (changed == 0) return {};
    for (double& one : cost) one /= all;
    return BlameOrigins(cost);
  }

 private:
  // Calls of a function per execution, on the side with more.
  double Larger(size_t index) const {
    const FunctionPair& function = target_.functions[index];
    return std::max(static_cast<double>(function.before.calls.sum) /
                        static_cast<double>(target_.repetitions_before),
                    static_cast<double>(function.after.calls.sum) /
                        static_cast<double>(target_.repetitions_after));
  }

  // Cost of the change of the function's calls in the function itself, as a share of the target's
  // CPU; without samples, of its calls.
  double CpuOf(uint32_t index) const {
    const FunctionPair& function = target_.functions[index];
    const double change = ChangeOf(changes_[index]);
    if (change == 0 || profile::IsQuantity(function.name)) return 0;
    const double before = changes_[index].before;
    const double after = changes_[index].after;
    // The side with more calls has the better estimate; a side without samples has none.
    const bool by_after =
        totals_.before_samples == 0 || (after > before && totals_.after_samples > 0);
    const double total = by_after ? totals_.after_samples : totals_.before_samples;
    if (totals_.IsTiny() && costs_.known()) {
      const uint64_t executions = std::max(target_.repetitions_before, target_.repetitions_after);
      return costs_.PerCall(function.name) * change * static_cast<double>(executions) /
             totals_.OfTiny();
    }
    const double samples = by_after ? function.after.self_samples : function.before.self_samples;
    const double sampled = samples * change / std::max(before, after);
    const double guessed = kSamplesOfDoubt * change / std::max(all_calls_, 1e-300);
    return std::min(1.0, (sampled + guessed) / (total + kSamplesOfDoubt));
  }

  CostByOrigin BlameOrigins(const std::vector<double>& cost) const {
    CostByOrigin by_origin = ShareOutCost(target_, cost, origins_.parts());
    for (uint32_t i = 0; i < cost.size(); ++i) {
      // Its calls did not change: its share is that of the arc that leads it.
      const std::optional<size_t> leader = origins_.LeaderOf(i);
      if (leader) by_origin.arcs[*leader] += by_origin.functions[i];
    }
    return by_origin;
  }

  const MatchedTarget& target_;
  const TargetTotals& totals_;
  const CallCosts& costs_;
  const std::vector<CountChange>& changes_;
  const ChangeOrigins& origins_;
  double all_calls_ = 0;
};

}  // namespace

ChangeCosts CostsOfChanges(const MatchedTarget& target, const TargetTotals& totals,
                           const CallCosts& costs, const std::vector<CountChange>& changes,
                           const ChangeOrigins& origins) {
  const Costs all(target, totals, costs, changes, origins);
  return {all.Cpu(), all.Bytes(), all.Waits()};
}

}  // namespace gprofhub::reporter
