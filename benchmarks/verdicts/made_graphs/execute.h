// Runs a model: how often each call of it is made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "benchmarks/verdicts/made_graphs/program.h"
#include "benchmarks/verdicts/made_graphs/random.h"
#include "profile/computed.h"

namespace gprofhub::benchmarks {

struct Execution {
  uint32_t test = 0;
  // By (caller, line of the call, callee).
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> arcs;
  // By function.
  std::vector<uint64_t> calls;
  std::vector<double> self;           // cost of its calls in itself
  std::vector<double> with_children;  // ... and with all that they call
  double cost = 0;
};

// Runs one test of the program. Nothing if it makes more than `budget` steps.
std::optional<Execution> Execute(const Program& program, uint32_t test, uint64_t budget);

// gprofhub's profile of it. Functions that were not called are not in it. Samples are drawn:
// `samples_per_cost` are expected.
profile::ComputedProfile ProfileOf(const Program& program, const Execution& execution,
                                   double samples_per_cost, Random& random);

}  // namespace gprofhub::benchmarks
