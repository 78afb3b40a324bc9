// Server side of all calls: dispatch of methods, timeouts for stalled clients, limit on concurrent
// calls.
//
// It is one generic service of gRPC's callback API, in place of generated services, for three
// reasons. A call that waits for its client holds no thread. A call is admitted by its metadata
// before any of its messages is read. And a message is bounded before it is parsed.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/log_fields.h"
#include "base/memory_budget.h"
#include "base/stop_token.h"
#include "collector/fair_pool.h"
#include "collector/grpc_call.h"
#include "collector/method.h"

namespace gprofhub::collector {

// One call, from its first byte to its end.

class Call;

// Shared by all calls of a server.
struct CallSurroundings {
  const Access& access;
  FairShare& open_calls;
  FairPool& pool;
  base::LineBudget& refused_lines;  // limits log lines about refused calls
  PatienceLimits patience;
  base::MemoryBudget* decoding;
  std::function<absl::Time()> now;
  AsOf as_of;
  // The call is over; gRPC does not access it any more.
  std::function<void(Call&)> on_done;
  // A call was refused before any of it was read.
  std::function<void(absl::string_view peer, const absl::Status& status)> on_turned_away;
  OnEndedCall on_ended;
};

// The steps of a call. gRPC's threads run the reactions, which never block; the pool runs the steps
// that may block.
//
//   1. Admission (pool): authentication by the call's metadata. Nothing has been read yet, so an
//      unauthenticated client costs neither memory nor parsing.
//   2. A message is read (gRPC), then received by the handler (pool). Again, until the client ends.
//      While a message is with the handler, none is read: HTTP/2 makes the client wait.
//   3. The response is computed (pool) and written, message by message (gRPC).
//
// Meanwhile the handler may send messages of its own (CallContext::send) while the client still
// sends. A handler without a response sends only these.
//
// A client that keeps the server waiting too long in step 2 or 3 is cut (CutIfStalled).
class Call final : public grpc::ServerGenericBidiReactor,
                   public std::enable_shared_from_this<Call> {
 public:
  // `surroundings` and `method` outlive the call; `holding` is its share of the open calls, taken
  // for `peer_owner`.
  Call(const CallSurroundings& surroundings, const Method& method,
       grpc::GenericCallbackServerContext& context, const std::string& peer_owner,
       std::unique_ptr<Holding> holding);

  void Start();

  // Rechecks the caller of an open stream, if the last check is at least `every` ago, and ends the
  // call if it has lost its rights. The check runs on the pool.
  void RecheckIfDue(absl::Time now, absl::Duration every) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the call if its client keeps it waiting too long; returns whether it did.
  bool CutIfStalled(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  void OnReadDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnCancel() override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnDone() override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // kWorking: a step waits or runs, and only its end continues the call. kWaiting: for a write.
  enum class Phase { kWorking, kReading, kWaiting, kEnding, kOver };

  // On the pool.
  void Admit();
  absl::Status TakePlaceOfProject(const std::string& project);
  void Recheck() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status RecheckAtEnd() ABSL_LOCKS_EXCLUDED(mutex_);
  void ReceiveMessage();
  void Answer();
  bool IsCancelled() ABSL_LOCKS_EXCLUDED(mutex_);
  // The call has no response, and no message is to be written now.
  bool IsKeptOpen() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return phase_ == Phase::kWaiting && next_ == nullptr && !writing_ && !ending_.has_value();
  }

  void Submit(void (Call::*step)());
  void Send(std::string message) ABSL_LOCKS_EXCLUDED(mutex_);
  void ReadNext() ABSL_LOCKS_EXCLUDED(mutex_);
  // Writes the next message, if no write is in progress; ends a call whose response is complete.
  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends the call; called as the last action of a step.
  void End(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the call as soon as no step and no write is in progress.
  void EndSoon(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FinishIfDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Finish(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LogRefusal(const absl::Status& status) const;

  const CallSurroundings& surroundings_;
  const Method& method_;
  const std::string peer_;
  const std::string request_;  // its id
  const absl::Time started_;
  const absl::Time deadline_;
  std::string owner_;  // owner of its tasks: the peer, then the project
  std::unique_ptr<Holding> holding_;
  std::unique_ptr<CallHandler> handler_;
  grpc::ByteBuffer message_;  // being read, or received
  CallOrigin origin_;
  Caller caller_;  // empty until authenticated
  bool admitted_ = false;

  // Guards the order of operations on gRPC: none is allowed after Finish.
  absl::Mutex mutex_;
  grpc::GenericCallbackServerContext* context_ ABSL_GUARDED_BY(mutex_);  // null once over
  Phase phase_ ABSL_GUARDED_BY(mutex_) = Phase::kWorking;
  absl::Time checked_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();  // the caller's rights
  Patience patience_ ABSL_GUARDED_BY(mutex_);                            // for reads
  std::deque<std::string> unsent_ ABSL_GUARDED_BY(mutex_);  // the handler's own messages
  NextMessage next_ ABSL_GUARDED_BY(mutex_);                // of the response; null before it
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::ByteBuffer written_ ABSL_GUARDED_BY(mutex_);  // while writing_
  Patience write_patience_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> ending_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);  // final status of the call
  uint64_t received_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t sent_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Dispatches calls to registered methods. Any other call returns UNIMPLEMENTED with the roles of
// this process: where a server's roles are split over processes, a client may have the wrong
// address.
class CallServer final : public grpc::CallbackGenericService {
 public:
  struct Options {
    PatienceLimits patience;
    // Limit on open calls; a peer (an address) without a token, or a project, has at most half.
    uint64_t open_calls = 8192;
    size_t threads = 16;
    // Interval of the check for stalled clients.
    absl::Duration look_every = absl::Seconds(1);
    // Interval of the check whether the callers of open streams still have their rights.
    absl::Duration recheck_every = absl::Seconds(30);
    // Memory limit of parsing, shared with decoding; outlives the server. Null: none.
    base::MemoryBudget* decoding = nullptr;
    std::function<absl::Time()> now = base::MonotonicNow;
    std::string roles;  // of this process, as --role names them
    // Time up to which the replica that this process reads is current; null: not a replica. Sent as
    // "gprofhub-as-of" in the trailing metadata of each response.
    AsOf as_of = nullptr;
    OnEndedCall on_ended = [](const EndedCall&) {};
  };

  // The methods' names differ.
  CallServer(std::vector<Method> methods, Access access, Options options);
  // Requires that the gRPC server with which it was registered has ended.
  ~CallServer() override;
  CallServer(const CallServer&) = delete;
  CallServer& operator=(const CallServer&) = delete;

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* call) override;

  // Number of open calls.
  size_t open_calls() const;

  // Time since queued work last made progress; zero if none is queued.
  absl::Duration StuckFor() const { return pool_.StuckFor(); }

 private:
  void LookForStalled();
  void CutStalled();
  void TurnedAway(absl::string_view peer, const absl::Status& status);
  void TellOfTurnedAway();

  const Options options_;
  const Access access_;
  absl::flat_hash_map<std::string, Method> methods_;
  FairShare places_;
  FairPool pool_;
  base::LineBudget refused_lines_{{}};
  const CallSurroundings surroundings_;

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<const Call*, std::shared_ptr<Call>> calls_ ABSL_GUARDED_BY(mutex_);
  uint64_t turned_away_ ABSL_GUARDED_BY(mutex_) = 0;  // since the last log line
  std::string last_turned_away_ ABSL_GUARDED_BY(mutex_);
  base::StopToken stopping_;
  std::thread looking_;
};

}  // namespace gprofhub::collector
