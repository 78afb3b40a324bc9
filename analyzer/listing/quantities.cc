#include "analyzer/listing/quantities.h"

#include "absl/strings/str_cat.h"
#include "profile/names/quantities.h"

namespace gprofhub::analyzer {

absl::string_view QuantityUnit(absl::string_view linkage_name) {
  if (!profile::IsQuantity(linkage_name)) return "";
  return profile::UnitName(profile::UnitOfCalls(linkage_name));
}

std::string QuantityNotes(const ListingInput& input) {
  std::string notes;
  for (uint32_t row = 0; row < input.graph.function_count(); ++row) {
    if (input.graph.nodes[row].calls == 0) continue;
    const absl::string_view name = input.rows.LinkageName(row);
    const absl::string_view unit = QuantityUnit(name);
    if (!unit.empty()) absl::StrAppend(&notes, "The calls of ", name, " are ", unit, ".\n");
  }
  return notes;
}

}  // namespace gprofhub::analyzer
