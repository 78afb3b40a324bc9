#include "cli/order/drift.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace gprofhub::cli {
namespace {

const NamedMetric* FindMetric(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kReplayMetrics), std::end(kReplayMetrics),
                                   [&](const NamedMetric& metric) { return metric.name == name; });
  return found == std::end(kReplayMetrics) ? nullptr : found;
}

}  // namespace

absl::StatusOr<std::vector<DriftLimit>> ParseDriftLimits(absl::Span<const std::string> texts) {
  std::vector<DriftLimit> limits;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const NamedMetric* metric = FindMetric(text.substr(0, equals));
    double percent = 0;
    if (equals == std::string::npos || metric == nullptr ||
        !absl::SimpleAtod(text.substr(equals + 1), &percent) || !std::isfinite(percent) ||
        percent < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--max-drift=", text, ": must be METRIC=PERCENT, with a percentage from 0 on and one of ",
          absl::StrJoin(kReplayMetrics, ", ", [](std::string* out, const NamedMetric& known) {
            absl::StrAppend(out, known.name);
          })));
    }
    limits.push_back({*metric, percent});
  }
  return limits;
}

std::vector<std::string> DriftsBeyond(absl::Span<const DriftLimit> limits,
                                      absl::string_view current_name,
                                      const analyzer::ReplayMetrics& current,
                                      absl::string_view renewed_name,
                                      const analyzer::ReplayMetrics& renewed) {
  std::vector<std::string> drifts;
  for (const DriftLimit& limit : limits) {
    const uint64_t now = current.*limit.metric.value;
    const uint64_t then = renewed.*limit.metric.value;
    const double allowed = static_cast<double>(then) * (1 + limit.percent / 100);
    if (static_cast<double>(now) <= allowed) continue;
    drifts.push_back(absl::StrFormat("%s: %s has %d, %s has %d: more than %g%% behind",
                                     limit.metric.name, current_name, now, renewed_name, then,
                                     limit.percent));
  }
  return drifts;
}

}  // namespace gprofhub::cli
