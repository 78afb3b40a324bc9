// Which sampled times changed, and which of these changes say something new.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/times/findings/describe_time.h"

namespace gprofhub::reporter {

struct TimesFound {
  std::vector<v1::Finding> findings;  // without target and display names
  std::vector<QuietTime> quiet;
};

// What is said of each function and metric that changed, or that is worth mentioning.
TimesFound FindTimes(const JudgedTimes& judged);

}  // namespace gprofhub::reporter
