// The tables are written once, in SQLite's SQL; PostgreSQL's types are substituted (ToPostgres).
// kSqliteOnly and kPostgresOnly follow for one engine each.
//
// Conventions: times (…_us) are microseconds since the Unix epoch, booleans are 0 or 1, texts are
// compared by byte.
#include "store/sql/schema.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "store/records/run_columns.h"

namespace gprofhub::store {

namespace {

// Runs, targets, executions, and the blobs that their profiles are.
constexpr absl::string_view kBlobTables = R"sql(
-- Content-addressed bytes. In SQLite, large blobs are files in the blob directory.
CREATE TABLE blob (
  name TEXT PRIMARY KEY,                        -- SHA-256 of the bytes, lower-case hexadecimal
  size INTEGER NOT NULL,                        -- bytes
  unused_since_us INTEGER NOT NULL DEFAULT 0    -- marked by garbage collection; 0: in use
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_unused ON blob (unused_since_us, name) WHERE unused_since_us <> 0;

-- The projects that uploaded a blob. Knowing a blob's name gives no right to read it.
CREATE TABLE blob_right (
  project TEXT NOT NULL,
  name TEXT NOT NULL REFERENCES blob (name),
  PRIMARY KEY (project, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_right_by_name ON blob_right (name);
)sql";

// Before and after the columns of store/records/run_columns.cc.
constexpr absl::string_view kRunBegin = R"sql(
-- One CI invocation at one commit in one configuration.
CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
)sql";
constexpr absl::string_view kRunEnd = R"sql(
  sender TEXT NOT NULL DEFAULT '',              -- who uploaded the first execution
  ordered_us INTEGER NOT NULL,                  -- committed_us if known, else started_us; at most
                                                -- ten minutes after received_us
  received_us INTEGER NOT NULL,                 -- arrival of the first execution
  finished INTEGER NOT NULL DEFAULT 0,          -- the client declared the run complete, and nothing
                                                -- arrived since
  analysed INTEGER NOT NULL DEFAULT 0,          -- a target of it was analysed
  raw_removed INTEGER NOT NULL DEFAULT 0,       -- retention removed the uploaded profiles
  pinned_us INTEGER NOT NULL DEFAULT 0,         -- exempt from retention since; 0: not pinned
  pin_reason TEXT NOT NULL DEFAULT '',
  revision INTEGER NOT NULL DEFAULT 0,          -- grows when results of the run's targets change
  jobs_done INTEGER NOT NULL DEFAULT 0,         -- at counted_revision (store/rows/kept_changes.h)
  jobs_failed INTEGER NOT NULL DEFAULT 0,       -- at counted_revision
  counted_revision INTEGER NOT NULL DEFAULT -1, -- -1: not counted since the last change
  UNIQUE (project, run_key)
) STRICT;
CREATE INDEX run_by_time ON run (project, ordered_us, id);
CREATE INDEX run_by_commit ON run (project, commit_hash, configuration);
CREATE INDEX run_by_arrival ON run (project, id);
CREATE INDEX run_by_rerun ON run (project) WHERE rerun = 'is';
CREATE INDEX run_with_raw ON run (project, ordered_us, id) WHERE raw_removed = 0;
CREATE INDEX run_by_base ON run (project, base_commit) WHERE base_commit <> '';
CREATE INDEX run_by_pull_request ON run (project, pull_request, ordered_us, id);
CREATE INDEX pinned_run ON run (project, id) WHERE pinned_us <> 0;
CREATE INDEX uncounted_run ON run (id) WHERE counted_revision = -1;

-- A table of its own: ancestors are most of a run's bytes, and few queries read them.
CREATE TABLE run_ancestors (
  run_id INTEGER PRIMARY KEY REFERENCES run (id),
  ancestors TEXT NOT NULL                       -- JSON [["hash"], …], nearest first
) STRICT;

-- One Bazel label of one run.
CREATE TABLE target (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER NOT NULL REFERENCES run (id),
  label TEXT NOT NULL,
  computed TEXT REFERENCES blob (name),         -- the newest analysis; NULL before the first
  UNIQUE (run_id, label)
) STRICT;
CREATE INDEX target_by_profile ON target (computed);

-- Target × run number × shard × attempt.
CREATE TABLE execution (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  target_id INTEGER NOT NULL REFERENCES target (id),
  run_number INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  cached INTEGER NOT NULL,                      -- a result of Bazel's cache
  status TEXT NOT NULL,                         -- as Bazel reports it
  duration_ms INTEGER NOT NULL DEFAULT 0,       -- as Bazel reports it; 0: unknown
  test_binary_digest TEXT NOT NULL,             -- finds the profiles of a cached result
  profiles_from INTEGER NOT NULL DEFAULT 0,     -- the execution that a cached result took its
                                                -- profiles from; 0: its own, or unknown
  profiles_removed INTEGER NOT NULL DEFAULT 0,  -- number of profiles that retention removed
  row_bytes INTEGER NOT NULL,                   -- of this row, its images and profiles, for quotas
  UNIQUE (target_id, run_number, shard, attempt)
) STRICT;
CREATE INDEX execution_by_binary ON execution (test_binary_digest);
CREATE INDEX execution_by_source ON execution (profiles_from) WHERE profiles_from <> 0;

-- An ELF file that profiles of an execution refer to, with the symbol bundle of the same uploader:
-- another project's upload cannot replace it.
CREATE TABLE image (
  execution_id INTEGER NOT NULL REFERENCES execution (id),
  build_id TEXT NOT NULL,
  bundle TEXT NOT NULL REFERENCES blob (name),
  PRIMARY KEY (execution_id, build_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX image_by_bundle ON image (bundle);

-- One process × image of an execution.
CREATE TABLE profile (
  execution_id INTEGER NOT NULL REFERENCES execution (id),
  process TEXT NOT NULL,
  build_id TEXT NOT NULL,
  gmon TEXT NOT NULL REFERENCES blob (name),
  PRIMARY KEY (execution_id, process, build_id),
  FOREIGN KEY (execution_id, build_id) REFERENCES image (execution_id, build_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_by_gmon ON profile (gmon);
)sql";

// Work queues: analyses, reports, notifications.
constexpr absl::string_view kQueueTables = R"sql(
-- The analysis of a target (store/job_queue.h).
CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  target_id INTEGER NOT NULL UNIQUE REFERENCES target (id),
  project TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL CHECK (state IN ('pending', 'leased', 'done', 'failed')),
  queued_us INTEGER NOT NULL,
  turn INTEGER NOT NULL DEFAULT 0,                -- order that is fair among projects
                                                  -- (store/sql/engine.h); 0: not pending
  lease_until_us INTEGER NOT NULL DEFAULT 0,      -- 0 unless leased
  worker TEXT NOT NULL DEFAULT '',                -- empty unless leased
  attempts INTEGER NOT NULL DEFAULT 0,            -- claims of claimed_generation
  generation INTEGER NOT NULL,                    -- number of executions that arrived
  claimed_generation INTEGER NOT NULL DEFAULT 0,  -- generation at the last claim
  arrived_us INTEGER NOT NULL DEFAULT 0,          -- newest execution; 0: no more are expected
  request TEXT NOT NULL DEFAULT '',               -- id of the originating request, for logs; empty:
                                                  -- unknown
  error TEXT NOT NULL DEFAULT ''                  -- of the last failed attempt
) STRICT;
CREATE INDEX job_failed ON job (id) WHERE state = 'failed';
CREATE INDEX job_pending ON job (turn, id) WHERE state = 'pending';
CREATE INDEX job_pending_of_project ON job (project, turn) WHERE state = 'pending';
CREATE INDEX job_leased ON job (lease_until_us, id) WHERE state = 'leased';

-- The report on a run, of its pull request or its branch (store/report_queue.h).
CREATE TABLE report_job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER NOT NULL UNIQUE REFERENCES run (id),
  project TEXT NOT NULL DEFAULT '',
  of_branch INTEGER NOT NULL DEFAULT 0,           -- 1: changes of a branch; 0: a pull request
  state TEXT NOT NULL CHECK (state IN ('pending', 'leased', 'done', 'failed')),
  queued_us INTEGER NOT NULL,                     -- start of this generation
  due_us INTEGER NOT NULL,                        -- not claimed before
  claimed_us INTEGER NOT NULL DEFAULT 0,          -- last claim; 0: never. The project that waited
                                                  -- longest comes first
  lease_until_us INTEGER NOT NULL DEFAULT 0,      -- 0 unless leased
  lost_leases INTEGER NOT NULL DEFAULT 0,         -- expired leases since it was last done
  worker TEXT NOT NULL DEFAULT '',                -- empty unless leased
  attempts INTEGER NOT NULL DEFAULT 0,            -- claims of claimed_generation
  generation INTEGER NOT NULL,                    -- number of times the run was fully analysed
  claimed_generation INTEGER NOT NULL DEFAULT 0,  -- generation at the last claim
  unkept INTEGER NOT NULL DEFAULT 0,              -- 1: the branch's kept_changes are outdated
  request TEXT NOT NULL DEFAULT '',               -- as job.request
  note TEXT NOT NULL DEFAULT ''                   -- outcome of the last attempt
) STRICT;
CREATE INDEX report_job_queue ON report_job (due_us, id) WHERE state IN ('pending', 'leased');
CREATE INDEX report_job_queue_by_kind ON report_job (of_branch, due_us, id)
  WHERE state IN ('pending', 'leased');
CREATE INDEX report_job_failed ON report_job (id) WHERE state = 'failed';
CREATE INDEX report_job_of_project ON report_job (of_branch, project, claimed_us);
CREATE INDEX report_job_leased ON report_job (of_branch, project) WHERE state = 'leased';
CREATE INDEX report_job_unkept ON report_job (due_us, id) WHERE unkept = 1;

-- A message to a channel, sent or to be sent (store/notifications.h).
CREATE TABLE notification (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  notification_key TEXT NOT NULL,                 -- of the event, or of a weekly digest
  channel TEXT NOT NULL,
  project TEXT NOT NULL,
  series TEXT NOT NULL,                           -- branch and configuration; empty: a digest
  content TEXT NOT NULL,                          -- newest
  told TEXT NOT NULL DEFAULT '',                  -- content of the last delivered message
  reference TEXT NOT NULL DEFAULT '',             -- the channel's id of the message
  state TEXT NOT NULL CHECK (state IN ('pending', 'leased', 'done', 'failed')),
  opened_us INTEGER NOT NULL,
  changed_us INTEGER NOT NULL,                    -- start of this generation
  due_us INTEGER NOT NULL,                        -- not claimed before
  lease_until_us INTEGER NOT NULL DEFAULT 0,
  worker TEXT NOT NULL DEFAULT '',
  attempts INTEGER NOT NULL DEFAULT 0,            -- claims of claimed_generation
  generation INTEGER NOT NULL,                    -- number of changes of the content
  claimed_generation INTEGER NOT NULL DEFAULT 0,  -- generation at the last claim
  request TEXT NOT NULL DEFAULT '',               -- as job.request
  note TEXT NOT NULL DEFAULT '',                  -- outcome of the last attempt
  UNIQUE (notification_key, channel)
) STRICT;
CREATE INDEX notification_by_project ON notification (project, id);
CREATE INDEX notification_failed ON notification (id) WHERE state = 'failed';
-- By channel: a channel with a backlog does not delay the others.
CREATE INDEX notification_queue ON notification (channel, due_us, id)
  WHERE state IN ('pending', 'leased');
)sql";

// Decisions of people and of searches.
constexpr absl::string_view kDecisionTables = R"sql(
-- A change that a person accepted.
CREATE TABLE acknowledgement (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  pull_request TEXT NOT NULL,                   -- empty: all
  function_name TEXT NOT NULL,                  -- a name or a glob
  target TEXT NOT NULL,                         -- a label or a glob; empty: all
  author TEXT NOT NULL,
  token_id INTEGER NOT NULL DEFAULT 0,          -- the author's token; 0: none
  reason TEXT NOT NULL,
  not_a_regression INTEGER NOT NULL,            -- a false alarm
  created_us INTEGER NOT NULL,
  expires_us INTEGER NOT NULL,                  -- the largest number: never
  taken_back_us INTEGER NOT NULL DEFAULT 0,     -- 0: it holds
  taken_back_by TEXT NOT NULL DEFAULT '',
  source TEXT NOT NULL,                         -- link to the statement
  UNIQUE (project, source)
) STRICT;

-- Findings that failed a check, each once.
CREATE TABLE gated (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  gated_key TEXT NOT NULL UNIQUE,               -- SHA-256 of project, pull request, rule, target
                                                -- and function
  project TEXT NOT NULL,
  pull_request TEXT NOT NULL,
  rule_name TEXT NOT NULL,
  target TEXT NOT NULL,
  function_name TEXT NOT NULL,                  -- linkage name
  function_display TEXT NOT NULL,
  run_id INTEGER NOT NULL REFERENCES run (id)   -- the first with the finding
) STRICT;
CREATE INDEX gated_by_project ON gated (project, id);
CREATE INDEX gated_by_run ON gated (run_id);

-- A request to rerun the tests of a pull request.
CREATE TABLE rerun_request (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  pull_request TEXT NOT NULL,
  commit_hash TEXT NOT NULL,                    -- head at that time
  run_id INTEGER NOT NULL REFERENCES run (id),  -- newest run of the commit at that time
  author TEXT NOT NULL,
  source TEXT NOT NULL,                         -- link to the statement
  created_us INTEGER NOT NULL,
  start TEXT NOT NULL DEFAULT 'not tried'       -- of the CI job
    CHECK (start IN ('not tried', 'started', 'failed')),
  note TEXT NOT NULL DEFAULT '',                -- the job's address, or why it did not start
  UNIQUE (project, source)
) STRICT;
CREATE INDEX rerun_request_by_pull_request ON rerun_request (project, pull_request, id);
CREATE INDEX rerun_request_by_run ON rerun_request (run_id);

-- The commit that introduced a change, as `gprofhub bisect` found it.
CREATE TABLE culprit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  culprit_key TEXT NOT NULL UNIQUE,             -- SHA-256 of project, target, function, caller and
                                                -- range
  project TEXT NOT NULL,
  target TEXT NOT NULL,
  function_name TEXT NOT NULL,                  -- linkage name
  caller TEXT NOT NULL,                         -- linkage name; empty: all callers
  base_commit TEXT NOT NULL,                    -- searched range
  head_commit TEXT NOT NULL,
  commit_hash TEXT NOT NULL,
  author TEXT NOT NULL,
  commit_date TEXT NOT NULL,
  subject TEXT NOT NULL,
  found_us INTEGER NOT NULL
) STRICT;
CREATE INDEX culprit_by_project ON culprit (project, id);
)sql";

