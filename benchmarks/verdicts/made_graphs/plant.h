// Changes a program as an edit of one place of its source would.
#pragma once

#include <optional>

#include "benchmarks/verdicts/made_graphs/program.h"
#include "benchmarks/verdicts/made_graphs/random.h"

namespace gprofhub::benchmarks {

enum class Plant {
  kCallDoubled,
  kMovedIntoLoop,
  kLookupSkipped,
  kExitRemoved,
  kNewCallee,
  kLongerLoop,
  kSeveralSites,  // what is in a loop or under a condition is done twice
  kMoreInput,     // a test does more
  kContainer,     // a function that does more is called instead
  kNarrowed,      // the condition of a shortcut holds more seldom
};
inline constexpr Plant kPlants[] = {
    Plant::kCallDoubled, Plant::kMovedIntoLoop, Plant::kLookupSkipped, Plant::kExitRemoved,
    Plant::kNewCallee,   Plant::kLongerLoop,    Plant::kSeveralSites,  Plant::kMoreInput,
    Plant::kContainer,   Plant::kNarrowed};

const char* NameOf(Plant plant);

struct Planted {
  Program program;
  uint32_t function = 0;  // the edited one, in both programs
};

// Edits a place that is drawn. Nothing if the program has no place for it. The calls that are made
// more often because of it alone are marked (Step::edited). The edited function's code mostly has
// another size afterwards, and now and then another one's.
std::optional<Planted> PlantChange(const Program& program, Plant plant, Random& random);

}  // namespace gprofhub::benchmarks
