#include "store/sqlite/schema.h"

namespace gprofhub::store::sqlite {
namespace {

// Times (…_us) are microseconds since the Unix epoch. Texts compare by byte.
constexpr absl::string_view kVersion1 = R"sql(
-- Bytes known by their hash; they lie in the blob folder.
CREATE TABLE blob (
  name TEXT PRIMARY KEY,  -- SHA-256 of the bytes, lower-case hexadecimal
  size INTEGER NOT NULL   -- bytes
) STRICT, WITHOUT ROWID;

-- One CI invocation at one commit in one configuration.
CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  run_key TEXT NOT NULL,         -- the client's own name for the run
  commit_hash TEXT NOT NULL,
  branch TEXT NOT NULL,
  base_commit TEXT NOT NULL,     -- merge base; empty on the main branch
  ancestors TEXT NOT NULL,       -- JSON [["hash"], …], nearest first
  pull_request TEXT NOT NULL,    -- as the forge writes it; empty outside one
  ci_link TEXT NOT NULL,
  configuration TEXT NOT NULL,
  from_fork INTEGER NOT NULL,    -- 0 or 1
  started_us INTEGER NOT NULL,
  committed_us INTEGER NOT NULL, -- 0: unknown
  ordered_us INTEGER NOT NULL,   -- committed_us where known, else started_us
  received_us INTEGER NOT NULL,  -- when its first execution came in
  UNIQUE (project, run_key)
) STRICT;
CREATE INDEX run_by_time ON run (project, ordered_us, id);
CREATE INDEX run_by_commit ON run (project, commit_hash, configuration);

-- One Bazel label of one run.
CREATE TABLE target (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER NOT NULL REFERENCES run (id),
  label TEXT NOT NULL,
  computed TEXT REFERENCES blob (name),  -- the newest analysis; NULL before the first
  UNIQUE (run_id, label)
) STRICT;

-- Target × run number × shard × attempt.
CREATE TABLE execution (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  target_id INTEGER NOT NULL REFERENCES target (id),
  run_number INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  cached INTEGER NOT NULL,       -- 0 or 1: came from Bazel's cache
  status TEXT NOT NULL,          -- as Bazel reports it
  test_binary_digest TEXT NOT NULL,
  UNIQUE (target_id, run_number, shard, attempt)
) STRICT;

-- An ELF file that an execution's profiles refer to, with the symbol bundle
-- that its own uploader sent: another project's upload cannot replace it.
CREATE TABLE image (
  execution_id INTEGER NOT NULL REFERENCES execution (id),
  build_id TEXT NOT NULL,
  bundle TEXT NOT NULL REFERENCES blob (name),
  PRIMARY KEY (execution_id, build_id)
) STRICT, WITHOUT ROWID;

-- One process × image of an execution.
CREATE TABLE profile (
  execution_id INTEGER NOT NULL REFERENCES execution (id),
  process TEXT NOT NULL,
  build_id TEXT NOT NULL,
  gmon TEXT NOT NULL REFERENCES blob (name),
  PRIMARY KEY (execution_id, process, build_id),
  FOREIGN KEY (execution_id, build_id) REFERENCES image (execution_id, build_id)
) STRICT, WITHOUT ROWID;

-- The analysis of a target (store/sql/queue.h tells its life).
CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  target_id INTEGER NOT NULL UNIQUE REFERENCES target (id),
  state TEXT NOT NULL CHECK (state IN ('pending', 'leased', 'done', 'failed')),
  queued_us INTEGER NOT NULL,                     -- its place in the queue
  lease_until_us INTEGER NOT NULL DEFAULT 0,      -- 0 unless leased
  worker TEXT NOT NULL DEFAULT '',                -- empty unless leased
  attempts INTEGER NOT NULL DEFAULT 0,            -- claims of claimed_generation
  generation INTEGER NOT NULL,                    -- executions that have come in
  claimed_generation INTEGER NOT NULL DEFAULT 0,  -- those the last claim saw
  error TEXT NOT NULL DEFAULT ''                  -- of the last attempt that failed
) STRICT;
CREATE INDEX job_queue ON job (queued_us, id) WHERE state IN ('pending', 'leased');

-- Packed points of a target's functions whose hashes fall into one bucket.
CREATE TABLE segment (
  target_id INTEGER NOT NULL REFERENCES target (id),
  bucket INTEGER NOT NULL,
  payload BLOB NOT NULL,         -- profile/codec/series.h
  PRIMARY KEY (target_id, bucket)
) STRICT;

