// History at speed. New steps come at the end of this file.
#include "store/sql/schema/steps.h"

namespace gprofhub::store {
namespace {

constexpr absl::string_view kMake15 = R"sql(
-- The points of series, in the order in which they are read (store/rows/points.h). A line is a
-- target on a branch of a project.
CREATE TABLE series_line (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  branch TEXT NOT NULL,
  label TEXT NOT NULL,
  UNIQUE (project, branch, label)
) STRICT;
CREATE TABLE open_points (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  bucket INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  payload BLOB NOT NULL,         -- profile/codec/series.h
  PRIMARY KEY (line_id, bucket, run_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE sealed_points (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  bucket INTEGER NOT NULL,
  seal INTEGER NOT NULL,         -- counts the line's
  first_run_id INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL,
  payload BLOB NOT NULL,         -- profile/codec/series_chunk.h
  PRIMARY KEY (line_id, bucket, seal)
) STRICT, WITHOUT ROWID;
INSERT INTO series_line (project, branch, label)
  SELECT DISTINCT run.project, run.branch, target.label FROM target
    JOIN run ON run.id = target.run_id
    WHERE EXISTS (SELECT 1 FROM segment WHERE segment.target_id = target.id);
INSERT INTO open_points (line_id, bucket, run_id, payload)
  SELECT series_line.id, segment.bucket, target.run_id, segment.payload FROM segment
    JOIN target ON target.id = segment.target_id JOIN run ON run.id = target.run_id
    JOIN series_line ON series_line.project = run.project AND series_line.branch = run.branch
      AND series_line.label = target.label;
DROP TABLE segment;

-- They are most of a run's bytes, and few read them.
CREATE TABLE run_ancestors (
  run_id INTEGER PRIMARY KEY REFERENCES run (id),
  ancestors TEXT NOT NULL        -- JSON [["hash"], …], nearest first
) STRICT;
INSERT INTO run_ancestors (run_id, ancestors)
  SELECT id, ancestors FROM run WHERE ancestors <> '[]';
ALTER TABLE run DROP COLUMN ancestors;

CREATE INDEX run_by_branch ON run (project, branch, ordered_us, id);
CREATE INDEX run_by_pull_request ON run (project, pull_request, ordered_us, id);
)sql";

// A bucket without a point had no segment. Now it has: then a run that was analysed is told from
// one that was not. The segment: version 1, no sample rate, once, no points.
constexpr absl::string_view kMake15Sqlite = R"sql(
WITH RECURSIVE each (bucket) AS (SELECT 0 UNION ALL SELECT bucket + 1 FROM each WHERE bucket < 15)
  INSERT INTO open_points (line_id, bucket, run_id, payload)
  SELECT line_id, each.bucket, run_id, x'0100000000000000000100'
    FROM (SELECT DISTINCT line_id, run_id FROM open_points) CROSS JOIN each WHERE true
  ON CONFLICT (line_id, bucket, run_id) DO NOTHING;
)sql";

constexpr absl::string_view kMake15Postgres = R"sql(
INSERT INTO open_points (line_id, bucket, run_id, payload)
  SELECT line_id, each.bucket, run_id, '\x0100000000000000000100'
    FROM (SELECT DISTINCT line_id, run_id FROM open_points) AS runs
    CROSS JOIN generate_series(0, 15) AS each (bucket)
  ON CONFLICT (line_id, bucket, run_id) DO NOTHING;
-- They are packed already.
ALTER TABLE sealed_points ALTER COLUMN payload SET STORAGE EXTERNAL;
)sql";

// Sealed points are lost: analyse their runs again.
constexpr absl::string_view kUndo15 = R"sql(
DROP INDEX run_by_branch;
DROP INDEX run_by_pull_request;
ALTER TABLE run ADD COLUMN ancestors TEXT NOT NULL DEFAULT '[]';
UPDATE run SET ancestors = (SELECT run_ancestors.ancestors FROM run_ancestors
  WHERE run_ancestors.run_id = run.id) WHERE id IN (SELECT run_id FROM run_ancestors);
DROP TABLE run_ancestors;
CREATE TABLE segment (
  target_id INTEGER NOT NULL REFERENCES target (id),
  bucket INTEGER NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (target_id, bucket)
) STRICT;
INSERT INTO segment (target_id, bucket, payload)
  SELECT target.id, open_points.bucket, open_points.payload FROM open_points
    JOIN series_line ON series_line.id = open_points.line_id
    JOIN target ON target.run_id = open_points.run_id AND target.label = series_line.label;
DROP TABLE sealed_points;
DROP TABLE open_points;
DROP TABLE series_line;
)sql";

constexpr absl::string_view kMake16 = R"sql(
-- Whether a client said that it has sent all of the run, and nothing has come since.
ALTER TABLE run ADD COLUMN finished INTEGER NOT NULL DEFAULT 0;
-- When the newest of the target's executions came; 0: no more is awaited.
ALTER TABLE job ADD COLUMN arrived_us INTEGER NOT NULL DEFAULT 0;
-- For whoever deletes a run.
CREATE INDEX rerun_request_by_run ON rerun_request (run_id);
)sql";

constexpr absl::string_view kUndo16 = R"sql(
DROP INDEX rerun_request_by_run;
ALTER TABLE job DROP COLUMN arrived_us;
ALTER TABLE run DROP COLUMN finished;
)sql";

// Bytes of blobs that are small, in SQLite (store/sqlite/small_blobs.h). PostgreSQL has those of
// all in rows.
constexpr absl::string_view kMake17Sqlite = R"sql(
CREATE TABLE small_blob (
  name TEXT PRIMARY KEY REFERENCES blob (name) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;
)sql";

// Its blobs are lost: send them again.
constexpr absl::string_view kUndo17Sqlite = R"sql(
DROP TABLE small_blob;
)sql";

constexpr absl::string_view kMake18 = R"sql(
ALTER TABLE invocation_target ADD COLUMN log_end TEXT NOT NULL DEFAULT '';  -- of a test that failed
)sql";

constexpr absl::string_view kUndo18 = R"sql(
ALTER TABLE invocation_target DROP COLUMN log_end;
)sql";

constexpr SchemaStep kSteps[] = {
    {.version = 15, .make = {kMake15, kMake15Sqlite, kMake15Postgres}, .undo = {kUndo15}},
    {.version = 16, .make = {kMake16}, .undo = {kUndo16}, .works_since = 15},
    {.version = 17, .make = {"", kMake17Sqlite}, .undo = {"", kUndo17Sqlite}},
    {.version = 18, .make = {kMake18}, .undo = {kUndo18}, .works_since = 17},
};

}  // namespace

absl::Span<const SchemaStep> StepsFrom15() { return kSteps; }

}  // namespace gprofhub::store
