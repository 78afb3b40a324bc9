// The rows of the store, as values. docs/architecture.md defines the terms.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::store {

// A blob's name: the SHA-256 of its bytes as 64 lower-case hexadecimal digits.
using BlobName = std::string;

// Bytes to be stored. The caller has verified their hash.
struct Blob {
  BlobName name;
  std::string bytes;
};

// The principal of an action, as stored in the rows about it (store/tokens.h).
struct Actor {
  std::string name;      // of a token or an ID token, or a user of this machine; empty: anonymous
  std::string origin;    // the peer's address, or the machine
  int64_t token_id = 0;  // 0: not by a token
};

// Kind of a run's profiles.
enum class ProfileKind {
  kCounted,  // gmon.out or recordings: exact counts
  kSampled,  // stacks that a profiler sampled (profile/codec/message.h)
  // Windows: exact counts of a running program during some minute, which no other run has to
  // repeat. Windows are displayed; they are never compared, and have no series.
  kWindow,
};

// Role of a run among other runs of the same commit.
enum class RerunRole {
  kNone,
  kExpected,  // a later run may repeat some of its targets
  kRerun,     // that run
};

// Tolerated clock skew of an uploader.
inline constexpr absl::Duration kClockSkew = absl::Minutes(10);

// One CI invocation at one commit in one configuration.
struct RunRecord {
  int64_t id = 0;  // given by the store
  std::string project;
  std::string run_key;  // unique within the project
  std::string commit;
  std::string branch;
  std::string base_commit;
  std::vector<std::string> ancestors;  // nearest first; in lists of runs only on request
  std::string pull_request;
  std::string ci_link;
  std::string configuration;
  std::string machine;  // kind of machine; empty if unknown
  // Empty if unknown, as the next two.
  std::string commit_subject;
  std::string title;   // of the pull request
  std::string author;  // of the pull request, or without one of the commit
  bool from_fork = false;
  ProfileKind profile_kind = ProfileKind::kCounted;
  RerunRole rerun = RerunRole::kNone;
  absl::Time started;    // from the uploader, as is the next
  absl::Time committed;  // absl::UnixEpoch() if unknown
  absl::Time received;   // set by the store, as is the next
  // Sort key of runs: `committed` where it is known, else `started`; but at most kClockSkew after
  // `received`, regardless of the uploader's clock.
  absl::Time ordered;
};

struct ExecutionRecord {
  int64_t id = 0;  // given by the store
  std::string target;
  uint32_t run_number = 1;
  uint32_t shard = 1;
  uint32_t attempt = 1;
  bool cached = false;
  std::string status;
  std::string test_binary_digest;
  uint32_t duration_ms = 0;  // of the test; 0: unknown. Of a cached one: of the original run
};

// One process × image of an execution.
struct ProfileRecord {
  std::string process;  // unique within (execution, build_id)
  std::string build_id;
  // A gmon file, or a packed recording, the same for each of its images; in a run of sampled
  // profiles packed stacks. (The column is named gmon for all of them.)
  BlobName data;
};

struct ImageRecord {
  std::string build_id;
  BlobName bundle;
};

// Everything that one upload makes durable.
struct NewExecution {
  RunRecord run;
  ExecutionRecord execution;
  std::vector<ProfileRecord> profiles;
  std::vector<ImageRecord> images;
  std::vector<Blob> blobs;  // bytes that the project may lack
  Actor sender;
  std::string request;  // id of the upload in logs, and in the logs of its jobs
};

struct RecordedExecution {
  int64_t run_id = 0;
  bool already_present = false;
  uint32_t profiles = 0;  // of the execution now, uploaded or found
};

// An analysis job: one target of one run, with all its executions.
struct Job {
  int64_t id = 0;
  int64_t run_id = 0;
  std::string target;
  uint32_t attempts = 0;   // including this one
  int64_t generation = 0;  // grows when more data arrives for the target
  std::string worker;
  std::string request;  // of the newest upload to the target
};

// Everything an analysis reads.
struct TargetData {
  struct Profile {
    ExecutionRecord execution;
    ProfileRecord profile;
    BlobName bundle;  // of the profile's image
  };
  std::vector<Profile> profiles;
  uint32_t without_profiles = 0;  // executions
};

// A piece of the functions' series: the points of one run and target for the functions whose hashes
// fall into one bucket (profile/codec/series.h).
struct PointSegment {
  int64_t run_id = 0;
  std::string target;
  uint32_t bucket = 0;
  std::string payload;
};

// The points of one run, in the same form.
struct RunPoints {
  int64_t run_id = 0;
  std::string payload;
};

