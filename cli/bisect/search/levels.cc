#include "cli/bisect/search/levels.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/median.h"

namespace gprofhub::cli {
namespace {

double Distance(double a, double b) { return std::abs(std::log1p(a) - std::log1p(b)); }

// "7", or "5 to 9" of counts that vary.
std::string RangeWords(const std::vector<double>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *least == *most ? CountText(*least)
                         : absl::StrCat(CountText(*least), " to ", CountText(*most));
}

}  // namespace

std::string CountText(double count) { return absl::StrFormat("%.15g", count); }

Level NearerLevel(const Levels& levels, double count) {
  if (count == levels.before) return Level::kOld;
  if (count == levels.after) return Level::kNew;
  return Distance(count, levels.before) <= Distance(count, levels.after) ? Level::kOld
                                                                         : Level::kNew;
}

absl::StatusOr<Level> LevelOf(const Levels& levels, const std::vector<double>& counts) {
  const Level level = NearerLevel(levels, counts.front());
  for (const double count : counts) {
    if (NearerLevel(levels, count) == level) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "the count varies from run to run, between both levels: ", RangeWords(counts)));
  }
  return level;
}

bool Varies(const std::vector<double>& counts) {
  return std::any_of(counts.begin(), counts.end(),
                     [&](double count) { return count != counts.front(); });
}

absl::StatusOr<Levels> LevelsOf(const std::vector<double>& before,
                                const std::vector<double>& after) {
  const Levels levels = {base::Median(before), base::Median(after)};
  if (levels.before == levels.after) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the count is ", CountText(levels.before),
        " at both ends of the range, so nothing changed there. Is "
        "the test built here as it was where the change was seen (--config, --bazel-option)?"));
  }
  const absl::StatusOr<Level> at_base = LevelOf(levels, before);
  const absl::StatusOr<Level> at_head = LevelOf(levels, after);
  if (at_base.ok() && at_head.ok() && *at_base == Level::kOld && *at_head == Level::kNew) {
    return levels;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the count varies from run to run: ", RangeWords(before), " at the base, ", RangeWords(after),
      " at the head. These cannot be told apart, and no commit between them "
      "could be judged. A caller or a callee of the function may have a count that repeats"));
}

}  // namespace gprofhub::cli
