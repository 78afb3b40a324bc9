// Candidate starts of the last level, for any later end.
//
// The optimal segmentation of a series is found by dynamic programming: for each end, all starts of
// the last level are tried, which is quadratic in the length. Most starts can no longer win. Let
// f_i(r) be the cost of the best segmentation before i, plus that of one level of rate r from i to
// the present. Each new release adds the same cost to all of them. So the difference of two is
// constant, and once f_j(r) is less than f_i(r), it stays less. A start is dropped when for each
// rate another one costs less: functional pruning (R. Maidstone, T. Hocking, G. Rigaill, P.
// Fearnhead, "On optimal multiple changepoint algorithms for large data", 2017). The result is the
// same as for all starts. About a dozen of them stay, whether the series changes or not.
//
// For each start two intervals of rates are kept in which it may be optimal. They are conservative:
// roots are approximated from outside.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace gprofhub::reporter {

class LevelStarts {
 public:
  // A start: the prefix sums before it, and the cost of its best segmentation. Costs are those of
  // the quasi-Poisson deviance, 2 / dispersion × (exposure × rate − samples × log(rate)).
  struct Start {
    size_t begin = 0;
    double exposure = 0;  // sum over all releases before
    double samples = 0;
    double cost = 0;
  };

  // Appends a start, with more exposure before it than the others, and drops those that can no
  // longer win.
  void Add(const Start& start, double dispersion);

  // In order.
  const std::vector<size_t>& begins() const { return begins_; }

 private:
  using Interval = std::pair<double, double>;
  struct Candidate {
    Start start;
    Interval rates[2];  // empty if first > second
  };

  std::vector<Candidate> candidates_;
  std::vector<size_t> begins_;
};

}  // namespace gprofhub::reporter
