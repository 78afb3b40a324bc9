// Server side of all calls: dispatch of methods, timeouts for stalled clients, limit on concurrent
// calls.
//
// It is one generic service of gRPC's callback API, in place of generated services, for three
// reasons. A call that waits for its client holds no thread. A call is admitted by its metadata
// before any of its messages is read. And a message is bounded before it is parsed.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <cstdint>
#include <functional>
#include <memory>
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
#include "base/end_flag.h"
#include "base/logs/line_budget.h"
#include "collector/calls/as_of.h"
#include "collector/calls/call.h"
#include "collector/calls/ended_call.h"
#include "collector/calls/fair_pool.h"
#include "collector/calls/fair_share.h"
#include "collector/calls/method.h"
#include "collector/calls/patience.h"

namespace gprofhub::collector {

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
    std::function<absl::Time()> now = absl::Now;
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
  base::EndFlag stopping_;
  std::thread looking_;
};

}  // namespace gprofhub::collector
