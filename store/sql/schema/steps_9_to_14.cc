// Who may do what, upkeep, queues that are fair, what Bazel sends by itself.
#include "store/sql/schema/steps.h"

namespace gprofhub::store {
namespace {

constexpr absl::string_view kMake9 = R"sql(
-- What a token may do (names with commas), and until when. Tokens from before have what a CI job
-- needs. None of them may acknowledge: people get tokens of their own.
ALTER TABLE token ADD COLUMN scopes TEXT NOT NULL DEFAULT 'upload,upload-main,read';
ALTER TABLE token ADD COLUMN expires_us INTEGER NOT NULL DEFAULT 9223372036854775807;  -- that: never
ALTER TABLE token ADD COLUMN last_used_us INTEGER NOT NULL DEFAULT 0;  -- to the hour; 0: never
ALTER TABLE token ADD COLUMN replaced_by INTEGER NOT NULL DEFAULT 0;   -- a token's id; 0: none

-- Whose word an acknowledgement is, and whether it was taken back.
ALTER TABLE acknowledgement ADD COLUMN token_id INTEGER NOT NULL DEFAULT 0;       -- 0: no token's
ALTER TABLE acknowledgement ADD COLUMN taken_back_us INTEGER NOT NULL DEFAULT 0;  -- 0: it was not
ALTER TABLE acknowledgement ADD COLUMN taken_back_by TEXT NOT NULL DEFAULT '';

-- Who sent the run's first execution.
ALTER TABLE run ADD COLUMN sender TEXT NOT NULL DEFAULT '';
-- No run is ordered by a time that had not come when it came in, give or take ten minutes.
UPDATE run SET ordered_us = received_us + 600000000 WHERE ordered_us > received_us + 600000000;

-- Which projects have sent a blob. To know its name is no right to it.
CREATE TABLE blob_right (
  project TEXT NOT NULL,
  name TEXT NOT NULL REFERENCES blob (name),
  PRIMARY KEY (project, name)
) STRICT, WITHOUT ROWID;
INSERT INTO blob_right (project, name)
  SELECT run.project, image.bundle FROM image
    JOIN execution ON execution.id = image.execution_id
    JOIN target ON target.id = execution.target_id JOIN run ON run.id = target.run_id
  UNION
  SELECT run.project, profile.gmon FROM profile
    JOIN execution ON execution.id = profile.execution_id
    JOIN target ON target.id = execution.target_id JOIN run ON run.id = target.run_id;

-- What was done, by whom, when, and from where (store/audit_log.h). Rows are only ever added.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time_us INTEGER NOT NULL,
  project TEXT NOT NULL,   -- empty: none, or not known
  actor TEXT NOT NULL,
  origin TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit (time_us, id);
)sql";

constexpr absl::string_view kMake9Sqlite = R"sql(
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_values BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
)sql";

constexpr absl::string_view kMake9Postgres = R"sql(
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();
)sql";

constexpr absl::string_view kUndo9 = R"sql(
DROP TABLE audit;
DROP TABLE blob_right;
ALTER TABLE run DROP COLUMN sender;
ALTER TABLE acknowledgement DROP COLUMN token_id;
ALTER TABLE acknowledgement DROP COLUMN taken_back_us;
ALTER TABLE acknowledgement DROP COLUMN taken_back_by;
ALTER TABLE token DROP COLUMN scopes;
ALTER TABLE token DROP COLUMN expires_us;
ALTER TABLE token DROP COLUMN last_used_us;
ALTER TABLE token DROP COLUMN replaced_by;
)sql";

constexpr absl::string_view kMake10 = R"sql(
-- Which request a job goes back to, for the log. Empty: not known.
ALTER TABLE job ADD COLUMN request TEXT NOT NULL DEFAULT '';
ALTER TABLE report_job ADD COLUMN request TEXT NOT NULL DEFAULT '';
ALTER TABLE notification ADD COLUMN request TEXT NOT NULL DEFAULT '';

-- What was given up is counted.
CREATE INDEX notification_failed ON notification (id) WHERE state = 'failed';
)sql";

constexpr absl::string_view kUndo10 = R"sql(
DROP INDEX notification_failed;
ALTER TABLE job DROP COLUMN request;
ALTER TABLE report_job DROP COLUMN request;
ALTER TABLE notification DROP COLUMN request;
)sql";

constexpr absl::string_view kMake11 = R"sql(
-- Since when a blob is marked as unused (store/upkeep/garbage.h); 0: it is not.
ALTER TABLE blob ADD COLUMN unused_since_us INTEGER NOT NULL DEFAULT 0;
CREATE INDEX blob_unused ON blob (unused_since_us, name) WHERE unused_since_us <> 0;
-- Who refers to a blob.
CREATE INDEX image_by_bundle ON image (bundle);
CREATE INDEX profile_by_gmon ON profile (gmon);
CREATE INDEX blob_right_by_name ON blob_right (name);