// Access and upkeep.
constexpr absl::string_view kAdministrationTables = R"sql(
-- Tokens of uploads, queries and people.
CREATE TABLE token (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  label TEXT NOT NULL,                          -- for display
  token_sha256 TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL DEFAULT 'upload,upload-main,read',
  created_us INTEGER NOT NULL,
  expires_us INTEGER NOT NULL DEFAULT 9223372036854775807,  -- the largest number: never
  last_used_us INTEGER NOT NULL DEFAULT 0,      -- to the hour; 0: never
  replaced_by INTEGER NOT NULL DEFAULT 0,       -- id of a token; 0: none
  revoked INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The audit log (store/tokens.h). Triggers refuse changes and deletions.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time_us INTEGER NOT NULL,
  project TEXT NOT NULL,                        -- empty: none, or unknown
  actor TEXT NOT NULL,
  origin TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit (time_us, id);

-- Retention policies, in days; 0: for ever (store/retention.h).
CREATE TABLE retention (
  project TEXT PRIMARY KEY,                     -- '*': projects without a row of their own
  raw_days INTEGER NOT NULL,                    -- uploaded profiles
  full_days INTEGER NOT NULL,                   -- every run
  daily_days INTEGER NOT NULL,                  -- one run a day, then one a week
  keep_branches TEXT NOT NULL                   -- exempt branches, JSON [["pattern"], …]
) STRICT, WITHOUT ROWID;

-- The main branches of projects (Reading::FindMainBranch).
CREATE TABLE main_branch (
  project TEXT NOT NULL,
  source TEXT NOT NULL,                         -- 'forge', 'setting'
  branch TEXT NOT NULL,
  PRIMARY KEY (project, source)
) STRICT, WITHOUT ROWID;

-- The store's own numbers (store/sql/engine.h).
CREATE TABLE property (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// Build events of Bazel, and the files that Bazel uploads with them.
constexpr absl::string_view kBuildEventTables = R"sql(
-- A file of Bazel's remote cache protocol, complete or being uploaded
-- (store/transfer_blobs.h).
CREATE TABLE transfer_blob (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  name TEXT NOT NULL,                           -- SHA-256 of the complete bytes
  size INTEGER NOT NULL,                        -- bytes, once complete
  upload TEXT NOT NULL,                         -- the client's name of the upload; empty: complete
  received INTEGER NOT NULL,                    -- bytes so far
  touched_us INTEGER NOT NULL,                  -- last write or look-up, to the hour
  UNIQUE (project, name, upload)
) STRICT;
CREATE INDEX transfer_blob_touched ON transfer_blob (touched_us, id);

-- The bytes of a transfer_blob.
CREATE TABLE transfer_piece (
  blob_id INTEGER NOT NULL REFERENCES transfer_blob (id),
  first_byte INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (blob_id, first_byte)
) STRICT;

-- Totals of a project's transfer_blob rows; uploads in progress count with their full size.
CREATE TABLE transfer_room (
  project TEXT PRIMARY KEY,
  blobs INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- An invocation of Bazel that sends its build events (store/).
CREATE TABLE invocation (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  invocation_id TEXT NOT NULL,                  -- Bazel's
  state TEXT NOT NULL,                          -- running, ended or interrupted
  commit_hash TEXT NOT NULL,                    -- empty: not known yet, also branch, pull_request
  branch TEXT NOT NULL,
  pull_request TEXT NOT NULL,
  sender TEXT NOT NULL,
  started_us INTEGER NOT NULL,
  ended_us INTEGER NOT NULL,                    -- 0: running
  touched_us INTEGER NOT NULL,                  -- last heartbeat
  last_sequence INTEGER NOT NULL,               -- of the durable events
  complete INTEGER NOT NULL DEFAULT 0,          -- the last event is durable
  stored_bytes INTEGER NOT NULL,                -- of its segments; once it has ended, its targets
  first_event TEXT NOT NULL,                    -- hash of the build's first event
  run_id INTEGER NOT NULL,                      -- the run that it records; 0: none yet
  note TEXT NOT NULL,                           -- why nothing, or not another build, was recorded
  command_line TEXT NOT NULL DEFAULT '',        -- empty: unknown
  UNIQUE (project, invocation_id)
) STRICT;
CREATE INDEX invocation_by_key ON invocation (invocation_id);
CREATE INDEX invocation_running ON invocation (touched_us, id) WHERE state = 'running';
CREATE INDEX invocation_by_run ON invocation (run_id) WHERE run_id <> 0;
CREATE INDEX invocation_by_start ON invocation (started_us, id);

-- State from which a running invocation resumes after a restart (proto/invocation.proto).
CREATE TABLE invocation_segment (
  invocation INTEGER NOT NULL REFERENCES invocation (id) ON DELETE CASCADE,
  last_sequence INTEGER NOT NULL,
  records BLOB NOT NULL,
  PRIMARY KEY (invocation, last_sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE invocation_target (
  invocation INTEGER NOT NULL REFERENCES invocation (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  status TEXT NOT NULL,                         -- Bazel's, of the newest attempt or of all; empty:
                                                -- none has ended
  attempts INTEGER NOT NULL,                    -- that ended
  recorded INTEGER NOT NULL,                    -- attempts in the run
  ended_us INTEGER NOT NULL,                    -- of the newest attempt; 0: none has ended
  started_us INTEGER NOT NULL DEFAULT 0,        -- of the first attempt; 0: unknown, or from a cache
  duration_ms INTEGER NOT NULL DEFAULT 0,       -- of all attempts that were not from a cache
  note TEXT NOT NULL,                           -- why an attempt is missing or incomplete
  log_end TEXT NOT NULL DEFAULT '',             -- last lines of a failed test's log
  PRIMARY KEY (invocation, label)
) STRICT, WITHOUT ROWID;
)sql";

// Trends: points of functions, changes of branches, summaries of days.
constexpr absl::string_view kTrendTables = R"sql(
-- A target on a branch of a project. Its points follow in the order in which trends read them
-- (store/rows/points.h).
CREATE TABLE series_line (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  branch TEXT NOT NULL,
  label TEXT NOT NULL,
  UNIQUE (project, branch, label)
) STRICT;

-- Points of one run: the functions whose hashes fall into a bucket. A bucket without a function has
-- a row, too: it shows that the run was analysed.
CREATE TABLE open_points (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  bucket INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  payload BLOB NOT NULL,                        -- profile/codec/series.h
  PRIMARY KEY (line_id, bucket, run_id)
) STRICT, WITHOUT ROWID;

-- The runs of a seal: a range of runs whose points are encoded together.
CREATE TABLE sealed_runs (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  seal INTEGER NOT NULL,                        -- numbers the line's seals
  first_run_id INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL,
  is_merged INTEGER NOT NULL,                   -- made of several seals
  payload BLOB NOT NULL,                        -- profile/codec/series.h
  PRIMARY KEY (line_id, last_run_id, seal)
) STRICT, WITHOUT ROWID;

-- Points of one function in the runs of a seal.
CREATE TABLE sealed_points (
  line_id INTEGER NOT NULL REFERENCES series_line (id),
  bucket INTEGER NOT NULL,
  function_hash INTEGER NOT NULL,
  last_run_id INTEGER NOT NULL,                 -- of the seal
  seal INTEGER NOT NULL,
  payload BLOB NOT NULL,                        -- profile/codec/series.h
  PRIMARY KEY (line_id, bucket, function_hash, last_run_id, seal)
) STRICT, WITHOUT ROWID;
-- For queries of all functions of some runs, and for merging seals.
CREATE INDEX sealed_points_by_run ON sealed_points (line_id, bucket, last_run_id, seal);

-- Cached changes of a branch, computed from its newest runs (store/rows/kept_changes.h).
CREATE TABLE kept_changes (
  branch_key TEXT PRIMARY KEY,                  -- hash of project, branch and configuration, which
                                                -- together are too long for an index
  project TEXT NOT NULL,
  branch TEXT NOT NULL,
  configuration TEXT NOT NULL,
  oldest_us INTEGER NOT NULL,                   -- run.ordered_us of the oldest of the runs
  runs TEXT NOT NULL,                           -- JSON [["id", "revision"], …], newest first
  payload BLOB NOT NULL                         -- GetChangesResponse of proto/query.proto
) STRICT;
CREATE INDEX kept_changes_by_branch ON kept_changes (project, branch);

-- Summaries of days (store/rows/summaries.h): four weeks of a branch.
CREATE TABLE summary_span (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  branch TEXT NOT NULL,
  configuration TEXT NOT NULL,
  span INTEGER NOT NULL,
  is_made INTEGER NOT NULL,                     -- 0: being computed
  UNIQUE (project, branch, configuration, span)
) STRICT;
CREATE TABLE summary_target (
  span_id INTEGER NOT NULL REFERENCES summary_span (id) ON DELETE CASCADE,
  label TEXT NOT NULL,                          -- empty: all targets together
  number INTEGER NOT NULL,                      -- numbers the span's targets
  days BLOB NOT NULL,                           -- profile/codec/summaries.h
  PRIMARY KEY (span_id, label)
) STRICT, WITHOUT ROWID;
CREATE TABLE summary_points (
  span_id INTEGER NOT NULL REFERENCES summary_span (id) ON DELETE CASCADE,
  function_hash INTEGER NOT NULL,
  target INTEGER NOT NULL,                      -- summary_target.number
  payload BLOB NOT NULL,
  PRIMARY KEY (span_id, function_hash, target)
) STRICT, WITHOUT ROWID;
)sql";

// Old blobs: delta-encoded against a base (store/archive/), or archived (store/archive/).
constexpr absl::string_view kOldBlobTables = R"sql(
-- Whole blobs that others are encoded against.
CREATE TABLE blob_base (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE REFERENCES blob (name) ON DELETE CASCADE
) STRICT;
CREATE TABLE blob_series (
  series TEXT PRIMARY KEY,                      -- hash of project, configuration, label and kind
  base_id INTEGER NOT NULL REFERENCES blob_base (id) ON DELETE CASCADE,
  least INTEGER NOT NULL,                       -- bytes of the shortest delta; 0: there is none
  excess INTEGER NOT NULL                       -- bytes by which all deltas together exceed that
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_series_by_base ON blob_series (base_id);
CREATE TABLE blob_delta (
  name TEXT PRIMARY KEY REFERENCES blob (name) ON DELETE CASCADE,
  base_id INTEGER NOT NULL REFERENCES blob_base (id),
  is_of_frame INTEGER NOT NULL,                 -- the delta is of the content of a zstd frame
  bytes BLOB NOT NULL                           -- store/archive/held_blob.h
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_delta_by_base ON blob_delta (base_id);

-- An object of the archive that holds many blobs.
CREATE TABLE segment (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  object TEXT NOT NULL UNIQUE,                  -- key of the object
  size INTEGER NOT NULL,                        -- bytes of the object
  blob_bytes INTEGER NOT NULL,                  -- of all blobs that it was written with
  filled_us INTEGER NOT NULL,
  unused_since_us INTEGER NOT NULL DEFAULT 0    -- 0: some of its blobs are, or were lately, needed
) STRICT;
CREATE INDEX segment_unused ON segment (unused_since_us, id) WHERE unused_since_us <> 0;
CREATE TABLE archived_blob (
  name TEXT PRIMARY KEY REFERENCES blob (name) ON DELETE CASCADE,
  segment_id INTEGER NOT NULL REFERENCES segment (id),
  first_byte INTEGER NOT NULL,
  length INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Covers the query for the bytes of a segment that are still needed.
CREATE INDEX archived_blob_by_segment ON archived_blob (segment_id, length);
)sql";

constexpr absl::string_view kSqliteOnly = R"sql(
-- The bytes of small blobs (store/sqlite/connection.h).
CREATE TABLE small_blob (
  name TEXT PRIMARY KEY REFERENCES blob (name) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;

-- Covers everything that a trend reads of a run.
CREATE INDEX run_by_branch ON run (project, branch, ordered_us, id, commit_hash, configuration,
  pull_request, from_fork, profile_kind, analysed);

CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_keeps_values BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
)sql";

constexpr absl::string_view kPostgresOnly = R"sql(
-- NULL: delta-encoded or archived. The limit of one blob is 500 MB.
ALTER TABLE blob ADD COLUMN bytes bytea;

-- Not covering, as SQLite's is: long texts would exceed the size limit of an index row.
CREATE INDEX run_by_branch ON run (project, branch, ordered_us, id);

-- Columns whose bytes hardly compress.
ALTER TABLE blob ALTER COLUMN bytes SET STORAGE EXTERNAL;
ALTER TABLE transfer_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;
ALTER TABLE sealed_runs ALTER COLUMN payload SET STORAGE EXTERNAL;
ALTER TABLE sealed_points ALTER COLUMN payload SET STORAGE EXTERNAL;
ALTER TABLE blob_delta ALTER COLUMN bytes SET STORAGE EXTERNAL;
ALTER TABLE summary_target ALTER COLUMN days SET STORAGE EXTERNAL;
ALTER TABLE summary_points ALTER COLUMN payload SET STORAGE EXTERNAL;

CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

CREATE TABLE schema_version (version bigint NOT NULL);
)sql";

std::string Tables() {
  return absl::StrCat(kBlobTables, kRunBegin, RunColumnDefinitions(), kRunEnd, kQueueTables,
                      kDecisionTables, kAdministrationTables, kBuildEventTables, kTrendTables,
                      kOldBlobTables);
}

absl::string_view PostgresType(absl::string_view word) {
  if (word == "TEXT") return R"(text COLLATE "C")";
  if (word == "INTEGER") return "bigint";
  if (word == "BLOB") return "bytea";
  return word;
}

// Translates SQLite's types and table options.
std::string ToPostgres(absl::string_view sqlite) {
  const std::string translated = absl::StrReplaceAll(
      sqlite,
      {{"INTEGER PRIMARY KEY AUTOINCREMENT", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"},
       {") STRICT, WITHOUT ROWID;", ");"},
       {") STRICT;", ");"}});
  std::string result;
  const auto is_of_word = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  for (auto at = translated.begin(); at != translated.end();) {
    const auto end = std::find_if_not(at, translated.end(), is_of_word);
    absl::StrAppend(&result, PostgresType({&*at, static_cast<size_t>(end - at)}));
    at = end;
    if (at != translated.end()) result += *at++;
  }
  return result;
}

}  // namespace

std::string SqliteSchema() {
  return absl::StrCat(Tables(), kSqliteOnly, "PRAGMA user_version = ", kSchemaVersion, ";");
}

std::string PostgresSchema() {
  return absl::StrCat(ToPostgres(Tables()), kPostgresOnly,
                      "INSERT INTO schema_version (version) VALUES (", kSchemaVersion, ");");
}

absl::Status CheckSchemaVersion(int64_t version) {
  if (version == kSchemaVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot open the database: it has schema version ", version,
                   ", and this gprofhub needs version ", kSchemaVersion,
                   "; use the gprofhub that created the database, or an empty database"));
}

}  // namespace gprofhub::store
