// Notes: short lines below the headline that a reader must know in addition to the changes. NotesOf
// collects all of them; all renderers show the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

// At most `most` lines (at least one), most important first; the last one counts the omitted ones.
// `quote` escapes text. A line has at most about 150 characters.
std::vector<std::string> NotesOf(const v1::Report& report, const Quote& quote, size_t most);

}  // namespace gprofhub::reporter
