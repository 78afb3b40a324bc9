// Policy files of repositories. For every input, the result is a status that names the file, or a
// policy with valid rules.

#include <cstdlib>

#include "absl/strings/match.h"
#include "reporter/gate/gate.h"
#include "reporter/gate/policy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto policy = gprofhub::reporter::ParsePolicy(bytes, "fuzz.json");
  if (!policy.ok()) {
    if (!absl::StartsWith(policy.status().message(), "fuzz.json: ")) std::abort();
    return 0;
  }
  for (const gprofhub::reporter::GateRule& rule : policy->gates) {
    if (rule.name.empty() || rule.metrics.empty() || rule.verdicts.empty()) std::abort();
    if (!(rule.min_cpu_percent >= 0 && rule.min_cpu_percent <= 100)) std::abort();
    const double of_calls = rule.min_calls_percent.value_or(0);
    if (!(of_calls >= 0 && of_calls <= 100)) std::abort();
  }
  for (const gprofhub::store::AcknowledgementRecord& record : policy->acknowledged) {
    if (record.function.empty() || record.reason.empty()) std::abort();
  }
  gprofhub::v1::Report report;
  report.mutable_compared()->mutable_base();
  gprofhub::v1::Finding& finding = *report.add_findings();
  finding.set_verdict(gprofhub::v1::Finding::REGRESSED);
  finding.set_metric(gprofhub::v1::Finding::CALLS);
  finding.set_function("ab");
  finding.set_function_display("ab(int)");
  finding.set_target("//a:b");
  finding.set_impact(1);
  if (gprofhub::reporter::JudgeGate(report, *policy, {}, "1", absl::UnixEpoch()).gated.size() > 1) {
    std::abort();
  }
  return 0;
}
