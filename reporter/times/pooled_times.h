// Pools the tests of one function over several targets.
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

// Pools the functions that are long enough in two targets or more. `times` have effects and errors
// (MeasureEffects), and so will the pools.
std::vector<PooledTime> PoolTimes(const std::vector<FunctionTime*>& times);

// If the pool is significant, its members that agree with it, and are not significant themselves,
// get its effect and error, and become significant.
void TellMembers(const PooledTime& pool);

}  // namespace gprofhub::reporter
