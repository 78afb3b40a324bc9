// What all that make or read findings (proto/findings.proto) have in common.
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// What findings are ranked by: the share of the target's CPU, or, where nothing was
// sampled, of its calls.
double RankingShare(const v1::Finding& finding);

// Whether it is about an arc on which a change of its callee's calls began.
bool IsOrigin(const v1::Finding& finding);

// Whether its numbers are bytes that were allocated, and no calls (runtime/allocations).
bool CountsAllocatedBytes(const v1::Finding& finding);

// Whether they are bytes that were in use when the most was (runtime/memory).
bool CountsPeakBytes(const v1::Finding& finding);

// Whether they are bytes of either kind.
bool CountsBytes(const v1::Finding& finding);

// Whether they are instructions: those that were sampled in the place of time, or beside it.
bool CountsInstructions(const v1::Finding& finding);

// From this share of a target's CPU on a change matters, if nobody asks for another.
inline constexpr double kLeastCpuShare = 0.005;
// From this share of the bytes that a target allocates on, or of its calls that wait, a change
// matters.
inline constexpr double kLeastOtherShare = 0.05;

// Whether the change matters for bytes or for waiting, though no sample may show it.
bool CostsOtherThanCpu(const v1::Finding& finding);

// Whether it says that something changed: more, less, new or gone.
bool Changed(const v1::Finding& finding);

// Makes the names in the finding text (ToUtf8): they come from symbols and debug
// information, which hold any bytes. A message with other bytes in a string field cannot
// be read by who receives it. Every finding passes through here when it is complete.
void MakeNamesText(v1::Finding& finding);

}  // namespace gprofhub::reporter
