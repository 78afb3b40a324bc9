// Origins of a function of one side only, by calls and sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "reporter/shifts/known_shifts.h"

namespace gprofhub::reporter {

// Functions of the other side that `function` was made from, or became: called as often, by a
// common caller. A function that was inlined into the other was outlined from it.
std::vector<uint32_t> Counterparts(const KnownShifts& known, uint32_t function);

// Origins of a function that only the head has.
struct Givers {
  // Functions that vanished, or from which all of its work came.
  std::vector<uint32_t> whole;
  // Callers or siblings that it was outlined from.
  std::vector<uint32_t> parts;
};

// The first of these that is not empty:
// - functions that call its callees less often than before: its callers, and vanished functions;
// - callers that shrank, if together they lost about as much code as it has;
// - siblings that may tail-call it, and shrank by as much;
// - the function of its file that shrank by a quarter or more, and was as large as it is.
Givers GiversOf(const KnownShifts& known, uint32_t function);

}  // namespace gprofhub::reporter
