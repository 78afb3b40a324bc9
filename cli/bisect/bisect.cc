#include "cli/bisect/bisect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/median.h"
#include "base/status_macros.h"

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
    return absl::FailedPreconditionError(
        absl::StrCat("the count varies from run to run, between the old and the new level: ",
                     RangeWords(counts)));
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
        " at both ends of the range, so there is no change to search for; build the test with the "
        "options with which the change was measured (--config, --bazel-option)"));
  }
  const absl::StatusOr<Level> at_base = LevelOf(levels, before);
  const absl::StatusOr<Level> at_head = LevelOf(levels, after);
  if (at_base.ok() && at_head.ok() && *at_base == Level::kOld && *at_head == Level::kNew) {
    return levels;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the count varies from run to run: ", RangeWords(before), " at the base, ", RangeWords(after),
      " at the head; the two cannot be distinguished, so no commit in between can be classified; "
      "try a caller or a callee of the function, whose count may be stable"));
}

// The search halves the range that contains the change: of n commits about log2(n) are tested.
//
// Skipped commits cut the range into stretches of untested commits. The middle of the longest is
// taken, because it leaves the fewest commits in the worst case, and is as far as possible from the
// skipped ones. Without skipped commits there is one stretch, and this is bisection. In the end
// only skipped commits may be left: then the answer is a range.

Narrowed Narrow(const std::vector<Tested>& line) {
  Narrowed range = {0, line.size() - 1};
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == Tested::kOld) range.last_old = i;
    if (line[i] != Tested::kNew) continue;
    range.first_new = i;
    break;
  }
  return range;
}

std::optional<size_t> NextToTest(const std::vector<Tested>& line) {
  const Narrowed range = Narrow(line);
  size_t best_begin = 0;
  size_t best_size = 0;
  size_t size = 0;
  for (size_t i = range.last_old + 1; i < range.first_new; ++i) {
    size = line[i] == Tested::kNot ? size + 1 : 0;
    if (size <= best_size) continue;
    best_size = size;
    best_begin = i + 1 - size;
  }
  if (best_size == 0) return std::nullopt;
  return best_begin + best_size / 2;
}

namespace {

// Enough to see most counts that vary.
constexpr uint32_t kFirstRuns = 2;

class Search {
 public:
  Search(const std::vector<std::string>& line, const Measure& measure, const BisectOptions& options)
      : line_(line), measure_(measure), options_(options), tested_(line.size(), Tested::kNot) {}

  absl::StatusOr<Bisection> Run() {
    absl::Status status = MeasureEnds();
    while (status.ok()) {
      const std::optional<size_t> next = NextToTest(tested_);
      if (!next.has_value()) return Result(/*finished=*/true);
      status = Test(*next);
    }
    // A partial result needs measurements of both ends.
    if (absl::IsResourceExhausted(status) && has_levels_) return Result(/*finished=*/false);
    return status;
  }

 private:
  absl::StatusOr<std::vector<double>> MeasureEnd(size_t index, absl::string_view which,
                                                 uint32_t runs) {
    ASSIGN_OR_RETURN(Measurement measured, measure_(line_[index], runs));
    if (!measured.skipped.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the ", which, ", ", line_[index].substr(0, 12), ", cannot be measured: ",
          measured.skipped, "; choose a range whose base and head can both be measured"));
    }
    measurements_[index] = measured;
    return measured.counts;
  }

  absl::Status MeasureEnds() {
    const size_t head = line_.size() - 1;
    uint32_t runs = std::min(kFirstRuns, options_.repeat);
    for (;;) {
      ASSIGN_OR_RETURN(const std::vector<double> before, MeasureEnd(0, "base", runs));
      ASSIGN_OR_RETURN(const std::vector<double> after, MeasureEnd(head, "head", runs));
      varies_ = Varies(before) || Varies(after);
      if (varies_ && runs < options_.repeat) {
        runs = options_.repeat;
        continue;
      }
      ASSIGN_OR_RETURN(Levels levels, LevelsOf(before, after));
      levels_ = levels;
      has_levels_ = true;
      tested_.front() = Tested::kOld;
      tested_.back() = Tested::kNew;
      return absl::OkStatus();
    }
  }

  absl::Status Test(size_t index) {
    ASSIGN_OR_RETURN(Measurement measured, measure_(line_[index], varies_ ? options_.repeat : 1));
    tested_[index] = Tested::kSkipped;
    if (measured.skipped.empty()) {
      const absl::StatusOr<Level> level = LevelOf(levels_, measured.counts);
      if (level.ok()) {
        tested_[index] = *level == Level::kOld ? Tested::kOld : Tested::kNew;
      } else {
        measured.skipped = std::string(level.status().message());
      }
    }
    measurements_[index] = std::move(measured);
    return absl::OkStatus();
  }

  Bisection Result(bool finished) {
    Bisection result;
    result.levels = levels_;
    result.varies = varies_;
    for (auto& [index, measurement] : measurements_) {
      result.tested.push_back({index, tested_[index], std::move(measurement)});
    }
    result.range = Narrow(tested_);
    result.finished = finished;
    return result;
  }

  const std::vector<std::string>& line_;
  const Measure& measure_;
  const BisectOptions& options_;
  std::vector<Tested> tested_;
  std::map<size_t, Measurement> measurements_;
  Levels levels_;
  bool has_levels_ = false;
  bool varies_ = false;
};

}  // namespace

absl::StatusOr<Bisection> Bisect(const std::vector<std::string>& line, const Measure& measure,
                                 const BisectOptions& options) {
  return Search(line, measure, options).Run();
}

}  // namespace gprofhub::cli
