// Integrity constraints of the store, as queries.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::store {

struct ReferenceCheck {
  absl::string_view kind;
  bool is_damage;
  // Gives one column, a text that names the row, for each row that lacks something. $1 rows at
  // most.
  absl::string_view query;
  absl::string_view advice;
};

absl::Span<const ReferenceCheck> ReferenceChecks();

}  // namespace gprofhub::store