-- Tokens that uploads and queries present.
CREATE TABLE token (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  label TEXT NOT NULL,           -- for people
  token_sha256 TEXT NOT NULL UNIQUE,
  created_us INTEGER NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0  -- 0 or 1
) STRICT;
)sql";

// Reports on pull requests, and the gate's memory.
constexpr absl::string_view kVersion2 = R"sql(
-- The report on a run with a pull request (store/sql/reports.h).
CREATE TABLE report_job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER NOT NULL UNIQUE REFERENCES run (id),
  state TEXT NOT NULL CHECK (state IN ('pending', 'leased', 'done', 'failed')),
  queued_us INTEGER NOT NULL,                     -- when this generation began
  due_us INTEGER NOT NULL,                        -- not before
  lease_until_us INTEGER NOT NULL DEFAULT 0,      -- 0 unless leased
  worker TEXT NOT NULL DEFAULT '',                -- empty unless leased
  attempts INTEGER NOT NULL DEFAULT 0,            -- claims of claimed_generation
  generation INTEGER NOT NULL,                    -- how often the run was fully analysed
  claimed_generation INTEGER NOT NULL DEFAULT 0,  -- the one the last claim saw
  note TEXT NOT NULL DEFAULT ''                   -- how the last attempt ended
) STRICT;
CREATE INDEX report_job_queue ON report_job (due_us, id) WHERE state IN ('pending', 'leased');

-- Somebody's word that a change is all right.
CREATE TABLE acknowledgement (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  pull_request TEXT NOT NULL,         -- empty: all
  function_name TEXT NOT NULL,        -- a name or a glob
  target TEXT NOT NULL,               -- a label or a glob; empty: all
  author TEXT NOT NULL,
  reason TEXT NOT NULL,
  not_a_regression INTEGER NOT NULL,  -- 0 or 1
  created_us INTEGER NOT NULL,
  expires_us INTEGER NOT NULL,        -- the largest number: never
  source TEXT NOT NULL,               -- where it was said
  UNIQUE (project, source)
) STRICT;

-- Findings that failed a check, each once.
CREATE TABLE gated (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  gated_key TEXT NOT NULL UNIQUE,     -- SHA-256 of project, pull request, rule, target, function
  project TEXT NOT NULL,
  pull_request TEXT NOT NULL,
  rule_name TEXT NOT NULL,
  target TEXT NOT NULL,
  function_name TEXT NOT NULL,        -- linkage name
  function_display TEXT NOT NULL,
  run_id INTEGER NOT NULL REFERENCES run (id)  -- the first that had it
) STRICT;
CREATE INDEX gated_by_project ON gated (project, id);
)sql";

constexpr absl::string_view kVersion3 = R"sql(
-- The kind of machine that the run's tests ran on; empty if not known.
ALTER TABLE run ADD COLUMN machine TEXT NOT NULL DEFAULT '';
)sql";

constexpr absl::string_view kVersion4 = R"sql(
-- What the run's profiles are: counted calls, or stacks that a profiler sampled.
ALTER TABLE run ADD COLUMN profile_kind TEXT NOT NULL DEFAULT 'counted'
  CHECK (profile_kind IN ('counted', 'sampled'));
)sql";

constexpr absl::string_view kVersion5 = R"sql(
-- The measurement of a binary is looked up by it, for results out of a cache.
CREATE INDEX execution_by_binary ON execution (test_binary_digest);
-- Whose measurement a profile is.
CREATE INDEX target_by_profile ON target (computed);
-- The run that came in last.
CREATE INDEX run_by_arrival ON run (project, id);
)sql";

constexpr absl::string_view kVersion6 = R"sql(
-- Whether some of the run's targets may be run again, or the run is that. Those that are, are counted.
ALTER TABLE run ADD COLUMN rerun TEXT NOT NULL DEFAULT 'none'
  CHECK (rerun IN ('none', 'expected', 'is'));
CREATE INDEX run_by_rerun ON run (project) WHERE rerun = 'is';
)sql";

constexpr absl::string_view kVersion7 = R"sql(
-- Whether the job is to tell of changes of a branch, and not of a pull request.
ALTER TABLE report_job ADD COLUMN of_branch INTEGER NOT NULL DEFAULT 0;  -- 0 or 1
CREATE INDEX report_job_queue_by_kind ON report_job (of_branch, due_us, id)
  WHERE state IN ('pending', 'leased');

