#include "reporter/gate/stats.h"

#include <map>
#include <set>
#include <tuple>

#include "reporter/gate/gate.h"

namespace gprofhub::reporter {

std::vector<RuleStats> MeasureRules(
    const std::vector<store::GatedRecord>& gated,
    const std::vector<store::AcknowledgementRecord>& acknowledgements) {
  std::map<std::string, RuleStats> rules;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  for (const store::GatedRecord& record : gated) {
    if (!seen.emplace(record.rule, record.pull_request, record.target, record.function).second) {
      continue;
    }
    RuleStats& stats = rules[record.rule];
    stats.rule = record.rule;
    ++stats.gated;
    bool accepted = false, wrong = false;
    for (const store::AcknowledgementRecord& said : acknowledgements) {
      if (!said.pull_request.empty() && said.pull_request != record.pull_request) continue;
      if (!Covers(said, record.function, record.function_display, record.target)) continue;
      (said.not_a_regression ? wrong : accepted) = true;
    }
    if (wrong) {
      ++stats.not_a_regression;
    } else if (accepted) {
      ++stats.acknowledged;
    }
  }
  std::vector<RuleStats> list;
  for (const auto& [name, stats] : rules) list.push_back(stats);
  return list;
}

}  // namespace gprofhub::reporter
