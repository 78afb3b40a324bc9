// Synthetic findings and reports, for tests.
#pragma once

#include <string>
#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

inline v1::Finding MakeFinding(const std::string& function, v1::Finding::Metric metric,
                               const std::string& caller = "",
                               const std::string& target = "//a:test") {
  v1::Finding finding;
  finding.set_verdict(v1::Finding::REGRESSED);
  finding.set_metric(metric);
  finding.set_function(function);
  finding.set_caller(caller);
  finding.set_target(target);
  finding.set_before(100);
  finding.set_after(150);
  finding.set_effect_percent(50);
  finding.set_impact(0.1);
  finding.set_material(true);
  finding.set_exact(metric == v1::Finding::CALLS);
  return finding;
}

inline v1::Finding Calls(const std::string& function, const std::string& caller = "") {
  return MakeFinding(function, v1::Finding::CALLS, caller);
}

inline v1::Report MakeReport(const std::vector<v1::Finding>& findings) {
  v1::Report report;
  report.mutable_compared()->mutable_base()->set_commit("1111");
  for (const v1::Finding& finding : findings) *report.add_findings() = finding;
  return report;
}

}  // namespace gprofhub::reporter
