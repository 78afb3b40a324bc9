// Bazel invocations whose build events arrive here, from the first event to the last.
//
//   running ──all events came──▶ ended
//      │
//      └──────silent────────────▶ interrupted
//
// The data of a running invocation is stored as segments of records (proto/invocation.proto), so
// that any process can continue it. When it ends or is interrupted, the segments are deleted, and
// the data for queries stays.
//
// The report on the run of a running invocation waits for the invocation's end, and is due at once
// then. The run of an interrupted one lacks an unknown set of tests, so it has no report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

enum class InvocationState { kRunning, kEnded, kInterrupted };

struct InvocationRecord {
  int64_t id = 0;  // given by the store
  std::string project;
  std::string invocation_id;  // Bazel's; unique within the project
  InvocationState state = InvocationState::kRunning;
  std::string commit;  // empty: not known yet, as are the next two
  std::string branch;
  std::string pull_request;
  std::string sender;
  absl::Time started;
  absl::Time ended = absl::UnixEpoch();  // the epoch: it has not
  absl::Time touched;                    // the last heartbeat
  int64_t last_sequence = 0;             // of the events that are durable
  bool complete = false;                 // the last event is durable
  uint64_t stored_bytes = 0;             // of its segments; once it has ended, of its targets
  std::string first_event;               // its hash, which distinguishes builds with the same id
  int64_t run_id = 0;                    // its run; 0: none yet
  // Why nothing of it, or of another build with its id, was taken; else empty.
  std::string note;
  // "bazel test //...", without secrets (collector/bes/event_stream.h); empty: unknown. More than
  // kMostCommandBytes is cut.
  std::string command_line;
  static constexpr size_t kMostCommandBytes = 4000;
};

// False if the first events of both are known and differ. A stream that continues an invocation
// does not send the first event again.
bool IsSameBuild(const InvocationRecord& a, const InvocationRecord& b);

struct InvocationTarget {
  // Of `log_end`; more is cut.
  static constexpr size_t kMostLogBytes = 4000;

  std::string label;
  std::string status = {};  // Bazel's value, such as "PASSED"; empty: no attempt has ended
  uint32_t attempts = 0;    // that ended
  uint32_t recorded = 0;    // of them: in the run
  absl::Time ended = absl::UnixEpoch();  // end of the newest attempt; the epoch: none has ended
  std::string note = {};                 // why an attempt is not in the run, or lacks something
  // The last lines of its log, if the project stores them for failed tests.
  std::string log_end = {};
  // Begin of the first attempt and duration of all of them, by Bazel's clock, without those whose
  // results came from a cache. The epoch and 0: unknown.
  absl::Time started = absl::UnixEpoch();
  uint64_t duration_ms = 0;
};

// Where the end of a test's log is.
struct KeptLog {
  std::string label;
  std::string invocation_id;  // in the project of the run
};

// One more segment of an invocation.
struct InvocationSegment {
  int64_t id = 0;             // of the invocation
  int64_t last_sequence = 0;  // of its events, once this is durable
  int64_t after = 0;          // required value of last_sequence before it
  std::string records;        // empty: without event data
  bool complete = false;      // it has the last event
};

// A part of the store: store.h documents what all parts guarantee.
class Invocations {
 public:
  explicit Invocations(std::shared_ptr<sql::Database> database);
  // The same for one call: nothing is read or written once `check` fails (sql::WithCheck).
  Invocations WithCheck(std::function<absl::Status()> check) const;

  // Returns the invocation with this project and invocation_id, or creates it with `records` as its
  // first segment. One that has ended or was interrupted is returned unchanged.
  // NOT_FOUND if there is none and `record` has no first event. RESOURCE_EXHAUSTED if
  // `most_running` others of the project are running.
  absl::StatusOr<InvocationRecord> Open(const InvocationRecord& record, absl::string_view records,
                                        uint32_t most_running, absl::Time now) const;

  // The records of all segments, in order.
  absl::StatusOr<std::string> ReadRecords(int64_t id) const;

  // Appends segments of several invocations in one transaction. Returns a status for each: OK, or
  // FAILED_PRECONDITION if another process has taken over the invocation.
  absl::StatusOr<std::vector<absl::Status>> Append(const std::vector<InvocationSegment>& segments,
                                                   absl::Time now) const;

  // Stores the commit's description.
  absl::Status Describe(int64_t id, absl::string_view commit, absl::string_view branch,
                        absl::string_view pull_request) const;
  absl::Status SetCommandLine(int64_t id, absl::string_view command_line) const;
  // Sets the run, unless it has one.
  absl::Status SetRun(int64_t id, int64_t run_id) const;
  // Adds or replaces these.
  absl::Status PutTargets(int64_t id, const std::vector<InvocationTarget>& targets) const;
  // InvocationRecord::note.
  absl::Status SetNote(int64_t id, absl::string_view note) const;

  // Ends a running one as kEnded or kInterrupted. Does nothing if it has ended.
  absl::Status Finish(int64_t id, InvocationState state, absl::Time now) const;

  // Running invocations that need another owner: complete ones without a heartbeat since
  // `complete_before`, then incomplete ones without one since `incomplete_before`. Projects take
  // turns; of a project, the oldest first.
  absl::StatusOr<std::vector<InvocationRecord>> ListSilent(absl::Time complete_before,
                                                           absl::Time incomplete_before,
                                                           uint32_t limit) const;
  // Whether its heartbeat was still missing: then this caller is the owner as of `now`.
  absl::StatusOr<bool> TakeOver(const InvocationRecord& silent, absl::Time now) const;
  // Writes the owner's heartbeat of these invocations.
  absl::Status Touch(const std::vector<int64_t>& ids, absl::Time now) const;

  // Those of all projects with this id of Bazel's, newest first.
  absl::StatusOr<std::vector<InvocationRecord>> Find(absl::string_view invocation_id) const;
  // The project's newest.
  absl::StatusOr<std::vector<InvocationRecord>> List(absl::string_view project,
                                                     uint32_t limit) const;
  // Bazel's ids of the run's invocations, newest first.
  absl::StatusOr<std::vector<std::string>> ListOfRun(int64_t run_id, uint32_t limit) const;
  // By label.
  absl::StatusOr<std::vector<InvocationTarget>> ListTargets(int64_t id) const;

  // The targets of the run's invocations that have a `log_end`, by label; of a label the newest
  // invocation's alone.
  absl::StatusOr<std::vector<KeptLog>> ListLogs(int64_t run_id) const;

  // Removes up to `limit` that are not running and began before `before`; returns how many.
  absl::StatusOr<int64_t> RemoveOld(absl::Time before, uint32_t limit) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
