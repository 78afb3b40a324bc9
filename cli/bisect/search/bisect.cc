#include "cli/bisect/search/bisect.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
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
    absl::StatusOr<Measurement> measured = measure_(line_[index], runs);
    if (!measured.ok()) return measured.status();
    if (!measured->skipped.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the ", which, ", ", line_[index].substr(0, 12),
          ", cannot be measured: ", measured->skipped, ". Name a range whose ends both can be"));
    }
    measurements_[index] = *measured;
    return measured->counts;
  }

  absl::Status MeasureEnds() {
    const size_t head = line_.size() - 1;
    uint32_t runs = std::min(kFirstRuns, options_.repeat);
    for (;;) {
      const absl::StatusOr<std::vector<double>> before = MeasureEnd(0, "base", runs);
      if (!before.ok()) return before.status();
      const absl::StatusOr<std::vector<double>> after = MeasureEnd(head, "head", runs);
      if (!after.ok()) return after.status();
      varies_ = Varies(*before) || Varies(*after);
      if (varies_ && runs < options_.repeat) {
        runs = options_.repeat;
        continue;
      }
      absl::StatusOr<Levels> levels = LevelsOf(*before, *after);
      if (!levels.ok()) return levels.status();
      levels_ = *levels;
      has_levels_ = true;
      tested_.front() = Tested::kOld;
      tested_.back() = Tested::kNew;
      return absl::OkStatus();
    }
  }

  absl::Status Test(size_t index) {
    absl::StatusOr<Measurement> measured = measure_(line_[index], varies_ ? options_.repeat : 1);
    if (!measured.ok()) return measured.status();
    tested_[index] = Tested::kSkipped;
    if (measured->skipped.empty()) {
      const absl::StatusOr<Level> level = LevelOf(levels_, measured->counts);
      if (level.ok()) {
        tested_[index] = *level == Level::kOld ? Tested::kOld : Tested::kNew;
      } else {
        measured->skipped = std::string(level.status().message());
      }
    }
    measurements_[index] = *std::move(measured);
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
