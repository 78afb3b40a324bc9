// --file-info: the number of records in a profile.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "analyzer/exports/input.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// Whether a file with this content is of the GNU format; the older ones have no
// magic number.
bool IsGnuGmon(absl::string_view content);

// The records of the profile `content`, which was read from `path` as `profile`, with `arcs` arcs,
// of the image of `symbols`.
analyzer::ProfileRecords CountRecords(absl::string_view content, absl::string_view path,
                                      const profile::SymbolTable& symbols,
                                      const profile::RawProfile& profile, size_t arcs);

// GNU gprof's text about them.
std::string Describe(const analyzer::ProfileRecords& records);

}  // namespace gprofhub::cli
