// The tables in SQLite.
#pragma once

#include "absl/types/span.h"
#include "store/sql/migrations.h"

namespace gprofhub::store::sqlite {

// Steps are only ever added at the end; one that was released never changes.
absl::Span<const Migration> Schema();

}  // namespace gprofhub::store::sqlite
