// The rows of the store, as values. The words are architecture.md's.
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

// Bytes on their way in. The caller has checked that they hash to the name.
struct Blob {
  BlobName name;
  std::string bytes;
};

// Who does something, as the rows keep it that tell of it (store/audit_log.h).
struct Actor {
  std::string name;      // of a token or an ID token, or a user of this machine; empty: anybody
  std::string origin;    // the address that the call came from, or where it was done
  int64_t token_id = 0;  // 0: it is no token's
};

// What the profiles of a run are.
enum class ProfileKind {
  kCounted,  // gmon.out or recordings: exact counts
  kSampled,  // stacks that a profiler sampled (profile/codec/stacks.h)
  // What a program that runs on counted in some minute: exact counts, which no other run has to
  // have. Windows are looked at; they are never compared, and have no series.
  kWindow,
};

// What a run is to other runs of the same commit.
enum class RerunRole {
  kNone,
  kExpected,  // some of its targets may be run again, by a run of its own
  kRerun,     // that run
};

// How far the clock of an uploader may be ahead of ours.
inline constexpr absl::Duration kClockSkew = absl::Minutes(10);

// One CI invocation at one commit in one configuration.
struct RunRecord {
  int64_t id = 0;  // given by the store
  std::string project;
  std::string run_key;  // unique within the project
  std::string commit;
  std::string branch;
  std::string base_commit;
  std::vector<std::string> ancestors;  // nearest first; of a list of runs only if asked for
  std::string pull_request;
  std::string ci_link;
  std::string configuration;
  std::string machine;  // its kind; empty if not known
  bool from_fork = false;
  ProfileKind profile_kind = ProfileKind::kCounted;
  RerunRole rerun = RerunRole::kNone;
  absl::Time started;    // as the uploader says, as is the next
  absl::Time committed;  // absl::UnixEpoch() if unknown
  absl::Time received;   // given by the store, as is the next
  // What runs are ordered by: `committed` where it is known, else `started`; but not later than
  // kClockSkew after `received`, whatever the uploader says.
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
  uint32_t duration_ms = 0;  // that the test ran; 0: not known. Of a cached one: when it was run
};

// One process × image of an execution.
struct ProfileRecord {
  std::string process;  // unique within (execution, build_id)
  std::string build_id;
  // A gmon file, or a packed recording, the same for each of its images; in a run of
  // sampled profiles packed stacks. (The column keeps its first name, gmon.)
  BlobName data;
};

struct ImageRecord {
  std::string build_id;
  BlobName bundle;
};

// All that one upload makes durable.
struct NewExecution {
  RunRecord run;
  ExecutionRecord execution;
  std::vector<ProfileRecord> profiles;
  std::vector<ImageRecord> images;
  std::vector<Blob> blobs;  // those that the project may lack
  Actor sender;
  std::string request;  // names the upload in logs, and in those of what it leads to
};

struct RecordedExecution {
  int64_t run_id = 0;
  bool already_present = false;
  uint32_t profiles = 0;  // that the execution has now, given or found
};

