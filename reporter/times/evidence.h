// Evidence from a program's code and calls that a function's cost may have changed.
#pragma once

#include <cstdint>

#include "reporter/counts/code_evidence.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// Whether the function is known to do the same on both sides, so that it measures machine speed. A
// function that does more takes longer on any machine.
bool TellsOfTheMachine(const MatchedTarget& target, const FunctionPair& function);

// For self time, or self instructions, of the function with this index. A function that calls
// changed code, or is called by it, may behave differently with the same code.
TimeEvidence EvidenceOf(const MatchedTarget& target, const CodeEvidence& code, uint32_t index);

}  // namespace gprofhub::reporter
