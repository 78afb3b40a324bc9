// The headline of a report, and a summary of its other findings.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/findings/function_rows.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

// One sentence without names, net change first: "−23% CPU: 1 improvement (−20%), 1 regression
// (+1.8%)" of one test, "2 tests slower (largest +16%), 1 test faster (−5.0%): 3 regressions
// (largest +12%)" of several. A cause with its side effects is one regression or improvement. The
// end adds that tests were not compared, or built without optimisation (by the configuration's
// name).
std::string Headline(const v1::Report& report);

// Counts of the rows that are not shown, by kind: "2 further regressions, 4 small changes, 37
// inconclusive times". Empty without such rows.
std::string OtherRows(const std::vector<const FunctionRow*>& rows);

// Notes: short lines below the headline that a reader must know in addition to the changes. NotesOf
// collects all of them; all renderers show the same.

// At most `most` lines (at least one), most important first; the last one counts the omitted ones.
// `quote` escapes text. A line takes at most about two lines of a screen; longer notes lose their
// last clauses.
std::vector<std::string> NotesOf(const v1::Report& report, const Quote& quote, size_t most);

}  // namespace gprofhub::reporter
