// A slower function is slower in all targets that run it, unless that depends on its data. Ten
// targets with a hundred samples each are as much evidence as one with a thousand. So each function
// that is long enough in several targets has one more test: of the mean of its effects, weighted by
// the inverse of their variances (the fixed-effect model of meta-analysis; Cochran, "The
// combination of estimates from different experiments", 1954).
//
//   w = 1 / se²     effect = Σ w·effect / Σ w     se² = 1 / Σ w + variance between builds
//
// The targets' own tests stay. A function that is slower in one target only is detected there.
#include "reporter/times/pooled_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "reporter/times/effect_error.h"
#include "reporter/times/time_model.h"

namespace gprofhub::reporter {
namespace {

// Maximum distance, in standard errors, of a member's effect from that of its pool.
constexpr double kErrorsOfAgreement = 2;

TimeTest Pool(const std::vector<FunctionTime*>& members) {
  TimeTest pool = members.front()->test;
  double weights = 0, effects = 0, of_builds = 0;
  // A function that varies much in one target is assumed to do so in others.
  std::array<EffectError::Part, EffectError::kParts> parts;
  for (const FunctionTime* member : members) {
    const TimeTest& test = member->test;
    const double weight = 1 / std::max(test.error.Variance(), 1e-12);
    weights += weight;
    effects += weight * test.effect;
    of_builds += weight * weight * test.build_variance;
    for (size_t k = 0; k < parts.size(); ++k) {
      const EffectError::Part& part = test.error.parts()[k];
      parts[k].weight += part.weight / static_cast<double>(members.size());
      parts[k].variance += weight * weight * part.variance;
    }
    pool.minimum = std::min(pool.minimum, test.minimum);
    if (test.evidence == TimeEvidence::kChanged) pool.evidence = TimeEvidence::kChanged;
  }
  pool.effect = effects / weights;
  pool.build_variance = of_builds / (weights * weights);
  for (EffectError::Part& part : parts) part.variance /= weights * weights;
  pool.error = EffectError(parts);
  SetP(pool);
  return pool;
}

}  // namespace

std::vector<PooledTime> PoolTimes(const std::vector<FunctionTime*>& times) {
  absl::flat_hash_map<absl::string_view, size_t> numbers;  // by name: index of its list
  std::vector<std::vector<FunctionTime*>> of_names;
  for (FunctionTime* time : times) {
    if (!time->test.matters || time->name.empty()) continue;
    const auto [known, is_new] = numbers.try_emplace(time->name, of_names.size());
    if (is_new) of_names.emplace_back();
    of_names[known->second].push_back(time);
  }
  std::vector<PooledTime> pools;
  for (std::vector<FunctionTime*>& members : of_names) {
    if (members.size() < 2) continue;
    TimeTest test = Pool(members);
    pools.push_back({test, std::move(members)});
  }
  return pools;
}

void TellMembers(const PooledTime& pool) {
  if (!pool.test.changed) return;
  for (FunctionTime* member : pool.members) {
    TimeTest& test = member->test;
    const double distance = std::fabs(test.effect - pool.test.effect);
    const bool agrees =
        test.effect * pool.test.effect > 0 && distance <= kErrorsOfAgreement * StandardError(test);
    if (test.changed || !agrees) continue;
    test.effect = pool.test.effect;
    test.error = pool.test.error;
    test.build_variance = pool.test.build_variance;
    test.p = pool.test.p;
    test.changed = true;
    member->pooled_targets = static_cast<uint32_t>(pool.members.size());
  }
}

}  // namespace gprofhub::reporter
