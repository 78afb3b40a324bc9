// What a content of known form says, written as what is different from another one's, number by
// number.
//
// Bytes do not tell how little changed. When one function of a program grows, all addresses behind
// it move, and no record with an address is what it was; samples fall elsewhere each time, and a
// histogram is mostly zeros in between. So both contents are taken apart into tables
// (content_tables.h), rows of the same thing are put side by side (row_alignment.h), and each
// number is written as what it is more than foretold (column_coder.h), in as many bits as that is
// improbable (range_coder.h). What is in no table is compared as bytes (content_delta.h).
//
// What is packed has the layouts of both contents in it: to read it, nobody need know a format.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/table_layout.h"

namespace gprofhub::store {

// nullopt if a layout is none of its content, or if what was packed does not give the content
// again to the byte, which is tried. Deterministic for a version of zstd.
std::optional<std::string> PackTables(absl::string_view content, const base::TableLayout& layout,
                                      absl::string_view base, const base::TableLayout& base_layout);

// The other way. DATA_LOSS if `packed` is not of PackTables, or was packed against another base: a
// checksum of the content has 32 bits. Takes memory for kLargestTables numbers at most.
absl::StatusOr<std::string> UnpackTables(absl::string_view packed, absl::string_view base);

}  // namespace gprofhub::store
