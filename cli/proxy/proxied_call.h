// One call that is passed on: what the client sends goes to the server, what the server sends goes
// to the client, message by message, as bytes.
//
// Two pumps run side by side. Each reads one message, has it written on the other side, and reads
// again. So a side that takes nothing makes the other one wait, and a call holds at most two
// messages. A half-close, a cancellation, the deadline and the status with its details go the same
// way as messages.
//
//   client --read--> [up] --write--> server        client <--write-- [down] <--read-- server
//
// The call to the server is held open (AddMultipleHolds) as long as a pump may ask something of it.
// When it is over, nothing is under way towards the client, and the answer is finished.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace gprofhub::cli {

class ProxiedCall final {
 public:
  // Starts to pass the call on, and gives gRPC its client's side. `token` is empty where none is to
  // be sent. `on_done` is called when the call is over; the object is gone then. `stub` outlives
  // the call.
  static grpc::ServerGenericBidiReactor* Start(grpc::GenericStub& stub,
                                               grpc::GenericCallbackServerContext& context,
                                               const std::string& token,
                                               std::function<void()> on_done);

 private:
  class ClientSide;  // towards who called the proxy
  class ServerSide;  // towards the server

  ProxiedCall(grpc::GenericCallbackServerContext& context, const std::string& token,
              std::function<void()> on_done);
  ~ProxiedCall();

  // The pump upwards.
  void ReadUp(bool ok) ABSL_LOCKS_EXCLUDED(mutex_);
  void WrittenUp(bool ok) ABSL_LOCKS_EXCLUDED(mutex_);
  // The pump downwards.
  void ReadDown(bool ok) ABSL_LOCKS_EXCLUDED(mutex_);
  void WrittenDown(bool ok) ABSL_LOCKS_EXCLUDED(mutex_);

  void Cancelled() ABSL_LOCKS_EXCLUDED(mutex_);
  // Nothing is written to the server any more.
  void EndUp() ABSL_LOCKS_EXCLUDED(mutex_);
  // The call to the server is over, then that to the client.
  void ServerDone(const grpc::Status& status);
  void ClientDone();

  const std::string method_;
  const std::function<void()> on_done_;
  grpc::GenericCallbackServerContext& from_;
  grpc::ClientContext to_;
  grpc::ByteBuffer up_;
  grpc::ByteBuffer down_;
  std::unique_ptr<ClientSide> client_;
  std::unique_ptr<ServerSide> server_;

  absl::Mutex mutex_;
  bool up_has_ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace gprofhub::cli