// An analysis to make: one target of one run, all its executions.
struct Job {
  int64_t id = 0;
  int64_t run_id = 0;
  std::string target;
  uint32_t attempts = 0;   // including this one
  int64_t generation = 0;  // grows when more data arrives for the target
  std::string worker;
  std::string request;  // of the newest upload that it is for
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

// A piece of the functions' series: the points of one run and target for the functions whose
// hashes fall into one bucket (profile/codec/series.h).
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

// What many runs say of one function.
struct FunctionPoints {
  int64_t function_hash = 0;
  std::string payload;
};

// Points of many runs, packed (profile/codec/series_chunk.h).
struct PackedPoints {
  std::string runs;                       // which they are
  std::vector<FunctionPoints> functions;  // ascending by hash
};

// Packs one bucket's points of many runs. They come in the order of their runs, one of each. What
// is said of the runs must be the same for all buckets.
using PackPoints = std::function<absl::StatusOr<PackedPoints>(const std::vector<RunPoints>&)>;

// Makes one of several, the oldest first. What the last one says of a run holds. What comes out of
// the runs must be the same for all buckets.
using MergePoints =
    std::function<absl::StatusOr<PackedPoints>(const std::vector<PackedPoints>& points)>;

// Which points to read: of one bucket of hashes.
struct PointQuery {
  std::string project;
  std::vector<std::string> branches;
  std::string target;  // empty: all
  uint32_t bucket = 0;
  // Runs before and after may be left out.
  int64_t first_run_id = 0;
  int64_t last_run_id = 0;
  // Of what is packed only these functions of the bucket, each once; empty: all.
  std::vector<int64_t> functions = {};
};

// The points of a target on a branch. A run that was analysed is in one of the two lists, even if
// it has no point in the bucket.
struct LinePoints {
  std::string branch;
  std::string target;
  std::vector<RunPoints> open;  // in the order of the runs
  // Packed: what PackPoints gave, the newest first. What is said of a run by `open`, or by an
  // earlier one of these, holds. They may tell of runs that are gone, or were not asked for.
  std::vector<PackedPoints> sealed;
};

// What an analysis leaves.
struct AnalysisResult {
  Blob computed;  // a ComputedProfile (profile/codec/computed.h)
  std::vector<PointSegment> segments;
};

enum class TargetState { kPending, kAnalyzed, kFailed };

struct TargetRecord {
  std::string label;
  TargetState state = TargetState::kPending;
  std::string error;  // why it failed
  BlobName computed;  // empty unless analysed at least once
  uint32_t executions = 0;
  uint32_t profiles = 0;
  // Executions (the last attempts) without a profile. A sum that lacks one of them is none.
  uint32_t without_profiles = 0;
  bool cached = false;  // every execution came from Bazel's cache
  // Names the test's binary; empty if not known, or if executions differ in it.
  std::string test_binary_digest;
};

// How many targets of a run are in which state.
struct TargetCounts {
  int64_t run_id = 0;
  uint32_t pending = 0;
  uint32_t analyzed = 0;
  uint32_t failed = 0;
};

struct RunFilter {
  std::string project;
  // Empty: any.
  std::string branch;
  std::string commit;  // a prefix of at least 7 digits will do
  std::string pull_request;
  std::string configuration;
  bool mainline_only = false;  // no pull request, no fork
  bool counted_only = false;   // no sampled profiles, no windows
  bool windows_only = false;   // without it there are no windows in a list
  bool with_ancestors = false;
  absl::Time until = absl::InfiniteFuture();  // RunRecord::ordered is not later
  bool by_arrival = false;  // the newest is what came in last, whatever its commit's time
  uint32_t limit = 50;      // newest first
};

// The time from the end of a run's last analysis to its report.
inline constexpr absl::Duration kReportDelay = absl::Seconds(10);

// How often tests were run again.
struct RerunCount {
  uint64_t runs = 0;
  uint64_t targets = 0;   // in these runs
  uint64_t requests = 0;  // RerunRequestRecord
};

// Whom a report is for.
enum class ReportKind {
  kPullRequest,  // of the run
  kBranch,       // those whom changes of a branch are told: the run has no pull request
};

// A report to make. All targets of the run are analysed.
struct ReportJob {
  int64_t id = 0;
  int64_t run_id = 0;
  uint32_t attempts = 0;   // including this one
  int64_t generation = 0;  // grows when the run's targets are analysed anew
  std::string worker;
  absl::Time queued;    // when this generation became due for the first time
  std::string request;  // of the analysis that ended last
};

// How an attempt at a report ended.
struct ReportOutcome {
  enum class Kind {
    kDone,
    kFailed,  // trying again would not help
    kAgain,   // to be done (again) when `due` comes
  };
  Kind kind = Kind::kDone;
  std::string note;  // for people
  absl::Time due;
};

// Something to tell a channel. It is told once: it is known by its key.
struct NotificationRecord {
  int64_t id = 0;  // given by the store
  std::string key;
  std::string channel;
  std::string project;
  std::string series;   // what the key is one of: branch and configuration; empty: a digest
  std::string content;  // what is known now; at most 64 KiB
  // Given by the store. The content of the last message that arrived, and what the channel calls
  // it; empty: none has.
  std::string told;
  std::string reference;
  absl::Time opened;   // when the key came in
  absl::Time changed;  // when this content came in
  // The claim.
  uint32_t attempts = 0;   // including this one
  int64_t generation = 0;  // grows when the content changes
  std::string worker;
  std::string request;  // of the report job that found this content
};

// How an attempt to tell ended.
struct NotificationOutcome {
  enum class Kind {
    kTold,
    kNothingToTell,  // there was no need for a message
    kFailed,         // trying again would not help
    kAgain,          // to be tried again when `due` comes
  };
  Kind kind = Kind::kTold;
  std::string reference;  // if told
  std::string note;       // for people
  absl::Time due;
};

// Somebody's word that a change is all right.
struct AcknowledgementRecord {
  int64_t id = 0;  // given by the store
  std::string project;
  std::string pull_request;  // empty: all
  std::string function;      // a name, or a glob on names
  std::string target;        // a label, or a glob; empty: all
  std::string author;
  std::string reason;
  bool not_a_regression = false;  // the alarm was false; else the change is accepted
  absl::Time created;
  absl::Time expires = absl::InfiniteFuture();
  std::string source;  // unique within the project: where it was said
  // Given by the store.
  int64_t token_id = 0;  // of the token that said it; 0: none did
  bool token_revoked = false;
  absl::Time taken_back = absl::InfiniteFuture();  // since then it holds no longer
  std::string taken_back_by;
};

// A finding that failed a check, or would have if nobody had acknowledged it.
struct GatedRecord {
  std::string project;
  std::string pull_request;
  std::string rule;
  std::string target;
  std::string function;  // linkage name
  std::string function_display;
  int64_t run_id = 0;  // the first that had it
};

// That somebody wants the tests of a pull request run again.
struct RerunRequestRecord {
  enum class Start { kNotTried, kStarted, kFailed };

