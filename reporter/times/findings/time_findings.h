// Selects the sampled times that changed and are news.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/times/findings/describe_time.h"

namespace gprofhub::reporter {

struct TimesFound {
  std::vector<v1::Finding> findings;  // without target and display names
  std::vector<QuietTime> quiet;
};

// Findings of each function and metric that changed, or is large enough to be listed.
TimesFound FindTimes(const JudgedTimes& judged);

}  // namespace gprofhub::reporter
