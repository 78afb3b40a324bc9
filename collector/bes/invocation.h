// One invocation in memory: its current stream, the events waiting to be written, and the durable
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "ci/upload/results/test_events.h"
#include "collector/bes/record_attempt.h"
#include "collector/fair_pool.h"
#include "proto/build_events.pb.h"
#include "proto/collector.pb.h"
#include "store/invocations.h"

namespace gprofhub::collector {

// Identity of an invocation's run: commit, branch, pull request and all other facts that the
// uploader detects locally (ci/upload/results/detect_run.h).

// Collects the run's description from the stream of events.
class RunOfEvents {
 public:
  void Take(const build_events::BuildEvent& event);

  // Whether no later event, except the last one, can change the description.
  bool IsKnown() const { return has_status_; }
  // Whether the project wants the ends of the logs of tests that fail (GPROFHUB_TEST_LOGS).
  bool WantsLogs() const { return Said("TEST_LOGS") == "failed"; }
  // As KeptEvent reduces it; empty: unknown.
  const std::string& command_line() const { return command_line_; }

  // The run without its project, configuration and profile kind. Values of --build_metadata
  // override those of the workspace status command. If neither names the commit, both override
  // those of the CI system's variables. FAILED_PRECONDITION if the commit is unknown;
  // INVALID_ARGUMENT for an invalid value.
  absl::StatusOr<v1::RunInfo> Run() const;

 private:
  std::string Said(const std::string& key) const;

  std::string invocation_id_;
  int64_t started_unix_ms_ = 0;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, std::string> status_;
  std::map<std::string, std::string> environment_;
  std::string command_line_;
  bool has_status_ = false;
};

// State of one invocation after its events so far, and the resulting work. A value without locks,
// determined by the events alone, so it can be rebuilt after a restart.

class InvocationState {
 public:
  explicit InvocationState(std::string project) : project_(std::move(project)) {}

  // The next event (kept_event.h). `now`: time of its arrival.
  void Take(build_events::BuildEvent event, absl::Time now);

  // All events have arrived.
  bool ended() const { return events_.ended(); }
  // All events have arrived, and every attempt is done.
  bool IsDone() const { return ended() && waiting_.empty() && under_way_ == 0; }

  // Whether the run's identity is known (RunOfEvents).
  bool RunIsKnown() const { return run_.IsKnown() || ended(); }
  const std::string& command_line() const { return run_.command_line(); }
  absl::StatusOr<v1::RunInfo> Run() const;

  // The attempts that can be recorded now: the run and the symbol bundles are known. Each is
  // returned once, and is in progress until Done or PutBack.
  std::vector<size_t> TakeReady();
  ci::TestAttempt Attempt(size_t index) const { return events_.Attempt(index); }
  // The run that the attempt belongs to: where tests have several configurations, each has a run
  // of its own (ci/upload/upload.cc does the same).
  absl::StatusOr<v1::RunInfo> RunOf(const ci::TestAttempt& attempt) const;
  // Whether the end of the attempt's log is wanted: for a bounded number of targets, those that
  // failed first, and for each the attempt that failed last.
  bool WantsLogOf(size_t index, const ci::TestAttempt& attempt);
  // Result of an attempt. An attempt that waits for symbol bundles is returned again at the end of
  // the events.
  void Done(size_t index, const RecordedAttempt& recorded);
  // Returns the attempt again at the next TakeReady.
  void PutBack(size_t index);

  // The targets that changed since the last call.
  std::vector<store::InvocationTarget> TakeChangedTargets();

 private:
  store::InvocationTarget& TargetOf(const std::string& bazel_label);

  const std::string project_;
  ci::TestEvents events_;
  RunOfEvents run_;
  std::set<std::string> configurations_;  // ids, of tests
  std::set<size_t> waiting_;
  std::set<size_t> until_end_;  // of waiting_
  size_t under_way_ = 0;
  std::map<std::string, size_t> log_of_;  // the attempt whose log a target has, or is to have
  std::map<std::string, store::InvocationTarget> targets_;
  std::set<std::string> changed_;
};

// Callbacks to a stream's client.
struct EventStreamEnd {
  std::function<void(int64_t sequence)> acknowledge;
  std::function<void(const absl::Status& status)> fail;
};

// An attempt to record. Its files take memory, so it exists only while it is recorded.
struct ReadyAttempt {
  ci::TestAttempt attempt;
  absl::StatusOr<v1::RunInfo> run = absl::UnknownError("");
  bool may_wait = false;
  bool wants_log = false;  // the end of its log (log_end.h)
};

// Changes to write in addition to segments.
struct InvocationNews {
  std::optional<v1::RunInfo> about;  // of the run, when it becomes known
  std::string command_line;          // empty: no news
  std::string note;                  // why nothing is recorded; empty: no news
  std::vector<store::InvocationTarget> targets;
  int64_t run_id = 0;  // 0: no news
  bool done = false;   // all events and attempts
};

// Thread-safe.
class Invocation {
 public:
  // `kept` outlives it.
  Invocation(store::InvocationRecord record, AttemptSender sender, const BesLimits& limits,
             FairShare& kept);

