// A bound that the server sets on a call's time.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/server_context.h>

#include <memory>

#include "absl/time/time.h"

namespace gprofhub::collector {

// Cancels the call once `time` has passed, unless this ends before.
class CallDeadline {
 public:
  CallDeadline(grpc::ServerContext& call, absl::Duration time);
  ~CallDeadline();
  CallDeadline(const CallDeadline&) = delete;
  CallDeadline& operator=(const CallDeadline&) = delete;

 private:
  struct Shared;  // with the alarm's callback, which may run after our end
  std::shared_ptr<Shared> shared_;
  grpc::Alarm alarm_;
};

}  // namespace gprofhub::collector
