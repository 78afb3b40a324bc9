// What several targets together say of one function's time.
#pragma once

#include <vector>

#include "reporter/times/target_times.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// A function's tests in two targets or more, as one test.
struct PooledTime {
  TimeTest test;
  std::vector<FunctionTime*> members;
};

// The functions that matter in two targets or more. Of `times`, effects and errors are filled in
// (MeasureEffects), and so they are of the pools.
std::vector<PooledTime> PoolTimes(const std::vector<FunctionTime*>& times);

// If the pool stands out: its members that agree with it, and do not stand out themselves, take
// over its effect and error, and stand out.
void TellMembers(const PooledTime& pool);

}  // namespace gprofhub::reporter
