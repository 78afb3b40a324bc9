// Samples of a synthetic program in head and base of a comparison. One function is known to differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reporter/comparison/measure_times.h"

namespace gprofhub::benchmarks {

// Information of digests on the functions' code.
enum class Code {
  kUnknown,
  kChanged,  // of three functions
  kSame,     // of all
};

// How a comparison is made.
struct Design {
  double rate = 4000;  // samples per second
  size_t base_runs = 5;
  size_t head_runs = 5;
  size_t targets = 1;  // tests that run the edited function
  Code code = Code::kChanged;
};

// A comparison. The edited function is the first of each target.
struct MadeTimes {
  std::vector<reporter::TargetTimes> targets;
  // Samples of the edited function in a run of the base, on average over the targets.
  double samples = 0;
  // Standard error of the edited function's effect, as a logarithm, for a test that knows how much
  // its time varies between runs and builds.
  double least_error = 0;
  std::vector<std::string> names;  // that FunctionTime::name points to
};

// The edited function takes `effect` more time than before (0.2: 20%); 0: the head is just another
// build without changes. The same seed makes the same programs for every design.
void MakeTimes(uint64_t seed, double effect, const Design& design, MadeTimes& made);

}  // namespace gprofhub::benchmarks
