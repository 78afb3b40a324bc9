// RPC methods of a server: their names and the handlers of their messages.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "collector/access/authorizer.h"
#include "collector/fair_pool.h"

namespace gprofhub::collector {

// Replication lag of the database that this server reads.

// Time up to which the replica that a process reads is current; nullopt: unknown.
using AsOf = std::function<std::optional<absl::Time>()>;

// Parses a client's message within bounded memory.

// The longest header, of an upload of 10,000 profiles, takes less than 8 MiB.
inline constexpr uint64_t kMostParsedBytes = 16 << 20;

// INVALID_ARGUMENT for bytes that are not a message of this type; RESOURCE_EXHAUSTED for one that
// would take more than kMostParsedBytes once parsed, which is checked before parsing.
absl::Status ParseBounded(absl::string_view bytes, google::protobuf::Message& message);

// Context of a call, for its handler.
struct CallContext {
  // The authenticated caller. Permit checks its rights once a message names the project.
  Caller caller;
  // Identifies the call in logs, and in those of the jobs that it creates (request_id.h).
  std::string request;
  // Key of the call's fair share: its project, else its peer's address.
  std::string owner;
  // RequestMetadata of the Remote Execution API, serialized; empty for other clients.
  std::string request_metadata;
  // Charges bytes of rows that the call is about to store to the project's quotas
  // (Quotas::Charge).
  std::function<absl::Status(const std::string& project, uint64_t bytes)> charge =
      [](const std::string&, uint64_t) { return absl::OkStatus(); };
  // Whether the call is cancelled. Long-running work polls it.
  std::function<bool()> cancelled;
  // Queues a message to the client, which may still be sending its own. Messages are written in the
  // order of the calls, before the response's messages. From any thread; does nothing once the call
  // is over.
  std::function<void(std::string message)> send;
  // Ends the call with this error, as soon as the handler is not receiving a message. From any
  // thread; does nothing once the call is over.
  std::function<void(const absl::Status& status)> fail;
};

// Admission of callers.
struct Access {
  // Authenticates the caller, or refuses and counts the call.
  std::function<absl::StatusOr<Caller>(const CallOrigin& call)> authenticate;
  // Counts a call of a token's project; an error above its quota. Null: no quota.
  std::function<absl::Status(const std::string& project)> take_call;
  // CallContext::charge. Null: no quota.
  std::function<absl::Status(const std::string& project, uint64_t bytes)> charge;
  // Whether the caller still has the rights with which its call began (Authorizer::Recheck). Null:
  // it always has.
  std::function<absl::Status(const Caller& caller)> recheck;
  // Counts a call that was refused for lack of permission; does nothing for other errors.
  std::function<void(const CallOrigin& call, const store::Actor& who, const absl::Status& why)>
      note_refusal;
};

// Returns a response's messages one after the other, then nullopt. Must not block.
using NextMessage = std::function<std::optional<std::string>()>;

// One call. Its methods are called by one thread at a time, which may be blocked; none is called
// before the caller was admitted.
class CallHandler {
 public:
  virtual ~CallHandler() = default;
  // The client's next message, serialized.
  virtual absl::Status Receive(absl::string_view bytes) = 0;
  // Whether it wants another message after the received one. If not, Answer is called, and further
  // messages of the client are ignored.
  virtual bool WantsMore() const { return true; }
  // The client has sent everything. A null response keeps the call open for CallContext::send,
  // until CallContext::fail, until its client leaves, or until Method::longest.
  virtual absl::StatusOr<NextMessage> Answer() = 0;
};

struct Method {
  std::string name;  // "/package.Service/Method"
  // The client sends one message; the response does not wait for the end of the stream.
  bool one_message = true;
  // Whether the method needs no token, even if the server requires tokens.
  bool for_everybody = false;
  // Deadline for the client's messages and for reading the response.
  absl::Duration longest = absl::Minutes(10);
  // Patience with the method's clients; absent: the server's default.
  std::optional<PatienceLimits> patience;
  std::function<std::unique_ptr<CallHandler>(CallContext context)> start;
};

// A response of one message.
NextMessage OneMessage(std::string message);
// A text in pieces; `wrap` makes a message of each.
NextMessage InPieces(std::string text, std::function<std::string(std::string piece)> wrap);

// A call with one message, which names its project. `answer` computes the response, for a caller
// who has `scope` for the project.
template <typename Request>
class OneMessageHandler final : public CallHandler {
 public:
  using AnswerTo =
      std::function<absl::StatusOr<NextMessage>(const Request& request, const CallContext& call)>;

  OneMessageHandler(CallContext context, Scope scope, AnswerTo answer)
      : context_(std::move(context)), scope_(scope), answer_(std::move(answer)) {}

  absl::Status Receive(absl::string_view bytes) override {
    RETURN_IF_ERROR(ParseBounded(bytes, request_));
    return Permit(context_.caller, request_.project(), scope_);
  }
  absl::StatusOr<NextMessage> Answer() override { return answer_(request_, context_); }

 private:
  const CallContext context_;
  const Scope scope_;
  const AnswerTo answer_;
  Request request_;
};

// `answer`: absl::StatusOr<Response>(const Request&, const CallContext&), for a caller who has
// `scope` for request.project().
template <typename Request, typename Answer>
Method UnaryMethod(std::string name, Scope scope, Answer answer) {
  Method method;
  method.name = std::move(name);
  method.start = [scope, answer = std::move(answer)](CallContext context) {
    return std::make_unique<OneMessageHandler<Request>>(
        std::move(context), scope,
        [answer](const Request& request, const CallContext& call) -> absl::StatusOr<NextMessage> {
          ASSIGN_OR_RETURN(const auto response, answer(request, call));
          return OneMessage(response.SerializeAsString());
        });
  };
  return method;
}

}  // namespace gprofhub::collector
