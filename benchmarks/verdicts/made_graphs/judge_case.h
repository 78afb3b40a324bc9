// One case: a program, a change that is planted in it, and what the comparison says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "benchmarks/verdicts/made_graphs/make_program.h"
#include "benchmarks/verdicts/made_graphs/plant.h"
#include "proto/findings.pb.h"

namespace gprofhub::benchmarks {

struct Case {
  uint64_t seed = 0;
  Family family = Family::kLayers;
  Plant plant = Plant::kCallDoubled;

  // Whether functions' sizes are known to the comparison.
  bool with_sizes() const { return seed % 4 < 2; }
};

// What is true of the case, and what is said.
struct Judged {
  bool first = false;      // the first finding is about a call from the edited function
  bool line = false;       // ... made at a line that the edit concerns
  bool first_row = false;  // the first row of the comment is
  size_t followers = 0;    // rows of functions that changed for it
  size_t folded = 0;       // ... that are not causes of their own
  size_t causes = 0;       // rows that are causes
};

// Both sides of a case, as the collector would have them: two runs each, of every test.
struct MadeCase {
  Planted planted;
  v1::Report report;
};

// Makes and compares it. Nothing where the program has no place for the change, or the change
// costs less than 1%: not every seed has a case.
std::optional<MadeCase> CompareCase(const Case& made);

Judged Judge(const MadeCase& made);

}  // namespace gprofhub::benchmarks