  int64_t id = 0;  // given by the store
  std::string project;
  std::string pull_request;
  std::string commit;  // the head then
  int64_t run_id = 0;  // of the commit, the newest then
  std::string author;
  std::string source;  // unique within the project: where it was said
  absl::Time created;
  // What became of starting the CI job again, and its address, or why not.
  Start start = Start::kNotTried;
  std::string note;
  bool answered = false;  // given by the store: a later run of the commit is a rerun
};

// The commit with which a change came, as a search found it.
struct CulpritRecord {
  int64_t id = 0;  // given by the store
  std::string project;
  std::string target;
  std::string function;     // linkage name
  std::string caller;       // linkage name; empty: calls from everywhere
  std::string base_commit;  // what was searched: after base_commit, up to head_commit
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
  std::string scopes;        // their names, with commas (collector/access/scopes.h)
  absl::Time created;
  absl::Time expires = absl::InfiniteFuture();
  // Given by the store.
  absl::Time last_used = absl::UnixEpoch();  // to kTokenUseGrain; the epoch: never
  int64_t replaced_by = 0;                   // the token that it was rotated to; 0: none
  bool revoked = false;
};

// A token's last use is written at most so often.
inline constexpr absl::Duration kTokenUseGrain = absl::Hours(1);

// Something that was done, or refused.
struct AuditRecord {
  int64_t id = 0;  // given by the store
  absl::Time time;
  std::string project;  // empty: none, or not known
  std::string actor;
  std::string origin;
  std::string action;   // such as "run.create"
  std::string subject;  // what it was done to
  std::string detail;
};

struct AuditFilter {
  std::string project;  // empty: all
  absl::Time since = absl::InfinitePast();
  uint32_t limit = 1000;  // the newest
};

}  // namespace gprofhub::store
