#include "reporter/times/judge_times.h"

#include "reporter/times/discoveries.h"
#include "reporter/times/pooled_times.h"
#include "reporter/times/time_model.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {
namespace {

void JudgeFamily(const std::vector<FunctionTime*>& times, const TimeModelOptions& options) {
  std::vector<TimeTest*> tests;
  for (FunctionTime* time : times) tests.push_back(&time->test);
  MeasureEffects(tests, options);
  std::vector<PooledTime> pools = PoolTimes(times);
  for (PooledTime& pool : pools) tests.push_back(&pool.test);
  ControlFalseDiscoveries(tests, options.false_discovery_rate);
  for (const PooledTime& pool : pools) TellMembers(pool);
}

}  // namespace

void JudgeTimes(const std::vector<TargetTimes*>& targets, const TimeOptions& options) {
  std::vector<FunctionTime*> self, total, instructions;
  for (TargetTimes* target : targets) {
    for (FunctionTime& time : target->self) self.push_back(&time);
    for (FunctionTime& time : target->total) total.push_back(&time);
    for (FunctionTime& time : target->instructions) instructions.push_back(&time);
  }
  JudgeFamily(self, options.model);
  JudgeFamily(total, options.model);
  JudgeFamily(instructions, options.model);
}

}  // namespace gprofhub::reporter
