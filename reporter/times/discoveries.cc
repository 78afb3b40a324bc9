// Benjamini and Hochberg's step-up rule decides which p stand out. It looks at all functions of
// all targets that matter. The others are too short for any change of theirs to be material. They
// are left out for two reasons. Hundreds of them would raise the bar for the few that count
// (Bourgon, Gentleman and Huber, "Independent filtering increases detection power for
// high-throughput experiments", 2010). And their handful of samples is no bell curve.
//
// A function whose code is the base's seldom has another time, and one that was edited often has.
// So the hypotheses have weights: p / weight takes the place of p (Genovese, Roeder and Wasserman,
// "False discovery control with p-value weighting", 2006). The rate holds as long as the weights do
// not depend on the samples, and are 1 on average or less. What functions of the same code do not
// use of the budget, those of changed code get. Where no code changed, nobody gets it: a comment
// that alarms nobody is worth more than what data or memory might have done.
#include "reporter/times/discoveries.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace gprofhub::reporter {
namespace {

// Of functions that are not known to have changed.
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

// Of functions whose code changed: what the others leave.
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
