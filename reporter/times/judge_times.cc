#include "reporter/times/judge_times.h"

#include "reporter/times/time_model.h"

namespace gprofhub::reporter {

std::pair<double, double> JudgeTimes(const std::vector<TargetTimes*>& targets,
                                     const TimeOptions& options) {
  std::vector<TimeTest*> self, total;
  for (TargetTimes* target : targets) {
    for (FunctionTime& time : target->self) self.push_back(&time.test);
    for (FunctionTime& time : target->total) total.push_back(&time.test);
  }
  return {JudgeTimeTests(self, options.model), JudgeTimeTests(total, options.model)};
}

}  // namespace gprofhub::reporter
