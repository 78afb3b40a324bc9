// Which releases a level can begin at, if it ends at a later one.
//
// The best cuts of a series are found by dynamic programming: for each end, all begins of the last
// level are tried. That takes time with the square of the length. Most begins cannot win any more.
// Let f_i(r) be the cost of the best cuts before i, plus that of one level of rate r from i to the
// present. Each new release adds the same to all of them. So the difference of two never changes,
// and where f_j(r) is less than f_i(r) once, it stays so. A begin is dropped when for each rate
// another one costs less: functional pruning (R. Maidstone, T. Hocking, G. Rigaill, P. Fearnhead,
// "On optimal multiple changepoint algorithms for large data", 2017). The result is that of trying
// all begins. About a dozen of them stay, whether the series changes or not.
//
// Two intervals of rates are kept for a begin, in which it may be the best. They are never smaller
// than they are in truth: roots are approached from outside.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace gprofhub::reporter {

class LevelStarts {
 public:
  // A begin: what lies before it, and what the best cuts of that cost. Costs are those of the
  // quasi-Poisson deviance, 2 / dispersion × (exposure × rate − samples × log(rate)).
  struct Start {
    size_t begin = 0;
    double exposure = 0;  // of all releases before
    double samples = 0;
    double cost = 0;
  };

  // Adds a begin behind the others, with more exposure before it, and drops those that cannot win
  // any more.
  void Add(const Start& start, double dispersion);

  // In order.
  const std::vector<size_t>& begins() const { return begins_; }

 private:
  using Interval = std::pair<double, double>;
  struct Candidate {
    Start start;
    Interval rates[2];  // empty where first > second
  };

  std::vector<Candidate> candidates_;
  std::vector<size_t> begins_;
};

}  // namespace gprofhub::reporter