-- How many profiles retention took from the execution.
ALTER TABLE execution ADD COLUMN profiles_removed INTEGER NOT NULL DEFAULT 0;
-- The execution whose profiles a result out of a cache took; 0: they are its own, or not known.
ALTER TABLE execution ADD COLUMN profiles_from INTEGER NOT NULL DEFAULT 0;
CREATE INDEX execution_by_source ON execution (profiles_from) WHERE profiles_from <> 0;
CREATE INDEX gated_by_run ON gated (run_id);
-- The runs whose profiles are there, and those that others were judged against.
ALTER TABLE run ADD COLUMN raw_removed INTEGER NOT NULL DEFAULT 0;  -- 0 or 1
CREATE INDEX run_with_raw ON run (project, ordered_us, id) WHERE raw_removed = 0;
CREATE INDEX run_by_base ON run (project, base_commit) WHERE base_commit <> '';
CREATE INDEX job_failed ON job (id) WHERE state = 'failed';
CREATE INDEX report_job_failed ON report_job (id) WHERE state = 'failed';

-- How long the runs of a project stay (store/upkeep/retention.h). Days; 0: for ever.
CREATE TABLE retention (
  project TEXT PRIMARY KEY,        -- '*': those that have no row of their own
  raw_days INTEGER NOT NULL,       -- profiles as they were sent
  full_days INTEGER NOT NULL,      -- every run
  daily_days INTEGER NOT NULL,     -- one run a day, then one a week
  keep_branches TEXT NOT NULL      -- patterns, JSON [["pattern"], …]: their runs stay
) STRICT, WITHOUT ROWID;

-- Numbers that the store keeps about itself (store/sql/properties.h).
CREATE TABLE property (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

constexpr absl::string_view kUndo11 = R"sql(
DROP TABLE property;
DROP TABLE retention;
DROP INDEX blob_unused;
DROP INDEX image_by_bundle;
DROP INDEX profile_by_gmon;
DROP INDEX blob_right_by_name;
DROP INDEX execution_by_source;
DROP INDEX gated_by_run;
DROP INDEX run_with_raw;
DROP INDEX run_by_base;
DROP INDEX job_failed;
DROP INDEX report_job_failed;
ALTER TABLE blob DROP COLUMN unused_since_us;
ALTER TABLE execution DROP COLUMN profiles_removed;
ALTER TABLE execution DROP COLUMN profiles_from;
ALTER TABLE run DROP COLUMN raw_removed;
)sql";

constexpr absl::string_view kMake12 = R"sql(
-- Analyses are given in the order of their turns, so that projects share them (store/sql/fair_turns.h).
ALTER TABLE job ADD COLUMN project TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;  -- 0: does not wait, or was queued before
UPDATE job SET project = (SELECT run.project FROM target JOIN run ON run.id = target.run_id
    WHERE target.id = job.target_id) WHERE state IN ('pending', 'leased');
UPDATE job SET turn = waiting.place FROM
    (SELECT id, row_number() OVER (PARTITION BY project ORDER BY queued_us, id) AS place
       FROM job WHERE state = 'pending') AS waiting
  WHERE waiting.id = job.id;
DROP INDEX job_queue;
CREATE INDEX job_pending ON job (turn, id) WHERE state = 'pending';
CREATE INDEX job_pending_of_project ON job (project, turn) WHERE state = 'pending';
CREATE INDEX job_leased ON job (lease_until_us, id) WHERE state = 'leased';

-- So do reports: the project that was served longest ago comes first.
ALTER TABLE report_job ADD COLUMN project TEXT NOT NULL DEFAULT '';
ALTER TABLE report_job ADD COLUMN claimed_us INTEGER NOT NULL DEFAULT 0;   -- the last time; 0: never
ALTER TABLE report_job ADD COLUMN lost_leases INTEGER NOT NULL DEFAULT 0;  -- that ran out since it was done last
UPDATE report_job SET project = (SELECT run.project FROM run WHERE run.id = report_job.run_id);
CREATE INDEX report_job_of_project ON report_job (of_branch, project, claimed_us);
CREATE INDEX report_job_leased ON report_job (of_branch, project) WHERE state = 'leased';
)sql";

constexpr absl::string_view kUndo12 = R"sql(
DROP INDEX job_pending;
DROP INDEX job_pending_of_project;
DROP INDEX job_leased;
DROP INDEX report_job_of_project;
DROP INDEX report_job_leased;
ALTER TABLE job DROP COLUMN project;
ALTER TABLE job DROP COLUMN turn;
ALTER TABLE report_job DROP COLUMN project;
ALTER TABLE report_job DROP COLUMN claimed_us;
ALTER TABLE report_job DROP COLUMN lost_leases;
CREATE INDEX job_queue ON job (queued_us, id) WHERE state IN ('pending', 'leased');
)sql";

