// What a reader must know beside the changes: short lines that stand right below the headline.
// Each thing that is worth such a line adds it in NotesOf; all renderers show the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

// At most `most` lines (at least one), most important first; the last one counts what did not fit.
// `quote` makes any text safe. A line has at most about 150 characters.
std::vector<std::string> NotesOf(const v1::Report& report, const Quote& quote, size_t most);

}  // namespace gprofhub::reporter
