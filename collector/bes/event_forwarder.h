// Forwards build events to another build event service, which the repository already uses
// (`gprofhub serve --forward-bes`).
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/stop_token.h"
#include "collector/fair_pool.h"

namespace gprofhub::collector {

// One invocation's events on their way to another build event service.
//
// Events are forwarded unchanged, byte for byte. Unacknowledged events are held and resent after
// the stream broke, as Bazel itself does. Memory and time are bounded, and no build waits: a
// service that is dead, slow or refuses events loses them.
//
//   Pass ──▶ held ──write──▶ the other service
//              ▲                    │
//              └──── acknowledged ──┘

using CallHeaders = std::vector<std::pair<std::string, std::string>>;

struct RelayLimits {
  uint64_t relay_bytes = 16 << 20;  // held for one invocation
  uint64_t all_bytes = 128 << 20;   // held for all; a project has at most half
  // How long an event waits for its acknowledgement, and a relay for its client to reconnect.
  absl::Duration patience = absl::Minutes(2);
  // How long a relay lasts after the end of its client's events, however slowly they are
  // acknowledged.
  absl::Duration after_end = absl::Minutes(10);
  // Responses to one relay that acknowledge nothing.
  uint32_t useless_responses = 10'000;
  // Between two attempts to reach the service.
  absl::Duration try_again_in = absl::Seconds(2);
};

// Shared by all relays.
struct RelaySurroundings {
  grpc::GenericStub stub;
  CallHeaders headers;  // of each call
  RelayLimits limits;
  FairShare held;
  std::function<absl::Time()> now;
};

// Thread-safe. Never blocks.
class EventRelay : public std::enable_shared_from_this<EventRelay> {
 public:
  // `surroundings` outlives it. `name` is for the log.
  EventRelay(RelaySurroundings& surroundings, std::string project, std::string name);
  ~EventRelay();
  EventRelay(const EventRelay&) = delete;
  EventRelay& operator=(const EventRelay&) = delete;

  // Takes the client's next request, serialized. A repeated sequence number is ignored.
  void Pass(int64_t sequence, absl::string_view request) ABSL_LOCKS_EXCLUDED(mutex_);
  // A stream of the client begins, perhaps before the end of an earlier one is noticed.
  void Attach() ABSL_LOCKS_EXCLUDED(mutex_);
  // A stream of the client has ended; `whole`: all of its events were received.
  void Detach(bool whole) ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs due work. False: the relay has ended and has no call running.
  bool Look(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends it early.
  void Cut() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether it was given up: some of its events were not delivered.
  bool WasGivenUp() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class Attempt;  // one call to the other service

  struct Held {
    int64_t sequence = 0;
    grpc::ByteBuffer message;
    uint64_t bytes = 0;
  };

  // Reports of an attempt.
  void Written(bool ok) ABSL_LOCKS_EXCLUDED(mutex_);
  void Acknowledged(int64_t sequence) ABSL_LOCKS_EXCLUDED(mutex_);
  void SaysNoMore() ABSL_LOCKS_EXCLUDED(mutex_);
  void Done(const grpc::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);

  void Begin() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Release(const Held& held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GiveUp(const std::string& why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  RelaySurroundings& surroundings_;
  const std::string project_;
  const std::string name_;

  mutable absl::Mutex mutex_;
  std::deque<Held> held_ ABSL_GUARDED_BY(mutex_);
  uint64_t held_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t sent_ ABSL_GUARDED_BY(mutex_) = 0;  // number of messages of held_ written by this attempt
  int64_t newest_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time moved_ ABSL_GUARDED_BY(mutex_);  // the last acknowledgement, or when waiting began
  bool is_whole_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t streams_ ABSL_GUARDED_BY(mutex_) = 0;  // open streams of the client
  // When the last of them ended; InfiniteFuture: one is open.
  absl::Time detached_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  Attempt* attempt_ ABSL_GUARDED_BY(mutex_) = nullptr;  // deletes itself
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time next_attempt_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  uint32_t useless_ ABSL_GUARDED_BY(mutex_) = 0;  // responses that acknowledged nothing
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  bool given_up_ ABSL_GUARDED_BY(mutex_) = false;
};

class EventForwarder {
 public:
  struct Options {
    CallHeaders headers;  // of each call
    RelayLimits limits;
    // Limit on concurrent lifecycle calls; further ones are dropped.
    size_t lifecycle_calls = 200;
    absl::Duration lifecycle_deadline = absl::Seconds(10);
    absl::Duration look_every = absl::Seconds(1);
    std::function<absl::Time()> now = absl::Now;
  };

  EventForwarder(std::shared_ptr<grpc::Channel> service, Options options);
  // Cancels running calls. Requires that its relays are not used any more.
  ~EventForwarder();
  EventForwarder(const EventForwarder&) = delete;
  EventForwarder& operator=(const EventForwarder&) = delete;

  // Starts or resumes the relay of an invocation, attached to a stream. An earlier broken stream's
  // relay continues.
  std::shared_ptr<EventRelay> Begin(const std::string& project, const std::string& invocation_id,
                                    const std::string& build_id) ABSL_LOCKS_EXCLUDED(mutex_);

  // Forwards a serialized PublishLifecycleEventRequest unchanged, without waiting.
  void PassLifecycle(absl::string_view request) ABSL_LOCKS_EXCLUDED(mutex_);

  // Number of invocations with undelivered events.
  uint64_t given_up() const { return given_up_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  struct LifecycleCall;

  void Watch() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether any relay is left.
  bool LookAtAll() ABSL_LOCKS_EXCLUDED(mutex_);

  const Options options_;
  RelaySurroundings surroundings_;
  std::atomic<uint64_t> given_up_ = 0;

  absl::Mutex mutex_;
  base::StopToken stopping_;  // set with the mutex held
  std::map<Key, std::shared_ptr<EventRelay>> relays_ ABSL_GUARDED_BY(mutex_);
  std::set<LifecycleCall*> lifecycle_ ABSL_GUARDED_BY(mutex_);
  std::thread watching_;
};

}  // namespace gprofhub::collector
