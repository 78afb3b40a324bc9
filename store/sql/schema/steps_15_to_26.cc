// History at speed.
#include "store/sql/schema/split_sealed_points.h"
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

constexpr absl::string_view kMake19 = R"sql(
-- Grows whenever the run's targets may say something else: one was analysed, more came, some went.
ALTER TABLE run ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

-- What was found of a branch's changes, of its newest runs as they were then
-- (store/rows/kept_changes.h).
CREATE TABLE kept_changes (
  branch_key TEXT PRIMARY KEY,   -- a hash of project, branch and configuration: together they are
                                 -- too long for an index
  project TEXT NOT NULL,
  branch TEXT NOT NULL,
  configuration TEXT NOT NULL,
  oldest_us INTEGER NOT NULL,    -- run.ordered_us of the oldest of the runs
  runs TEXT NOT NULL,            -- JSON [["id", "revision"], …], the newest first
  payload BLOB NOT NULL          -- proto/query.proto, GetChangesResponse
) STRICT;
CREATE INDEX kept_changes_by_branch ON kept_changes (project, branch);
-- 1: nobody has looked at the changes of the run's branch since.
ALTER TABLE report_job ADD COLUMN unkept INTEGER NOT NULL DEFAULT 0;
CREATE INDEX report_job_unkept ON report_job (due_us, id) WHERE unkept = 1;
)sql";

// A trend reads no more of a run than this: SQLite takes it from the index. PostgreSQL's index rows
// have a limit that hostile texts would exceed.
constexpr absl::string_view kMake19Sqlite = R"sql(
DROP INDEX run_by_branch;
CREATE INDEX run_by_branch ON run (project, branch, ordered_us, id, commit_hash, configuration,
  pull_request, from_fork, profile_kind);
)sql";

constexpr absl::string_view kUndo19 = R"sql(
DROP INDEX report_job_unkept;
ALTER TABLE report_job DROP COLUMN unkept;
DROP TABLE kept_changes;
ALTER TABLE run DROP COLUMN revision;
)sql";

constexpr absl::string_view kUndo19Sqlite = R"sql(
DROP INDEX run_by_branch;
CREATE INDEX run_by_branch ON run (project, branch, ordered_us, id);
)sql";

constexpr absl::string_view kMake20 = R"sql(
-- Since when somebody wants the run to stay, whatever its age; 0: nobody does. And why.
ALTER TABLE run ADD COLUMN pinned_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN pin_reason TEXT NOT NULL DEFAULT '';
CREATE INDEX pinned_run ON run (project, id) WHERE pinned_us <> 0;
-- A channel that is behind holds up no other.
DROP INDEX notification_queue;
CREATE INDEX notification_queue ON notification (channel, due_us, id)
  WHERE state IN ('pending', 'leased');
)sql";

constexpr absl::string_view kUndo20 = R"sql(
DROP INDEX notification_queue;
CREATE INDEX notification_queue ON notification (due_us, id) WHERE state IN ('pending', 'leased');
DROP INDEX pinned_run;
ALTER TABLE run DROP COLUMN pin_reason;
ALTER TABLE run DROP COLUMN pinned_us;
)sql";

constexpr absl::string_view kMake21 = R"sql(
-- How long the test ran, as Bazel says; 0: not known.
ALTER TABLE execution ADD COLUMN duration_ms INTEGER NOT NULL DEFAULT 0;
)sql";

constexpr absl::string_view kUndo21 = R"sql(
ALTER TABLE execution DROP COLUMN duration_ms;
)sql";

constexpr absl::string_view kMake22 = R"sql(
-- How many of the run's targets are done and failed, as they were at that revision
-- (store/rows/run_counts.h); -1: nobody has counted them since it changed.
ALTER TABLE run ADD COLUMN jobs_done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN jobs_failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN counted_revision INTEGER NOT NULL DEFAULT -1;
CREATE INDEX uncounted_run ON run (id) WHERE counted_revision = -1;
)sql";

