// What a program's code and its calls say of whether a function's cost may have changed.
#pragma once

#include <cstdint>

#include "reporter/counts/code_evidence.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// Whether the function did the same on both sides. What does more takes longer on any machine.
bool TellsOfTheMachine(const MatchedTarget& target, const FunctionPair& function);

// Of own times, or own instructions, of the function with this index. A function that calls changed
// code and one that is called by it may do other things with the same code.
TimeEvidence EvidenceOf(const MatchedTarget& target, const CodeEvidence& code, uint32_t index);

}  // namespace gprofhub::reporter
