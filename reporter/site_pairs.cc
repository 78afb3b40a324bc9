// Call sites have no names, and their lines shift with every edit above them. But
// edits keep them in order, and most sites are executed as often as before. So the
// two sequences are aligned as texts are: the pairing in order that agrees best,
// where a pair of equal counts is worth most, one at the same line next, and any
// pair more than none. With equally many sites on both sides each is paired with
// its counterpart.
#include "reporter/site_pairs.h"

#include <algorithm>

namespace gprofhub {
namespace {

// The alignment's table has this many cells at most; beyond, lines decide alone.
constexpr size_t kMostCells = 1'000'000;

class Aligner {
 public:
  Aligner(const std::vector<SitePlace>& before, uint64_t repetitions_before,
          const std::vector<SitePlace>& after, uint64_t repetitions_after)
      : before_(before),
        after_(after),
        repetitions_before_(repetitions_before),
        repetitions_after_(repetitions_after),
        width_(after.size() + 1),
        best_((before.size() + 1) * width_, 0) {}

  std::vector<SitePair> Run() {
    for (size_t i = before_.size(); i-- > 0;) {
      for (size_t j = after_.size(); j-- > 0;) {
        At(i, j) = std::max({At(i + 1, j), At(i, j + 1), At(i + 1, j + 1) + Worth(i, j)});
      }
    }
    std::vector<SitePair> pairs;
    size_t i = 0, j = 0;
    while (i < before_.size() || j < after_.size()) {
      const bool both = i < before_.size() && j < after_.size();
      if (both && At(i, j) == At(i + 1, j + 1) + Worth(i, j)) {
        const SitePlace& was = before_[i++];
        const SitePlace& is = after_[j++];
        pairs.push_back({std::string(is.file), was.line, is.line, was.count, is.count});
      } else if (i < before_.size() && (j == after_.size() || At(i, j) == At(i + 1, j))) {
        const SitePlace& was = before_[i++];
        pairs.push_back({std::string(was.file), was.line, 0, was.count, 0});
      } else {
        const SitePlace& is = after_[j++];
        pairs.push_back({std::string(is.file), 0, is.line, 0, is.count});
      }
    }
    return pairs;
  }

 private:
  int& At(size_t i, size_t j) { return best_[i * width_ + j]; }

  int Worth(size_t i, size_t j) const {
    const SitePlace& was = before_[i];
    const SitePlace& is = after_[j];
    const bool same_count = SameRatio(was.count, repetitions_before_, is.count, repetitions_after_);
    const bool same_line = was.line != 0 && was.line == is.line && was.file == is.file;
    return 1 + 4 * same_count + 2 * same_line;
  }

  const std::vector<SitePlace>& before_;
  const std::vector<SitePlace>& after_;
  const uint64_t repetitions_before_;
  const uint64_t repetitions_after_;
  const size_t width_;
  std::vector<int> best_;
};

std::vector<SitePair> PairByLine(const std::vector<SitePlace>& before,
                                 const std::vector<SitePlace>& after) {
  std::vector<SitePair> pairs;
  for (const SitePlace& place : before) {
    pairs.push_back({std::string(place.file), place.line, 0, place.count, 0});
  }
  for (const SitePlace& place : after) {
    const auto same = std::find_if(pairs.begin(), pairs.end(), [&](const SitePair& pair) {
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

std::vector<SitePair> PairSites(const std::vector<SitePlace>& before, uint64_t repetitions_before,
                                const std::vector<SitePlace>& after, uint64_t repetitions_after) {
  if ((before.size() + 1) * (after.size() + 1) > kMostCells) return PairByLine(before, after);
  return Aligner(before, repetitions_before, after, repetitions_after).Run();
}

}  // namespace gprofhub
