// Forwards build events to another build event service, which the repository already uses
// (`gprofhub serve --forward-bes`).
#pragma once

#include <grpcpp/channel.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/end_flag.h"
#include "collector/bes/forward/event_relay.h"

namespace gprofhub::collector {

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
  base::EndFlag stopping_;  // set with the mutex held
  std::map<Key, std::shared_ptr<EventRelay>> relays_ ABSL_GUARDED_BY(mutex_);
  std::set<LifecycleCall*> lifecycle_ ABSL_GUARDED_BY(mutex_);
  std::thread watching_;
};

}  // namespace gprofhub::collector
