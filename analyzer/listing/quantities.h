// Quantities among the functions of a listing (profile/names/quantities.h).
#pragma once

#include <string>

#include "analyzer/listing/input.h"

namespace gprofhub::analyzer {

// A line for each quantity that was counted: "The calls of gprofhub_allocated_bytes are bytes.\n".
std::string QuantityNotes(const ListingInput& input);

// The unit of a quantity's calls (profile::UnitName); empty for a function.
absl::string_view QuantityUnit(absl::string_view linkage_name);

}  // namespace gprofhub::analyzer
