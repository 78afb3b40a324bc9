// Out of which functions a function came that one side alone has, as calls and sizes tell.
#pragma once

#include <cstdint>
#include <vector>

#include "reporter/shifts/known_shifts.h"

namespace gprofhub::reporter {

// The functions of the other side that `function` and they became, or came, of: called as often, by
// a common caller. One that was inlined into the other came out of it.
std::vector<uint32_t> Counterparts(const KnownShifts& known, uint32_t function);

// Of a function that the head alone has.
struct Givers {
  // Functions that are gone, or that all that it does came from.
  std::vector<uint32_t> whole;
  // Callers, or functions called beside it, that it was taken out of.
  std::vector<uint32_t> parts;
};

// The first of these that there are:
// - what called less often what it calls: its callers, and functions that vanished;
// - callers that shrank, if all together lost about as much code as it has;
// - functions called beside it that may end in calls of it, and shrank by as much;
// - the function of its file that shrank by a quarter or more, and was as large as it is.
Givers GiversOf(const KnownShifts& known, uint32_t function);

}  // namespace gprofhub::reporter
