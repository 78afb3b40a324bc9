// Call sites have no names, and their lines shift with every edit above them. But edits keep them
// in order, and most sites are executed as often as before. So the two sequences are aligned like
// texts: by the best order-preserving pairing. A pair of equal counts scores most. Any pair scores
// more than none.
//
// Ties are resolved by lines. All lines between two edits shift by the same amount. So a pair costs
// a little if its shift differs from that of the pair before it, and more the more the shifts
// differ. The shift of the first pair is compared with that of the caller's own first line. (If one
// of two adjacent equal calls is new, either may be chosen: the result is equivalent.)
//
// best(i, j) is the score of the best alignment that ends with the pair of i and j. The previous
// pair usually is nearby; then the actual difference of the shifts is used. Across longer gaps the
// difference is assumed to be large, so that one maximum over all earlier pairs suffices. The cost
// is that of filling the table.
#include "reporter/matching/pair_call_sites.h"

#include <algorithm>
#include <cstdlib>

#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

// Maximum number of cells of the alignment's table. Longer sequences are paired by lines alone.
constexpr size_t kMostCells = 1'000'000;
// Distance within which shifts are compared.
constexpr size_t kNearby = 4;

constexpr int64_t kPair = 100;
constexpr int64_t kSameCount = 400;
constexpr int64_t kOtherShift = 10;
constexpr int64_t kMostPerShift = 60;

class Aligner {
 public:
  Aligner(const std::vector<CallSite>& before, uint64_t repetitions_before,
          const std::vector<CallSite>& after, uint64_t repetitions_after, int64_t caller_shift)
      : before_(before),
        after_(after),
        repetitions_before_(repetitions_before),
        repetitions_after_(repetitions_after),
        caller_shift_(caller_shift),
        cells_(before.size() * after.size()) {}

  std::vector<CallSitePair> Run() {
    for (size_t i = 0; i < before_.size(); ++i) {
      for (size_t j = 0; j < after_.size(); ++j) Fill(i, j);
    }
    std::vector<std::pair<size_t, size_t>> paired;
    size_t at = cells_.empty() ? kNone : cells_.back().best_so_far;
    for (; at != kNone; at = cells_[at].previous) {
      paired.emplace_back(at / after_.size(), at % after_.size());
    }
    std::reverse(paired.begin(), paired.end());
    paired.emplace_back(before_.size(), after_.size());
    std::vector<CallSitePair> pairs;
    size_t i = 0, j = 0;
    for (const auto& [was, is] : paired) {
      for (; i < was; ++i) {
        pairs.push_back({std::string(before_[i].file), before_[i].line, 0, before_[i].count, 0});
      }
      for (; j < is; ++j) {
        pairs.push_back({std::string(after_[j].file), 0, after_[j].line, 0, after_[j].count});
      }
      if (i == before_.size() || j == after_.size()) continue;
      pairs.push_back({std::string(after_[j].file), before_[i].line, after_[j].line,
                       before_[i].count, after_[j].count});
      ++i, ++j;
    }
    return pairs;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  struct Cell {
    int64_t worth = 0;           // score of the best alignment that ends with this pair
    size_t previous = kNone;     // the pair before this one
    size_t best_so_far = kNone;  // over all cells up to this row and column
  };

  size_t Index(size_t i, size_t j) const { return i * after_.size() + j; }

  int64_t Shift(size_t i, size_t j) const {
    return static_cast<int64_t>(after_[j].line) - static_cast<int64_t>(before_[i].line);
  }

  static int64_t CostOf(int64_t difference) {
    return difference == 0 ? 0 : std::min(kMostPerShift, kOtherShift + std::abs(difference));
  }

  void Fill(size_t i, size_t j) {
    const bool same_count =
        SameRatio(before_[i].count, repetitions_before_, after_[j].count, repetitions_after_);
    const int64_t shift = Shift(i, j);
    int64_t most = -CostOf(shift - caller_shift_);
    size_t previous = kNone;
    const auto consider = [&](size_t cell, int64_t cost) {
      if (cells_[cell].worth - cost <= most) return;
      most = cells_[cell].worth - cost;
      previous = cell;
    };
    for (size_t a = i - std::min(i, kNearby); a < i; ++a) {
      for (size_t b = j - std::min(j, kNearby); b < j; ++b) {
        consider(Index(a, b), CostOf(shift - Shift(a, b)));
      }
    }
    if (i > 0 && j > 0) consider(cells_[Index(i - 1, j - 1)].best_so_far, kMostPerShift);
    Cell& cell = cells_[Index(i, j)];
    cell.worth = most + kPair + kSameCount * same_count;
    cell.previous = previous;
    cell.best_so_far = Index(i, j);
    if (i > 0) Prefer(cells_[Index(i - 1, j)].best_so_far, cell);
    if (j > 0) Prefer(cells_[Index(i, j - 1)].best_so_far, cell);
  }

  void Prefer(size_t other, Cell& cell) {
    if (cells_[other].worth > cells_[cell.best_so_far].worth) cell.best_so_far = other;
  }

  const std::vector<CallSite>& before_;
  const std::vector<CallSite>& after_;
  const uint64_t repetitions_before_;
  const uint64_t repetitions_after_;
  const int64_t caller_shift_;
  std::vector<Cell> cells_;
};

std::vector<CallSitePair> PairByLine(const std::vector<CallSite>& before,
                                     const std::vector<CallSite>& after) {
  std::vector<CallSitePair> pairs;
  for (const CallSite& place : before) {
    pairs.push_back({std::string(place.file), place.line, 0, place.count, 0});
  }
  for (const CallSite& place : after) {
    const auto same = std::find_if(pairs.begin(), pairs.end(), [&](const CallSitePair& pair) {
      return pair.line_before == place.line && pair.line_after == 0 && pair.file == place.file;
    });
    if (same != pairs.end()) {
      same->line_after = place.line;
      same->after = place.count;
    } else {
      pairs.push_back({std::string(place.file), 0, place.line, 0, place.count});
    }
  }
  return pairs;
}

}  // namespace

std::vector<CallSitePair> PairCallSites(const std::vector<CallSite>& before,
                                        uint64_t repetitions_before,
                                        const std::vector<CallSite>& after,
                                        uint64_t repetitions_after, int64_t caller_shift) {
  if ((before.size() + 1) * (after.size() + 1) > kMostCells) return PairByLine(before, after);
  return Aligner(before, repetitions_before, after, repetitions_after, caller_shift).Run();
}

}  // namespace gprofhub::reporter
