// Functions whose calls the compiler inlines on one side but not on the other.
#pragma once

#include <cstdint>
#include <vector>

#include "reporter/shifts/known_shifts.h"

namespace gprofhub::reporter {

// The callers of a function of one side only, if all of them inline it on the other side; empty if
// one does not, or it is unknown.
std::vector<uint32_t> InlinedIntoCallers(const KnownShifts& known, uint32_t function);

// Records the functions of both sides whose calls changed only because of changed inlining.
void NotePartlyInlined(KnownShifts& known);

}  // namespace gprofhub::reporter
