// The step-up procedure of Benjamini and Hochberg decides which p-values are significant. It covers
// all functions of all targets that are long enough. The others are too short for any change to be
// material, and are excluded for two reasons. Hundreds of them would raise the bar for the relevant
// ones (Bourgon, Gentleman and Huber, "Independent filtering increases detection power for
// high-throughput experiments", 2010). And their few samples are not normally distributed.
//
// A function with unchanged code seldom has another time, and an edited one often has. So the
// hypotheses have weights: p / weight replaces p (Genovese, Roeder and Wasserman, "False discovery
// control with p-value weighting", 2006). The rate is controlled as long as the weights do not
// depend on the samples, and are 1 on average or less. Functions with changed code get the budget
// that those with the same code do not use. If no code changed, it stays unused: avoiding false
// alarms is worth more than detecting effects of data or memory.
#include "reporter/times/discoveries.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace gprofhub::reporter {
namespace {

// Weight of functions that are not known to have changed.
double PriorWeight(TimeEvidence evidence) {
  switch (evidence) {
    case TimeEvidence::kSame:
      return 0.05;
    case TimeEvidence::kReached:
      return 0.2;
    default:
      return 1;
  }
}

// Weight of functions whose code changed: the remaining budget.
double WeightOfChanged(const std::vector<TimeTest*>& tests) {
  double left = 0;
  size_t changed = 0;
  for (const TimeTest* test : tests) {
    if (test->evidence == TimeEvidence::kChanged) {
      ++changed;
      left += 1;
    } else {
      left += 1 - PriorWeight(test->evidence);
    }
  }
  return changed > 0 ? left / static_cast<double>(changed) : 1;
}

}  // namespace

void ControlFalseDiscoveries(const std::vector<TimeTest*>& tests, double rate) {
  std::vector<TimeTest*> matter;
  std::copy_if(tests.begin(), tests.end(), std::back_inserter(matter),
               [](const TimeTest* test) { return test->matters; });
  const double of_changed = WeightOfChanged(matter);
  const auto weight = [of_changed](const TimeTest& test) {
    return test.evidence == TimeEvidence::kChanged ? of_changed : PriorWeight(test.evidence);
  };
  std::stable_sort(matter.begin(), matter.end(), [&](const TimeTest* a, const TimeTest* b) {
    return a->p / weight(*a) < b->p / weight(*b);
  });
  const double m = static_cast<double>(std::max<size_t>(1, matter.size()));
  size_t found = 0;
  for (size_t i = 0; i < matter.size(); ++i) {
    const double bar = rate * weight(*matter[i]) * static_cast<double>(i + 1) / m;
    if (matter[i]->p <= bar) found = i + 1;
  }
  for (size_t i = 0; i < found; ++i) matter[i]->changed = true;
  for (TimeTest* test : tests) {
    test->p_needed = std::min(0.5, rate * weight(*test) * static_cast<double>(found + 1) / m);
  }
}

}  // namespace gprofhub::reporter