-- What a channel is to be told, or has been told (store/notifications.h).
CREATE TABLE notification (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  notification_key TEXT NOT NULL,  -- of the event, or of a week's digest
  channel TEXT NOT NULL,
  project TEXT NOT NULL,
  series TEXT NOT NULL,            -- branch and configuration; empty: a digest
  content TEXT NOT NULL,           -- the newest
  told TEXT NOT NULL DEFAULT '',   -- the content of the last message that arrived
  reference TEXT NOT NULL DEFAULT '',  -- what the channel calls it
  state TEXT NOT NULL CHECK (state IN ('pending', 'leased', 'done', 'failed')),
  opened_us INTEGER NOT NULL,
  changed_us INTEGER NOT NULL,        -- when this generation began
  due_us INTEGER NOT NULL,            -- not before
  lease_until_us INTEGER NOT NULL DEFAULT 0,
  worker TEXT NOT NULL DEFAULT '',
  attempts INTEGER NOT NULL DEFAULT 0,            -- claims of claimed_generation
  generation INTEGER NOT NULL,                    -- how often the content changed
  claimed_generation INTEGER NOT NULL DEFAULT 0,  -- the one the last claim saw
  note TEXT NOT NULL DEFAULT '',               -- how the last attempt ended
  UNIQUE (notification_key, channel)
) STRICT;
CREATE INDEX notification_queue ON notification (due_us, id) WHERE state IN ('pending', 'leased');
CREATE INDEX notification_by_project ON notification (project, id);
)sql";

constexpr absl::string_view kVersion8 = R"sql(
-- That somebody wants the tests of a pull request run again.
CREATE TABLE rerun_request (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  pull_request TEXT NOT NULL,
  commit_hash TEXT NOT NULL,       -- the head then
  run_id INTEGER NOT NULL REFERENCES run (id),  -- the newest of the commit then
  author TEXT NOT NULL,
  source TEXT NOT NULL,            -- where it was said
  created_us INTEGER NOT NULL,
  start TEXT NOT NULL DEFAULT 'not tried'
    CHECK (start IN ('not tried', 'started', 'failed')),  -- of the CI job
  note TEXT NOT NULL DEFAULT '',   -- the job's address, or why it was not started
  UNIQUE (project, source)
) STRICT;
CREATE INDEX rerun_request_by_pull_request ON rerun_request (project, pull_request, id);

-- The commit with which a change came, as a search found it.
CREATE TABLE culprit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  culprit_key TEXT NOT NULL UNIQUE,  -- SHA-256 of project, target, function, caller and range
  project TEXT NOT NULL,
  target TEXT NOT NULL,
  function_name TEXT NOT NULL,     -- linkage name
  caller TEXT NOT NULL,            -- linkage name; empty: calls from everywhere
  base_commit TEXT NOT NULL,       -- what was searched
  head_commit TEXT NOT NULL,
  commit_hash TEXT NOT NULL,
  author TEXT NOT NULL,
  commit_date TEXT NOT NULL,
  subject TEXT NOT NULL,
  found_us INTEGER NOT NULL
) STRICT;
CREATE INDEX culprit_by_project ON culprit (project, id);
)sql";

constexpr absl::string_view kVersion9 = R"sql(
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
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_values BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
)sql";

constexpr absl::string_view kVersion10 = R"sql(
-- Which request a job goes back to, for the log. Empty: not known.
ALTER TABLE job ADD COLUMN request TEXT NOT NULL DEFAULT '';
ALTER TABLE report_job ADD COLUMN request TEXT NOT NULL DEFAULT '';
ALTER TABLE notification ADD COLUMN request TEXT NOT NULL DEFAULT '';

-- What was given up is counted.
CREATE INDEX notification_failed ON notification (id) WHERE state = 'failed';
)sql";

constexpr absl::string_view kVersion11 = R"sql(
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

constexpr absl::string_view kVersion12 = R"sql(
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

constexpr Migration kSteps[] = {{1, kVersion1},   {2, kVersion2},   {3, kVersion3},
                                {4, kVersion4},   {5, kVersion5},   {6, kVersion6},
                                {7, kVersion7},   {8, kVersion8},   {9, kVersion9},
                                {10, kVersion10}, {11, kVersion11}, {12, kVersion12}};

}  // namespace

absl::Span<const Migration> Schema() { return kSteps; }

}  // namespace gprofhub::store::sqlite