constexpr absl::string_view kUndo22 = R"sql(
DROP INDEX uncounted_run;
ALTER TABLE run DROP COLUMN counted_revision;
ALTER TABLE run DROP COLUMN jobs_failed;
ALTER TABLE run DROP COLUMN jobs_done;
)sql";

// In a table WITHOUT ROWID, SQLite reads all of a row, with its payload, to see whether the row is
// in a range. That was most of a trend's time. In this one it reads the index.
constexpr absl::string_view kMake23Sqlite = R"sql(
CREATE TABLE sealed_points_by_row (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  bucket INTEGER NOT NULL,
  seal INTEGER NOT NULL,
  first_run_id INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (line_id, bucket, seal)
) STRICT;
INSERT INTO sealed_points_by_row (line_id, bucket, seal, first_run_id, last_run_id, payload)
  SELECT line_id, bucket, seal, first_run_id, last_run_id, payload FROM sealed_points
    ORDER BY bucket, line_id, seal;
DROP TABLE sealed_points;
ALTER TABLE sealed_points_by_row RENAME TO sealed_points;
CREATE INDEX sealed_points_by_run ON sealed_points (line_id, bucket, last_run_id, first_run_id);
)sql";

constexpr absl::string_view kMake23Postgres = R"sql(
CREATE INDEX sealed_points_by_run ON sealed_points (line_id, bucket, last_run_id, first_run_id);
)sql";

constexpr absl::string_view kUndo23Sqlite = R"sql(
CREATE TABLE sealed_points_in_key (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  bucket INTEGER NOT NULL,
  seal INTEGER NOT NULL,
  first_run_id INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (line_id, bucket, seal)
) STRICT, WITHOUT ROWID;
INSERT INTO sealed_points_in_key (line_id, bucket, seal, first_run_id, last_run_id, payload)
  SELECT line_id, bucket, seal, first_run_id, last_run_id, payload FROM sealed_points;
DROP TABLE sealed_points;
ALTER TABLE sealed_points_in_key RENAME TO sealed_points;
)sql";

constexpr absl::string_view kUndo23Postgres = R"sql(
DROP INDEX sealed_points_by_run;
)sql";

constexpr absl::string_view kMake24 = R"sql(
-- 1: a window of a program that runs. Its profile_kind is sampled, as of all that is not compared.
ALTER TABLE run ADD COLUMN is_window INTEGER NOT NULL DEFAULT 0;
)sql";

constexpr absl::string_view kUndo24 = R"sql(
ALTER TABLE run DROP COLUMN is_window;
)sql";

// What a line's runs are stands once, and each function's points in a row of their own. Before, a
// row had all functions of a bucket: SplitSealedPoints makes the new rows of those.
constexpr absl::string_view kMake25 = R"sql(
ALTER TABLE sealed_points RENAME TO sealed_buckets;
DROP INDEX sealed_points_by_run;
CREATE TABLE sealed_runs (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  seal INTEGER NOT NULL,         -- counts the line's
  first_run_id INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL,
  is_merged INTEGER NOT NULL,    -- of several
  payload BLOB NOT NULL,         -- profile/codec/series_chunk.h
  PRIMARY KEY (line_id, last_run_id, seal)
) STRICT, WITHOUT ROWID;
CREATE TABLE sealed_points (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  bucket INTEGER NOT NULL,
  function_hash INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL,  -- of the seal
  seal INTEGER NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (line_id, bucket, function_hash, last_run_id, seal)
) STRICT, WITHOUT ROWID;
-- For who reads all functions of some runs, or moves them.
CREATE INDEX sealed_points_by_run ON sealed_points (line_id, bucket, last_run_id, seal);
)sql";

// They are packed already.
constexpr absl::string_view kMake25Postgres = R"sql(
ALTER TABLE sealed_runs ALTER COLUMN payload SET STORAGE EXTERNAL;
ALTER TABLE sealed_points ALTER COLUMN payload SET STORAGE EXTERNAL;
)sql";

// Sealed points are lost: analyse their runs again.
constexpr absl::string_view kUndo25 = R"sql(
DROP TABLE sealed_points;
DROP TABLE sealed_runs;
CREATE TABLE sealed_points (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  bucket INTEGER NOT NULL,
  seal INTEGER NOT NULL,
  first_run_id INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (line_id, bucket, seal)
) STRICT;
CREATE INDEX sealed_points_by_run ON sealed_points (line_id, bucket, last_run_id, first_run_id);
)sql";

