// Whether a function's outgoing work is still done, and not done twice.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "reporter/shifts/known_shifts.h"

namespace gprofhub::reporter {

// Whether the total calls of each of its callees are unchanged; or otherwise the calls from it and
// its callers together, per call of these.
bool WorkIsConserved(const KnownShifts& known, uint32_t function);

// The first condition alone. The change of an `excused` callee is explained otherwise.
bool WorkIsConservedInAll(const KnownShifts& known, uint32_t function,
                          absl::FunctionRef<bool(uint32_t callee)> excused);

}  // namespace gprofhub::reporter