constexpr absl::string_view kMake13 = R"sql(
-- Files that Bazel handed over (store/transfers/transfer_blobs.h), whole or under way.
CREATE TABLE transfer_blob (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  name TEXT NOT NULL,           -- SHA-256 that the bytes have, or are to have
  size INTEGER NOT NULL,        -- bytes, once it is whole
  upload TEXT NOT NULL,         -- the client's name of the upload under way; empty: it is whole
  received INTEGER NOT NULL,    -- bytes that have come
  touched_us INTEGER NOT NULL,  -- when somebody last wrote to it or asked for it, to the hour
  UNIQUE (project, name, upload)
) STRICT;
CREATE INDEX transfer_blob_touched ON transfer_blob (touched_us, id);

-- Their bytes, in pieces.
CREATE TABLE transfer_piece (
  blob_id INTEGER NOT NULL REFERENCES transfer_blob (id),
  first_byte INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (blob_id, first_byte)
) STRICT;

-- What a project's take, those under way with the bytes that they are to have.
CREATE TABLE transfer_room (
  project TEXT PRIMARY KEY,
  blobs INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// They are compressed already, mostly.
constexpr absl::string_view kMake13Postgres =
    "ALTER TABLE transfer_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;";

constexpr absl::string_view kUndo13 = R"sql(
DROP TABLE transfer_piece;
DROP TABLE transfer_blob;
DROP TABLE transfer_room;
)sql";

constexpr absl::string_view kMake14 = R"sql(
-- Invocations of Bazel whose build events are sent here (store/invocations/).
CREATE TABLE invocation (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  invocation_id TEXT NOT NULL,     -- Bazel's
  state TEXT NOT NULL,             -- running, ended or interrupted
  commit_hash TEXT NOT NULL,       -- empty: not known yet, as are branch and pull_request
  branch TEXT NOT NULL,
  pull_request TEXT NOT NULL,
  sender TEXT NOT NULL,
  started_us INTEGER NOT NULL,
  ended_us INTEGER NOT NULL,       -- 0: it has not
  touched_us INTEGER NOT NULL,     -- the last sign of life
  last_sequence INTEGER NOT NULL,  -- of the events that are durable
  segment_bytes INTEGER NOT NULL,
  run_id INTEGER NOT NULL,         -- that it makes; 0: none yet
  note TEXT NOT NULL,              -- why nothing of it was taken; else empty
  UNIQUE (project, invocation_id)
) STRICT;
CREATE INDEX invocation_by_key ON invocation (invocation_id);
CREATE INDEX invocation_running ON invocation (touched_us, id) WHERE state = 'running';
CREATE INDEX invocation_by_run ON invocation (run_id) WHERE run_id <> 0;
CREATE INDEX invocation_by_start ON invocation (started_us, id);

-- What a running one needs to go on after a restart (proto/invocation.proto).
CREATE TABLE invocation_segment (
  invocation INTEGER NOT NULL REFERENCES invocation (id) ON DELETE CASCADE,
  last_sequence INTEGER NOT NULL,
  records BLOB NOT NULL,
  PRIMARY KEY (invocation, last_sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE invocation_target (
  invocation INTEGER NOT NULL REFERENCES invocation (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  status TEXT NOT NULL,            -- Bazel's word for the newest attempt, or for all; empty: none has ended
  attempts INTEGER NOT NULL,       -- that ended
  recorded INTEGER NOT NULL,       -- of them: in the run
  ended_us INTEGER NOT NULL,       -- the newest attempt; 0: none has
  note TEXT NOT NULL,              -- why an attempt is not in the run, or lacks something
  PRIMARY KEY (invocation, label)
) STRICT, WITHOUT ROWID;
)sql";

constexpr absl::string_view kUndo14 = R"sql(
DROP TABLE invocation_target;
DROP TABLE invocation_segment;
DROP TABLE invocation;
)sql";

constexpr SchemaStep kSteps[] = {
    {.version = 9,
     .make = {kMake9, kMake9Sqlite, kMake9Postgres},
     .undo = {kUndo9, "", "DROP FUNCTION audit_is_append_only;"}},
    {.version = 10, .make = {kMake10}, .undo = {kUndo10}},
    {.version = 11, .make = {kMake11}, .undo = {kUndo11}},
    {.version = 12, .make = {kMake12}, .undo = {kUndo12}},
    {.version = 13, .make = {kMake13, "", kMake13Postgres}, .undo = {kUndo13}, .works_since = 12},
    {.version = 14, .make = {kMake14}, .undo = {kUndo14}, .works_since = 12},
};

}  // namespace

absl::Span<const SchemaStep> Steps9To14() { return kSteps; }

}  // namespace gprofhub::store
