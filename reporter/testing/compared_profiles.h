// Compares synthetic profiles, for tests.
#pragma once

#include <string>

#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/compare_sides.h"

namespace gprofhub::reporter {

inline constexpr char kTarget[] = "//db:test";

inline v1::Report CompareTwo(const profile::ComputedProfile& before,
                             const profile::ComputedProfile& after) {
  ComparisonSide base, head;
  base.targets[kTarget] = {before};
  head.targets[kTarget] = {after};
  return CompareSides(base, head, CompareOptions());
}

inline const v1::Finding* Find(const v1::Report& report, const std::string& function,
                               const std::string& caller, v1::Finding::Metric metric) {
  for (const v1::Finding& finding : report.findings()) {
    if (finding.function() == function && finding.caller() == caller &&
        finding.metric() == metric) {
      return &finding;
    }
  }
  return nullptr;
}

}  // namespace gprofhub::reporter
