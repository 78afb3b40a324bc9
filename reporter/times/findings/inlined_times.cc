#include "reporter/times/findings/inlined_times.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace gprofhub::reporter {
namespace {

// The sum is unchanged if at most this part of the change remains, or at most this number of
// standard errors.
constexpr double kRemaining = 0.5;
constexpr double kErrors = 2;
constexpr size_t kMostNamed = 3;

}  // namespace

InlinedTimes::InlinedTimes(const MatchedTarget& target)
    : target_(target), groups_(target.functions.size()) {
  if (!target.knows_inlined) return;
  for (uint32_t i = 0; i < target.functions.size(); ++i) {
    const FunctionPair& function = target.functions[i];
    if (!function.before.present() || !function.after.present()) continue;
    std::vector<uint32_t> otherwise;
    std::set_symmetric_difference(function.before.inlined.begin(), function.before.inlined.end(),
                                  function.after.inlined.begin(), function.after.inlined.end(),
                                  std::back_inserter(otherwise));
    for (const uint32_t inlined : otherwise) groups_.Join(i, inlined);
  }
}

std::optional<v1::Shift> InlinedTimes::Find(const FunctionTime& time) const {
  const absl::Span<const uint32_t> members = groups_.Members(groups_.GroupOf(time.function));
  if (members.size() < 2) return std::nullopt;
  const double change = TimeAfter(time.test) - TimeBefore(time.test);
  double before = 0, after = 0;  // samples
  std::vector<std::pair<double, uint32_t>> others;
  for (const uint32_t member : members) {
    const FunctionPair& function = target_.functions[member];
    before += function.before.self_samples;
    after += function.after.self_samples;
    const double moved = function.after.self_samples / time.test.after_exposure -
                         function.before.self_samples / time.test.before_exposure;
    if (member != time.function && moved * change < 0)
      others.emplace_back(-std::fabs(moved), member);
  }
  const double error = std::hypot(std::sqrt(before) / time.test.before_exposure,
                                  std::sqrt(after) / time.test.after_exposure);
  const double remains =
      std::fabs(after / time.test.after_exposure - before / time.test.before_exposure);
  if (others.empty() || remains > std::max(kRemaining * std::fabs(change), kErrors * error)) {
    return std::nullopt;
  }
  v1::Shift shift;
  shift.set_kind(v1::Shift::TIME_MOVED);
  std::sort(others.begin(), others.end());
  others.resize(std::min(others.size(), kMostNamed));
  for (const auto& [moved, member] : others)
    shift.add_with(std::string(target_.functions[member].name));
  return shift;
}

}  // namespace gprofhub::reporter
