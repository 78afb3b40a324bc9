// The headline of a report, and a summary of its other findings.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

// One sentence without names: "2 changes cost CPU, the largest about 9.1% of a test's; 1 change
// saves about 2.0% of a test's CPU; in all, a test's CPU time grew by 6.8%". A change is a cause
// with its side effects. A test's total time is included if its change is significant. The end says
// that tests were built without optimisation, by the configuration's name.
std::string Headline(const v1::Report& report);

// Counts of the rows that are not shown, by kind: "2 further changes that cost more, 4 small
// changes, cannot tell about the time of 37 functions". Empty without such rows.
std::string OtherRows(const std::vector<const FunctionRow*>& rows);

// Notes: short lines below the headline that a reader must know in addition to the changes. NotesOf
// collects all of them; all renderers show the same.

// At most `most` lines (at least one), most important first; the last one counts the omitted ones.
// `quote` escapes text. A line has at most about 150 characters.
std::vector<std::string> NotesOf(const v1::Report& report, const Quote& quote, size_t most);

}  // namespace gprofhub::reporter
