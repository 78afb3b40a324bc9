// One case: a program, a change that is planted in it, and the comparison's result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "benchmarks/verdicts/made_graphs/make_program.h"
#include "benchmarks/verdicts/made_graphs/plant.h"
#include "benchmarks/verdicts/made_graphs/program.h"
#include "proto/findings.pb.h"

namespace gprofhub::benchmarks {

enum class CodeKnown { kNothing, kSizes, kDigests };

struct Case {
  uint64_t seed = 0;
  Family family = Family::kLayers;
  Plant plant = Plant::kCallDoubled;
  // Whether another function is edited, too, where its change is not the first one's.
  bool twice = false;

  // The comparison's knowledge of functions' code.
  CodeKnown code_known() const { return static_cast<CodeKnown>(seed / 2 % 3); }
};

// Truth of the case, and verdict.
struct Judged {
  bool first = false;      // the first finding is about a call from an edited function
  bool line = false;       // ... made at a line that the edit concerns
  bool first_row = false;  // the first row of the comment is
  bool all = false;        // every edited function has a finding of such a call that is material
  size_t followers = 0;    // rows of functions whose calls changed as side effects
  size_t folded = 0;       // ... that are not causes of their own
  size_t causes = 0;       // rows of calls that are causes
  size_t times = 0;        // rows of times that are
};

// Both sides of a case, as the collector would have them: two runs each, of every test.
struct MadeCase {
  Program program;               // as edited
  std::vector<uint32_t> edited;  // functions
  v1::Report report;
};

// Makes and compares it. Nothing where the program has no place for the change, or the change
// costs less than 1%: not every seed has a case. Of two changes each must cost that.
std::optional<MadeCase> CompareCase(const Case& made);

Judged Judge(const MadeCase& made);

}  // namespace gprofhub::benchmarks
