// Makes random programs of several kinds.
#pragma once

#include <cstddef>

#include "benchmarks/verdicts/made_graphs/program.h"
#include "benchmarks/verdicts/made_graphs/random.h"

namespace gprofhub::benchmarks {

enum class Family {
  kLayers,      // layers over shared utilities
  kEvents,      // a loop that hands events to handlers, by virtual calls
  kRecursion,   // functions that call each other round: parsers, walks over trees
  kKept,        // caches, lists that grow, a collector that runs now and then
  kPipelines,   // long chains of thin functions
  kInterpreter  // one function that calls many, which call it again; a collector
};
inline constexpr Family kFamilies[] = {Family::kLayers, Family::kEvents,    Family::kRecursion,
                                       Family::kKept,   Family::kPipelines, Family::kInterpreter};

const char* NameOf(Family family);

Program MakeProgram(Family family, Random& random);

}  // namespace gprofhub::benchmarks
