#include "ci/upload/results/units.h"

#include <map>
#include <string>
#include <utility>

#include "ci/upload/results/cases.h"

namespace gprofhub::ci {

std::vector<MeasuredUnit> UnitsOf(const TestAttempt& attempt, std::vector<ProfileFile> profiles) {
  std::map<std::string, std::vector<ProfileFile>> parts;
  for (ProfileFile& profile : profiles) {
    parts[CaseOf(profile.name)].push_back(std::move(profile));
  }
  if (parts.empty()) parts[""];
  std::vector<MeasuredUnit> units;
  for (auto& [part, of_part] : parts) {
    units.push_back({attempt, std::move(of_part)});
    units.back().attempt.label = TargetOf(attempt.label, part);
    // Bazel reports only the duration of all parts together.
    if (!part.empty()) units.back().attempt.duration_ms = 0;
  }
  return units;
}

}  // namespace gprofhub::ci