// Points of one function in many runs.
struct FunctionPoints {
  int64_t function_hash = 0;
  std::string payload;
};

// Points of many runs, encoded together (profile/codec/series.h).
struct PackedPoints {
  std::string runs;                       // the encoded list of runs
  std::vector<FunctionPoints> functions;  // ascending by hash
};

// Packs one bucket's points of many runs, one of each run, in the order of the runs. The data about
// the runs must be the same for all buckets.
using PackPoints = std::function<absl::StatusOr<PackedPoints>(const std::vector<RunPoints>&)>;

// Merges several into one, the oldest first. For a run in several of them, the last one holds. The
// resulting runs must be the same for all buckets.
using MergePoints =
    std::function<absl::StatusOr<PackedPoints>(const std::vector<PackedPoints>& points)>;

// Selects points of buckets of function hashes.
struct PointQuery {
  std::string project;
  std::vector<std::string> branches;
  std::string target;  // empty: all
  uint32_t bucket = 0;
  // Runs at both ends may be left out.
  int64_t first_run_id = 0;
  int64_t last_run_id = 0;
  // Restricts sealed points to these functions of the bucket, without duplicates; empty: all.
  std::vector<int64_t> functions = {};
  // Number of further buckets after `bucket`.
  uint32_t more_buckets = 0;
};

// The points of a target on a branch. Each analysed run is in one of the two lists, even without a
// point in the bucket.
struct LinePoints {
  std::string branch;
  std::string target;
  std::vector<RunPoints> open;  // in the order of the runs, of each one for every bucket
  // Output of PackPoints, the newest first. For a run that is also in `open`, or in an earlier
  // element, that data holds. They may contain runs that are deleted or were not requested.
  std::vector<PackedPoints> sealed;
};

// Result of an analysis.
struct AnalysisResult {
  Blob computed;  // a ComputedProfile (profile/codec/computed.h)
  std::vector<PointSegment> segments;
};

enum class TargetState { kPending, kAnalyzed, kFailed };

struct TargetRecord {
  std::string label;
  TargetState state = TargetState::kPending;
  std::string error;  // why it failed
  BlobName computed;  // empty unless analysed successfully before
  uint32_t executions = 0;
  uint32_t profiles = 0;
  // Executions (the last attempts) without a profile. A sum that lacks one of them is invalid.
  uint32_t without_profiles = 0;
  bool cached = false;  // every execution came from Bazel's cache
  // Identifies the test's binary; empty if unknown, or if executions differ in it.
  std::string test_binary_digest;
};

// Number of a run's targets in each state.
struct TargetCounts {
  int64_t run_id = 0;
  uint32_t pending = 0;
  uint32_t analyzed = 0;
  uint32_t failed = 0;
};

// Limits a search, whatever it finds.
inline constexpr uint32_t kMostSearchedRuns = 10'000;

struct RunFilter {
  std::string project;
  // Empty: any.
  std::string branch;
  std::string commit;  // or a prefix of at least 7 digits
  std::string pull_request;
  std::string configuration;
  // Whether `branch` and `pull_request` are parts of the runs', ignoring the case of ASCII letters,
  // and `commit` may be a prefix of any length. Searches the newest kMostSearchedRuns runs.
  bool by_parts = false;
  bool mainline_only = false;  // no pull request, no fork
  bool counted_only = false;   // no sampled profiles, no windows
  bool windows_only = false;   // otherwise lists contain no windows
  bool analysed_only = false;  // at least one target is analysed
  bool with_ancestors = false;
  absl::Time until = absl::InfiniteFuture();  // RunRecord::ordered is not later
  bool by_arrival = false;  // newest by time of arrival, regardless of the commit's time
  uint32_t limit = 50;      // newest first
};

// Delay between the end of a run's last analysis and its report.
inline constexpr absl::Duration kReportDelay = absl::Seconds(10);

// Number of reruns of tests.
struct RerunCount {
  uint64_t runs = 0;
  uint64_t targets = 0;   // in these runs
  uint64_t requests = 0;  // RerunRequestRecord
};

// The audience of a report.
enum class ReportKind {
  kPullRequest,  // of the run
  kBranch,       // for subscribers of a branch's changes: the run has no pull request
};

// A report job. All targets of the run are analysed.
struct ReportJob {
  int64_t id = 0;
  int64_t run_id = 0;
  uint32_t attempts = 0;   // including this one
  int64_t generation = 0;  // increases when the run's targets are analysed again
  std::string worker;
  absl::Time queued;    // when this generation became due for the first time
  std::string request;  // of the last finished analysis
};

