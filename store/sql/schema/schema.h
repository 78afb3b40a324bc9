// The tables: one list of steps, in the words of each engine.
#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "store/sql/migrations.h"

namespace gprofhub::store {

enum class SchemaWords { kSqlite, kPostgres };

// The steps from an empty database to the newest version.
absl::Span<const Migration> Schema(SchemaWords words);

// Statements that lead from the newest version back to `version` (0: nothing is left). What the
// database keeps beside the schema, its version, is the caller's. For tests.
std::string UndoSchemaTo(int64_t version, SchemaWords words);

}  // namespace gprofhub::store