constexpr absl::string_view kUndo25Postgres = R"sql(
ALTER TABLE sealed_points ALTER COLUMN payload SET STORAGE EXTERNAL;
)sql";

// Blobs that are written as what is different from others (store/delta/).
constexpr absl::string_view kMake26 = R"sql(
-- Those that others are encoded against. They are whole.
CREATE TABLE blob_base (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE REFERENCES blob (name) ON DELETE CASCADE
) STRICT;
CREATE TABLE blob_series (
  series TEXT PRIMARY KEY,       -- a hash of project, configuration, label and kind
  base_id INTEGER NOT NULL REFERENCES blob_base (id) ON DELETE CASCADE,
  least INTEGER NOT NULL,        -- bytes of the shortest that was encoded against it; 0: none was
  excess INTEGER NOT NULL        -- bytes that all these had more than that
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_series_by_base ON blob_series (base_id);
CREATE TABLE blob_delta (
  name TEXT PRIMARY KEY REFERENCES blob (name) ON DELETE CASCADE,
  base_id INTEGER NOT NULL REFERENCES blob_base (id),
  is_of_frame INTEGER NOT NULL,  -- 0 or 1: its content was a zstd frame's
  bytes BLOB NOT NULL            -- store/delta/content_delta.h
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_delta_by_base ON blob_delta (base_id);
)sql";

constexpr absl::string_view kMake26Postgres = R"sql(
ALTER TABLE blob_delta ALTER COLUMN bytes SET STORAGE EXTERNAL;
-- NULL: the blob is a delta or archived.
ALTER TABLE blob ALTER COLUMN bytes DROP NOT NULL;
)sql";

// Deltas are lost: send their blobs again.
constexpr absl::string_view kUndo26 = R"sql(
DROP TABLE blob_delta;
DROP TABLE blob_series;
DROP TABLE blob_base;
DELETE FROM property WHERE name = 'delta_target';
)sql";

constexpr absl::string_view kUndo26Postgres = R"sql(
UPDATE blob SET bytes = '' WHERE bytes IS NULL;
ALTER TABLE blob ALTER COLUMN bytes SET NOT NULL;
)sql";

constexpr SchemaStep kSteps[] = {
    {.version = 15, .make = {kMake15, kMake15Sqlite, kMake15Postgres}, .undo = {kUndo15}},
    {.version = 16, .make = {kMake16}, .undo = {kUndo16}, .works_since = 15},
    {.version = 17, .make = {"", kMake17Sqlite}, .undo = {"", kUndo17Sqlite}},
    {.version = 18, .make = {kMake18}, .undo = {kUndo18}, .works_since = 17},
    {.version = 19, .make = {kMake19, kMake19Sqlite}, .undo = {kUndo19, kUndo19Sqlite}},
    {.version = 20, .make = {kMake20}, .undo = {kUndo20}, .works_since = 19},
    {.version = 21, .make = {kMake21}, .undo = {kUndo21}, .works_since = 19},
    {.version = 22, .make = {kMake22}, .undo = {kUndo22}, .works_since = 19},
    {.version = 23,
     .make = {"", kMake23Sqlite, kMake23Postgres},
     .undo = {"", kUndo23Sqlite, kUndo23Postgres},
     .works_since = 19},
    // A worker of an older program would take windows for stacks.
    {.version = 24, .make = {kMake24}, .undo = {kUndo24}},
    {.version = 25,
     .make = {kMake25, "", kMake25Postgres},
     .then = sql::SplitSealedPoints,
     .undo = {kUndo25, "", kUndo25Postgres}},
    // An older program cannot read deltas.
    {.version = 26, .make = {kMake26, "", kMake26Postgres}, .undo = {kUndo26, "", kUndo26Postgres}},
};

}  // namespace

absl::Span<const SchemaStep> Steps15To26() { return kSteps; }

}  // namespace gprofhub::store
