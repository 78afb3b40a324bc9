// Whether what a function hands on is still done, and not done twice.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "reporter/shifts/known_shifts.h"

namespace gprofhub::reporter {

// Whether nothing that it called (or calls) is called more often, or less, in all; or not by it and
// its callers together, for each call of these.
bool WorkIsConserved(const KnownShifts& known, uint32_t function);

// The first of these alone. Of an `excused` callee it is known why its calls changed.
bool WorkIsConservedInAll(const KnownShifts& known, uint32_t function,
                          absl::FunctionRef<bool(uint32_t callee)> excused);

}  // namespace gprofhub::reporter
