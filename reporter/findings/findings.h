// Predicates and constants for findings (proto/findings.proto).
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Sort key of findings: the share of the target's CPU, or, without samples, of its calls.
double RankingShare(const v1::Finding& finding);

// Whether the finding is about an arc on which a change of its callee's calls began.
bool IsOrigin(const v1::Finding& finding);

// Whether its counts are allocated bytes, not calls (runtime/allocations).
bool CountsAllocatedBytes(const v1::Finding& finding);

// Whether its counts are bytes in use at the peak (runtime/memory).
bool CountsPeakBytes(const v1::Finding& finding);

// Whether its counts are bytes of either kind.
bool CountsBytes(const v1::Finding& finding);

// Whether its values are instructions, sampled in place of time or in addition to it.
bool CountsInstructions(const v1::Finding& finding);

// Default share of a target's CPU from which a change is material.
inline constexpr double kLeastCpuShare = 0.005;
// Share of the bytes that a target allocates, or of its waiting calls, from which a change is
// material.
inline constexpr double kLeastOtherShare = 0.05;

// Whether the change is material for bytes or waiting, even if no sample shows it.
bool CostsOtherThanCpu(const v1::Finding& finding);

// Whether the verdict is a change: more, less, new or gone.
bool Changed(const v1::Finding& finding);

// Converts the names in the finding to UTF-8 (ToUtf8): symbols and debug information may contain
// arbitrary bytes, and a string field with invalid UTF-8 cannot be parsed by the receiver. Called
// for every finding when it is complete.
void MakeNamesText(v1::Finding& finding);

}  // namespace gprofhub::reporter
