// What is measured, and what is told of it.
#include "store/sql/schema/steps.h"

namespace gprofhub::store {
namespace {

constexpr absl::string_view kMake1 = R"sql(
-- Bytes known by their hash. SQLite's lie in the blob folder.
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

constexpr absl::string_view kMake1Postgres = R"sql(
-- The limit of one blob is 500 MB.
ALTER TABLE blob ADD COLUMN bytes bytea NOT NULL;
-- Profiles do not compress well, and bundles are compressed already.
ALTER TABLE blob ALTER COLUMN bytes SET STORAGE EXTERNAL;
)sql";

constexpr absl::string_view kUndo1 = R"sql(
DROP TABLE token;
DROP TABLE segment;
DROP TABLE job;
DROP TABLE profile;
DROP TABLE image;
DROP TABLE execution;
DROP TABLE target;
DROP TABLE run;
DROP TABLE blob;
)sql";

constexpr absl::string_view kMake2 = R"sql(
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

constexpr absl::string_view kUndo2 = R"sql(
DROP TABLE gated;
DROP TABLE acknowledgement;
DROP TABLE report_job;
)sql";

constexpr absl::string_view kMake3 = R"sql(
-- The kind of machine that the run's tests ran on; empty if not known.
ALTER TABLE run ADD COLUMN machine TEXT NOT NULL DEFAULT '';
)sql";

constexpr absl::string_view kUndo3 = R"sql(
ALTER TABLE run DROP COLUMN machine;
)sql";

constexpr absl::string_view kMake4 = R"sql(
-- What the run's profiles are: counted calls, or stacks that a profiler sampled.
ALTER TABLE run ADD COLUMN profile_kind TEXT NOT NULL DEFAULT 'counted'
  CHECK (profile_kind IN ('counted', 'sampled'));
)sql";

constexpr absl::string_view kUndo4 = R"sql(
ALTER TABLE run DROP COLUMN profile_kind;
)sql";

constexpr absl::string_view kMake5 = R"sql(
-- The measurement of a binary is looked up by it, for results out of a cache.
CREATE INDEX execution_by_binary ON execution (test_binary_digest);
-- Whose measurement a profile is.
CREATE INDEX target_by_profile ON target (computed);
-- The run that came in last.
CREATE INDEX run_by_arrival ON run (project, id);
)sql";

constexpr absl::string_view kUndo5 = R"sql(
DROP INDEX execution_by_binary;
DROP INDEX target_by_profile;
DROP INDEX run_by_arrival;
)sql";

constexpr absl::string_view kMake6 = R"sql(
-- Whether some of the run's targets may be run again, or the run is that. Those that are, are counted.
ALTER TABLE run ADD COLUMN rerun TEXT NOT NULL DEFAULT 'none'
  CHECK (rerun IN ('none', 'expected', 'is'));
CREATE INDEX run_by_rerun ON run (project) WHERE rerun = 'is';
)sql";

constexpr absl::string_view kUndo6 = R"sql(
DROP INDEX run_by_rerun;
ALTER TABLE run DROP COLUMN rerun;
)sql";

constexpr absl::string_view kMake7 = R"sql(
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

constexpr absl::string_view kUndo7 = R"sql(
DROP TABLE notification;
DROP INDEX report_job_queue_by_kind;
ALTER TABLE report_job DROP COLUMN of_branch;
)sql";

constexpr absl::string_view kMake8 = R"sql(
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

constexpr absl::string_view kUndo8 = R"sql(
DROP TABLE rerun_request;
DROP TABLE culprit;
)sql";

constexpr SchemaStep kSteps[] = {
    {.version = 1, .make = {kMake1, "", kMake1Postgres}, .undo = {kUndo1}},
    {.version = 2, .make = {kMake2}, .undo = {kUndo2}},
    {.version = 3, .make = {kMake3}, .undo = {kUndo3}},
    {.version = 4, .make = {kMake4}, .undo = {kUndo4}},
    {.version = 5, .make = {kMake5}, .undo = {kUndo5}},
    {.version = 6, .make = {kMake6}, .undo = {kUndo6}},
    {.version = 7, .make = {kMake7}, .undo = {kUndo7}},
    {.version = 8, .make = {kMake8}, .undo = {kUndo8}},
};

}  // namespace

absl::Span<const SchemaStep> Steps1To8() { return kSteps; }

}  // namespace gprofhub::store
