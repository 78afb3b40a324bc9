// One step of the schema, for both engines.
//
// SQL is written once, in SQLite's words; PostgreSQL's are made of them (schema.cc). What the two
// cannot say alike stands beside it. Each step says how it is undone: tests make a database of any
// earlier version that way, and find out whether a step leads to the same schema a second time.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/sql/migrations.h"

namespace gprofhub::store {

// Times (…_us) are microseconds since the Unix epoch. Texts compare by byte.
struct SchemaSql {
  absl::string_view both;           // in SQLite's words
  absl::string_view sqlite = "";    // what only SQLite needs, after that
  absl::string_view postgres = "";  // what only PostgreSQL needs, after that; in its own words
};

struct SchemaStep {
  int64_t version;
  SchemaSql make;  // leads from version - 1 to version
  // What SQL cannot do, after that, in the same transaction; null: nothing.
  MigrationWork then = nullptr;
  SchemaSql undo;  // leads back
  // The oldest version whose programs work on a database that has this step; 0: only this one's.
  int64_t works_since = 0;
};

// In order. Steps are only ever added at the end; one that was released never changes.
absl::Span<const SchemaStep> Steps1To8();
absl::Span<const SchemaStep> Steps9To14();
absl::Span<const SchemaStep> Steps15To26();
absl::Span<const SchemaStep> StepsFrom27();

}  // namespace gprofhub::store
