// Functions whose calls the compiler inlines at one side and not at the other.
#pragma once

#include <cstdint>
#include <vector>

#include "reporter/shifts/known_shifts.h"

namespace gprofhub::reporter {

// The callers of a function that one side alone has, if they all inline it at the other side;
// empty: one does not, or it is not known.
std::vector<uint32_t> InlinedIntoCallers(const KnownShifts& known, uint32_t function);

// Notes the functions of both sides whose calls changed only because they were inlined, or no
// longer are.
void NotePartlyInlined(KnownShifts& known);

}  // namespace gprofhub::reporter