  const store::InvocationRecord& record() const { return record_; }
  const AttemptSender& sender() const { return sender_; }

  // Restores the invocation from the store's records. DATA_LOSS for malformed records.
  absl::Status Load(absl::string_view records, absl::Time now);

  // Attaches a stream and returns its number. An earlier stream fails.
  int64_t Attach(EventStreamEnd end);
  void Detach(int64_t stream);
  bool HasStream() const;

  // Receives the stream's next event; nullopt: it has no kept fields. It is acknowledged when it is
  // durable, or at once if it already is. Blocks while too many bytes are pending. INVALID_ARGUMENT
  // for a number that is neither the next nor an earlier one; RESOURCE_EXHAUSTED beyond a limit;
  // ABORTED for a stream that another one has replaced.
  absl::Status Receive(int64_t stream, int64_t sequence,
                       std::optional<build_events::BuildEvent> event);
  // Waits until all received events are durable and acknowledged.
  absl::Status AwaitDurable(int64_t stream);

  // The pending events; they are either committed or failed before the next call.
  std::optional<store::InvocationSegment> TakeSegment();
  void Committed(absl::Time now);
  // Fails the invocation in this process: streams end with this status, and so do later events.
  void Fail(const absl::Status& status);
  bool HasFailed() const;

  // The numbers of the attempts that can be recorded now.
  std::vector<size_t> TakeReady();
  ReadyAttempt Ready(size_t index);
  // Returns those again later.
  void Done(size_t index, const RecordedAttempt& recorded);
  void PutBack(size_t index);

  InvocationNews TakeNews();

  // Whether all events have been received and processed.
  bool IsDone() const;
  bool HasEnded() const;
  // Whether the event was received before.
  bool HasReceived(int64_t sequence) const;

 private:
  bool HasRoom() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return pending_bytes_.size() + committing_bytes_ <= limits_.pending_bytes || !failed_.ok();
  }
  bool IsDurable() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return (durable_ == received_ && unacknowledged_.empty() && !acknowledging_) || !failed_.ok();
  }
  // Once all events with kept fields are durable, later events need not be written.
  void PassOverTheRest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Acknowledges durable events to the stream. Called without the lock: the stream has its own.
  void Acknowledge() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status CheckStream(int64_t stream) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  absl::Status Keep(build_events::BuildEvent event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Reserves the memory that the event takes from here on.
  absl::Status Hold(const build_events::BuildEvent& event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const store::InvocationRecord record_;
  const AttemptSender sender_;
  const BesLimits limits_;

  mutable absl::Mutex mutex_;
  Holding kept_ ABSL_GUARDED_BY(mutex_);
  uint64_t kept_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t streams_ ABSL_GUARDED_BY(mutex_) = 0;  // number of streams so far
  std::optional<EventStreamEnd> end_ ABSL_GUARDED_BY(mutex_);
  std::deque<int64_t> unacknowledged_ ABSL_GUARDED_BY(mutex_);  // of the stream
  bool acknowledging_ ABSL_GUARDED_BY(mutex_) = false;          // a thread is in Acknowledge

  int64_t received_ ABSL_GUARDED_BY(mutex_);
  int64_t durable_ ABSL_GUARDED_BY(mutex_);
  std::string pending_bytes_ ABSL_GUARDED_BY(mutex_);  // records
  std::vector<build_events::BuildEvent> pending_ ABSL_GUARDED_BY(mutex_);
  int64_t committing_to_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t committing_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<build_events::BuildEvent> committing_ ABSL_GUARDED_BY(mutex_);
  absl::Status failed_ ABSL_GUARDED_BY(mutex_);

  InvocationState state_ ABSL_GUARDED_BY(mutex_);
  int64_t run_id_ ABSL_GUARDED_BY(mutex_) = 0;
  bool told_about_ ABSL_GUARDED_BY(mutex_) = false;
  bool told_run_ ABSL_GUARDED_BY(mutex_) = false;
  bool told_done_ ABSL_GUARDED_BY(mutex_) = false;
};

// A record as segments hold it: its length, then its bytes.
std::string DelimitedRecord(const google::protobuf::MessageLite& record);

}  // namespace gprofhub::collector