// The outcome of an attempt at a report.
struct ReportOutcome {
  enum class Kind {
    kDone,
    kFailed,  // trying again would not help
    kAgain,   // to be retried at `due`
  };
  Kind kind = Kind::kDone;
  std::string note;  // for people
  absl::Time due;
};

// A notification to a channel, delivered once; the key identifies it.
struct NotificationRecord {
  int64_t id = 0;  // given by the store
  std::string key;
  std::string channel;
  std::string project;
  std::string series;   // the group of the key: branch and configuration; empty: a digest
  std::string content;  // the current content; at most 64 KiB
  // Set by the store. The content of the last delivered message, and the channel's id of it; empty:
  // none was delivered.
  std::string told;
  std::string reference;
  absl::Time opened;   // when the key came in
  absl::Time changed;  // time of the last change of the content
  // The claim.
  uint32_t attempts = 0;   // including this one
  int64_t generation = 0;  // grows when the content changes
  std::string worker;
  std::string request;  // of the report job that found this content
};

// Outcome of a delivery attempt.
struct NotificationOutcome {
  enum class Kind {
    kTold,
    kNothingToTell,  // there was no need for a message
    kFailed,         // trying again would not help
    kAgain,          // to be retried at `due`
  };
  Kind kind = Kind::kTold;
  std::string reference;  // if delivered
  std::string note;       // for people
  absl::Time due;
};

// Acknowledgement of a change by a person.
struct AcknowledgementRecord {
  int64_t id = 0;  // given by the store
  std::string project;
  std::string pull_request;  // empty: all
  std::string function;      // a name, or a glob on names
  std::string target;        // a label, or a glob; empty: all
  std::string author;
  std::string reason;
  bool not_a_regression = false;  // true: a false alarm; false: accepted
  absl::Time created;
  absl::Time expires = absl::InfiniteFuture();
  std::string source;  // unique within the project: the comment or request it came from
  // Given by the store.
  int64_t token_id = 0;  // of the author's token; 0: without a token
  bool token_revoked = false;
  absl::Time taken_back = absl::InfiniteFuture();  // not in effect from then on
  std::string taken_back_by;
};

// A finding that failed a check, or would have without an acknowledgement.
struct GatedRecord {
  std::string project;
  std::string pull_request;
  std::string rule;
  std::string target;
  std::string function;  // linkage name
  std::string function_display;
  int64_t run_id = 0;  // the first run with the finding
};

// A request to run the tests of a pull request again.
struct RerunRequestRecord {
  enum class Start { kNotTried, kStarted, kFailed };

  int64_t id = 0;  // given by the store
  std::string project;
  std::string pull_request;
  std::string commit;  // head at that time
  int64_t run_id = 0;  // newest run of the commit at that time
  std::string author;
  std::string source;  // unique within the project: the comment or request it came from
  absl::Time created;
  // Outcome of restarting the CI job, and its address, or the reason for a failure.
  Start start = Start::kNotTried;
  std::string note;
  bool answered = false;  // set by the store: a later run of the commit is a rerun
};

// The commit that introduced a change, found by a bisection.
struct CulpritRecord {
  int64_t id = 0;  // given by the store
  std::string project;
  std::string target;
  std::string function;     // linkage name
  std::string caller;       // linkage name; empty: calls from everywhere
  std::string base_commit;  // the bisected range: after base_commit, up to head_commit
  std::string head_commit;
  std::string commit;
  std::string author;
  std::string date;  // of the commit, YYYY-MM-DD
  std::string subject;
  absl::Time found;
};

struct TokenRecord {
  int64_t id = 0;  // given by the store
  std::string project;
  std::string label;
  std::string token_sha256;  // the token itself is never stored
  std::string scopes;        // comma-separated names (collector/access/authorizer.h)
  absl::Time created;
  absl::Time expires = absl::InfiniteFuture();
  // Given by the store.
  absl::Time last_used = absl::UnixEpoch();  // to kTokenUseGrain; the epoch: never
  int64_t replaced_by = 0;                   // id of its rotated successor; 0: none
  bool revoked = false;
};

// Resolution of a token's last use: it is written at most once in this time.
inline constexpr absl::Duration kTokenUseGrain = absl::Hours(1);

// An audit event: an action that was done or refused.
struct AuditRecord {
  int64_t id = 0;  // given by the store
  absl::Time time;
  std::string project;  // empty: none, or unknown
  std::string actor;
  std::string origin;
  std::string action;   // such as "run.create"
  std::string subject;  // the object of the action
  std::string detail;
};

struct AuditFilter {
  std::string project;  // empty: all
  absl::Time since = absl::InfinitePast();
  uint32_t limit = 1000;  // the newest
};

}  // namespace gprofhub::store
