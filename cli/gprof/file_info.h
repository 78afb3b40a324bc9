// --file-info: what records a profile has.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "analyzer/exports/exports.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub {

// Whether a file with this content is of the GNU format; the older ones have no
// magic number.
bool IsGnuGmon(absl::string_view content);

// The records of the profile `content`, which was read from `path` as `profile` with so
// many arcs, of the image that `symbols` are of.
ProfileRecords CountRecords(absl::string_view content, absl::string_view path,
                            const SymbolTable& symbols, const RawProfile& profile, size_t arcs);

// What GNU gprof prints of them.
std::string Describe(const ProfileRecords& records);

}  // namespace gprofhub
