// How much of the tests a report is about. What was not compared may have changed: whoever says
// "the same" says this, too.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// "2 of 5 tests were not compared"; empty: all were.
std::string NotComparedWords(size_t not_compared, size_t tests);

// The same of a report's tests.
std::string NotComparedWords(const v1::Compared& compared);

// Why not a single test of a report was compared, as a clause; empty: one was.
std::string NothingComparedWords(const v1::Compared& compared);

// The targets that were not compared, by reason, in the order of the first of each.
std::vector<std::pair<std::string, std::vector<std::string>>> NotComparedByReason(
    const v1::Compared& compared);

}  // namespace gprofhub::reporter
