// google.devtools.build.v1.PublishBuildEvent: receives Bazel's build events (--bes_backend) and
// records the runs that result from them.
//
//   stream ──▶ Invocation ──▶ one thread writes ──▶ attempts that are ready ──▶ upload sessions
//                  ▲            received events        (a pool of few threads)
//                  └── acknowledged ──┘
//
// One thread writes for all invocations: events received during a write form the next transaction
// (group commit). So each event is durable before it is acknowledged, and thousands share a sync.
// After a restart Bazel resends unacknowledged events, and this or another process records the rest
// of the acknowledged ones from the store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/stop_token.h"
#include "collector/bes/event_stream.h"
#include "collector/bes/invocation.h"
#include "collector/bes/record_attempt.h"
#include "collector/bes/remote_caches.h"
#include "collector/fair_pool.h"
#include "collector/method.h"
#include "collector/upload_session.h"
#include "store/invocations.h"

namespace gprofhub::collector {

class BuildEventService {
 public:
  struct Options {
    BesLimits limits;
    // Threads that record attempts, at least 2. A project has at most three quarters of them.
    size_t recorders = 3;
    // Interval of retries.
    absl::Duration look_every = absl::Seconds(1);
    std::function<absl::Time()> now = absl::Now;
    // Access::recheck: whether the sender still has its rights when an attempt is recorded.
    std::function<absl::Status(const Caller& caller)> recheck = [](const Caller&) {
      return absl::OkStatus();
    };
    // Called after each new execution is durable.
    std::function<void()> on_recorded = [] {};
    // Called after an invocation's end is durable: its report may be due.
    std::function<void()> on_finished = [] {};
    // Forwarder of a project's events; outlives the service. Null: none.
    ForwarderOf forwarder_of;
  };

  // `uploads` outlives the service.
  BuildEventService(store::Invocations invocations, UploadContext& uploads, ReadHandedOver read,
                    Options options);
  // Requires that the call server with its methods has ended.
  ~BuildEventService();
  BuildEventService(const BuildEventService&) = delete;
  BuildEventService& operator=(const BuildEventService&) = delete;

  // For a CallServer; the service outlives it.
  std::vector<Method> Methods();

  // Ends all streams; their clients reconnect to another process or after the restart.
  void Stop();

 private:
  using Key = std::pair<std::string, std::string>;  // project and Bazel's id
  using Invocations = std::vector<std::shared_ptr<Invocation>>;

  // EventStreamOffice::open. FAILED_PRECONDITION, which Bazel prints and does not retry, if another
  // build has used the id; INVALID_ARGUMENT if an unknown invocation does not begin with its first
  // event; PERMISSION_DENIED if the invocation was opened with other rights; RESOURCE_EXHAUSTED as
  // Invocations::Open; the store's errors.
  absl::StatusOr<std::shared_ptr<Invocation>> Open(store::InvocationRecord wanted,
                                                   const AttemptSender& sender);
  // The same, from the store.
  absl::StatusOr<std::shared_ptr<Invocation>> OpenStored(const store::InvocationRecord& wanted,
                                                         const AttemptSender& sender);
  // Returns the error for a build with the id of `used`, and notes it there.
  absl::Status RefuseOtherBuild(const store::InvocationRecord& used,
                                const store::InvocationRecord& wanted);
  // The invocation has something to write or to record. Fails it if the service is stopping.
  void Changed(const std::shared_ptr<Invocation>& invocation);

  bool HasWork() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return stopping_.IsSet() || !changed_.empty();
  }
  void WriteChanges();
  void Write(const Invocations& changed);
  absl::Status WriteNews(Invocation& invocation);
  void Record(const std::shared_ptr<Invocation>& invocation);
  void RecordOne(const std::shared_ptr<Invocation>& invocation, size_t index);
  void Forget(const std::shared_ptr<Invocation>& invocation);

  void LookAfterAll();
  void TakeWhatIsDue(absl::Time now);
  void ShowSigns(absl::Time now);
  void LookAfterSilent(absl::Time now);
  absl::Status GoOnWith(const store::InvocationRecord& silent, absl::Time now);
  absl::Status Interrupt(const store::InvocationRecord& silent, absl::Time now);
  absl::StatusOr<std::shared_ptr<Invocation>> Load(const store::InvocationRecord& record,
                                                   absl::Time now);
  std::shared_ptr<Invocation> Find(const Key& key);
  std::shared_ptr<Invocation> Add(const Key& key, std::shared_ptr<Invocation> invocation);

  const store::Invocations store_;
  const AttemptRecorder recorder_;
  const Options options_;
  FairShare streams_;
  FairShare kept_;
  BuildOwners builds_;
  const EventStreamOffice office_;

  absl::Mutex mutex_;
  base::StopToken stopping_;  // set with the mutex held
  absl::flat_hash_map<Key, std::shared_ptr<Invocation>> invocations_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<std::shared_ptr<Invocation>> changed_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<absl::Time, std::shared_ptr<Invocation>>> later_ ABSL_GUARDED_BY(mutex_);

  std::unique_ptr<FairPool> pool_;
  // Since when heartbeats could be read without a failure; used by looking_ only. A heartbeat that
  // could not be written, or read, is not missing.
  absl::Time watching_since_;
  std::thread writing_;
  std::thread looking_;
};

// The last lines of a failing test's log, which Bazel uploaded.

// The last whole lines of a log, at most InvocationTarget::kMostLogBytes. If one line is longer
// than that, its end. A truncated character is dropped.
std::string LogEnd(absl::string_view log);

// The same for the project's file at `uri`; if it cannot be read, a sentence with the reason.
std::string ReadLogEnd(const ReadHandedOver& read, const std::string& project,
                       const std::string& uri);

}  // namespace gprofhub::collector
