// A share of a test that took two milliseconds is neither relevant nor measurable. So in tests with
// few samples, a change is pooled with the same change (same caller and callee) in all such tests:
//
//   share = cost in these tests / samples of all tests that run the callee
//
// If all of those have few samples, too, the divisor is the package's samples, and otherwise all
// tests'. A change is material only from a total of one millisecond of CPU on.
#include "reporter/comparison/tiny_targets.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

constexpr double kLeastSeconds = 0.001;

// callee, caller, whether it costs more
using Change = std::tuple<std::string, std::string, bool>;

struct Cost {
  double samples = 0;
  double seconds = 0;  // for one execution per target
  bool in_seconds = true;
};

Change ChangeOf(const v1::Finding& finding) {
  return {finding.function(), finding.caller(), finding.after() > finding.before()};
}

// A test's part may contain colons in its name (ci/upload/results/cases.h); a package never does.
absl::string_view PackageOf(absl::string_view target) { return target.substr(0, target.find(':')); }

class TinyTargets {
 public:
  TinyTargets(const std::vector<JudgedTarget>& targets, double minimum_impact)
      : targets_(targets), minimum_impact_(minimum_impact) {
    for (const JudgedTarget& target : targets) {
      all_ += target.totals.Larger();
      of_package_[PackageOf(*target.label)] += target.totals.Larger();
      if (target.totals.IsTiny()) AddCosts(target);
    }
    AddSamplesOfFunctions();
  }

  void Judge() {
    for (const JudgedTarget& target : targets_) {
      if (!target.totals.IsTiny()) continue;
      for (v1::Finding& finding : *target.findings) JudgeFinding(*target.label, finding);
    }
  }

  bool Known() const { return all_ > 0; }

 private:
  void AddCosts(const JudgedTarget& target) {
    const uint64_t executions =
        std::max(target.matched->repetitions_before, target.matched->repetitions_after);
    for (const v1::Finding& finding : *target.findings) {
      if (!Changed(finding)) continue;
      Cost& cost = costs_[ChangeOf(finding)];
      const double samples = finding.impact() * target.totals.OfTiny();
      cost.samples += samples;
      if (target.samples_per_second <= 0) {
        cost.in_seconds = false;
      } else {
        cost.seconds += samples / target.samples_per_second / static_cast<double>(executions);
      }
      of_function_.try_emplace(finding.function(), 0);
    }
  }

  // Over all targets that run a function whose change is judged.
  void AddSamplesOfFunctions() {
    for (const JudgedTarget& target : targets_) {
      for (const FunctionPair& function : target.matched->functions) {
        const auto found = of_function_.find(function.name);
        if (found != of_function_.end()) found->second += target.totals.Larger();
      }
    }
  }

  void JudgeFinding(const std::string& label, v1::Finding& finding) const {
    const auto cost = costs_.find(ChangeOf(finding));
    if (!Changed(finding) || cost == costs_.end()) return;
    double samples = of_function_.at(finding.function());
    if (samples < TargetTotals::kEnoughSamples) {
      samples = std::max(samples, of_package_.at(PackageOf(label)));
    }
    if (samples < TargetTotals::kEnoughSamples) samples = std::max(samples, all_);
    samples = std::max(samples, TargetTotals::kEnoughSamples);
    finding.set_impact(std::min(1.0, cost->second.samples / samples));
    const bool enough = !cost->second.in_seconds || cost->second.seconds >= kLeastSeconds;
    finding.set_material((enough && finding.impact() >= minimum_impact_) ||
                         CostsOtherThanCpu(finding));
  }

  const std::vector<JudgedTarget>& targets_;
  const double minimum_impact_;
  double all_ = 0;
  std::map<absl::string_view, double> of_package_;
  std::map<Change, Cost> costs_;
  absl::flat_hash_map<std::string, double> of_function_;
};

}  // namespace

void JudgeTinyTargets(const std::vector<JudgedTarget>& targets, double minimum_impact) {
  TinyTargets tiny(targets, minimum_impact);
  if (tiny.Known()) tiny.Judge();
}

}  // namespace gprofhub::reporter
