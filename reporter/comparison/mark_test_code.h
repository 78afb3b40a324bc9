// Marks findings that a test's own code is to blame for.
#pragma once

#include "absl/types/span.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Sets Finding.in_test of all findings of one target. For the calls of a function as a whole, the
// arcs decide on which the change began: a library function that only a test calls more often did
// not change.
void MarkTestCode(absl::Span<v1::Finding> findings);

}  // namespace gprofhub::reporter
