// How much of the tests a report covers. A test that was not compared may have changed, so every
// text that reports "the same" adds this.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// "2 of 5 tests were not compared"; empty: all were compared.
std::string NotComparedWords(size_t not_compared, size_t tests);

// The same for a report's tests.
std::string NotComparedWords(const v1::Compared& compared);

// Why no test of a report was compared, as a clause; empty: at least one was.
std::string NothingComparedWords(const v1::Compared& compared);

// The targets that were not compared, grouped by reason, in the order of each group's first target.
std::vector<std::pair<std::string, std::vector<std::string>>> NotComparedByReason(
    const v1::Compared& compared);

}  // namespace gprofhub::reporter
