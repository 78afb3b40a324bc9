// Old bytes outside of the database, and years of history. New steps come at the end of this file.
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/sql/schema/steps.h"

namespace gprofhub::store {
namespace {

// Archived blobs (store/archive/).
constexpr absl::string_view kMake27 = R"sql(
CREATE TABLE segment (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  object TEXT NOT NULL UNIQUE,   -- its key in the archive
  size INTEGER NOT NULL,         -- of the object, in bytes
  blob_bytes INTEGER NOT NULL,   -- of all blobs that it was filled with
  filled_us INTEGER NOT NULL,
  unused_since_us INTEGER NOT NULL DEFAULT 0  -- 0: some of its blobs are needed, or were lately
) STRICT;
CREATE INDEX segment_unused ON segment (unused_since_us, id) WHERE unused_since_us <> 0;
CREATE TABLE archived_blob (
  name TEXT PRIMARY KEY REFERENCES blob (name) ON DELETE CASCADE,
  segment_id INTEGER NOT NULL REFERENCES segment (id),
  first_byte INTEGER NOT NULL,
  length INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- How much of a segment is needed is read here alone.
CREATE INDEX archived_blob_by_segment ON archived_blob (segment_id, length);
)sql";

// What was archived is lost: send it again.
constexpr absl::string_view kUndo27 = R"sql(
DROP TABLE archived_blob;
DROP TABLE segment;
DELETE FROM property WHERE name IN ('archive', 'archive_takeover_pending', 'archived_target');
)sql";

// Summaries of days (store/rows/summaries.h).
constexpr absl::string_view kMake28 = R"sql(
-- Four weeks of a branch (store/records/summaries.h).
CREATE TABLE summary_span (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  branch TEXT NOT NULL,
  configuration TEXT NOT NULL,
  span INTEGER NOT NULL,
  is_made INTEGER NOT NULL,      -- 0: it is being made
  UNIQUE (project, branch, configuration, span)
) STRICT;
CREATE TABLE summary_target (
  span_id INTEGER NOT NULL REFERENCES summary_span (id) ON DELETE CASCADE,
  label TEXT NOT NULL,           -- empty: all targets together
  number INTEGER NOT NULL,       -- counts the span's
  days BLOB NOT NULL,            -- profile/days/summaries.h
  PRIMARY KEY (span_id, label)
) STRICT, WITHOUT ROWID;
CREATE TABLE summary_points (
  span_id INTEGER NOT NULL REFERENCES summary_span (id) ON DELETE CASCADE,
  function_hash INTEGER NOT NULL,
  target INTEGER NOT NULL,       -- its number
  payload BLOB NOT NULL,
  PRIMARY KEY (span_id, function_hash, target)
) STRICT, WITHOUT ROWID;
)sql";

constexpr absl::string_view kMake28Postgres = R"sql(
ALTER TABLE summary_target ALTER COLUMN days SET STORAGE EXTERNAL;
ALTER TABLE summary_points ALTER COLUMN payload SET STORAGE EXTERNAL;
)sql";

constexpr absl::string_view kUndo28 = R"sql(
DROP TABLE summary_points;
DROP TABLE summary_target;
DROP TABLE summary_span;
)sql";

constexpr SchemaStep kSteps[] = {
    // An older program cannot read archived blobs.
    {.version = 27, .make = {kMake27}, .undo = {kUndo27}},
    // An older program would leave summaries of runs that it changes.
    {.version = 28, .make = {kMake28, "", kMake28Postgres}, .undo = {kUndo28}},
};

}  // namespace

absl::Span<const SchemaStep> StepsFrom27() { return kSteps; }

}  // namespace gprofhub::store
