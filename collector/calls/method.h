// What a server can be called for: names of methods, and what happens with a call's messages.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/calls/bounded_parse.h"

namespace gprofhub::collector {

// Who calls.
struct Caller {
  std::string peer;     // as gRPC writes it
  std::string project;  // that the token belongs to; empty where no token is needed
  // Whether the caller may touch this project, which a message names.
  std::function<absl::Status(absl::string_view project)> authorize;
  // Whether nobody waits for the answer any more. Long work asks it now and then.
  std::function<bool()> cancelled;
};

// Who may call. `authorization` is the value of the call's "authorization" metadata, or empty.
struct Access {
  // Whether the caller is listened to, and the project that it belongs to; empty where nobody needs
  // a token.
  std::function<absl::StatusOr<std::string>(absl::string_view authorization)> admit;
  // Whether the caller may touch this project.
  std::function<absl::Status(absl::string_view authorization, absl::string_view project)> authorize;
};

// Gives an answer's messages one after the other, then nullopt. Must not block.
using NextMessage = std::function<std::optional<std::string>()>;

// One call. Everything is called by one thread at a time, which may be blocked; nothing is called
// before the caller was admitted.
class CallHandler {
 public:
  virtual ~CallHandler() = default;
  // The client's next message, as it came.
  virtual absl::Status Receive(absl::string_view bytes) = 0;
  // The client has sent everything.
  virtual absl::StatusOr<NextMessage> Answer() = 0;
};

struct Method {
  std::string name;  // "/package.Service/Method"
  // The client sends one message, and it is answered without waiting for an end of the stream.
  bool one_message = true;
  // Whether it needs no token, wherever tokens are needed.
  bool for_everybody = false;
  // A client's messages must have come, and its answer must be taken, within this time.
  absl::Duration longest = absl::Minutes(10);
  std::function<std::unique_ptr<CallHandler>(Caller caller)> start;
};

// An answer of one message.
NextMessage OneMessage(std::string message);
// A text in pieces; `wrap` makes a message of each.
NextMessage InPieces(std::string text, std::function<std::string(std::string piece)> wrap);

// A call with one message, which names its project. `answer` gives the answer to it.
template <typename Request>
class OneMessageHandler final : public CallHandler {
 public:
  using AnswerTo = std::function<absl::StatusOr<NextMessage>(const Request& request)>;

  OneMessageHandler(Caller caller, AnswerTo answer)
      : caller_(std::move(caller)), answer_(std::move(answer)) {}

  absl::Status Receive(absl::string_view bytes) override {
    if (absl::Status status = ParseBounded(bytes, request_); !status.ok()) return status;
    return caller_.authorize(request_.project());
  }
  absl::StatusOr<NextMessage> Answer() override { return answer_(request_); }

 private:
  const Caller caller_;
  const AnswerTo answer_;
  Request request_;
};

// `answer`: absl::StatusOr<Response>(const Request&), for a caller who may touch request.project().
template <typename Request, typename Answer>
Method UnaryMethod(std::string name, Answer answer) {
  Method method;
  method.name = std::move(name);
  method.start = [answer](Caller caller) {
    return std::make_unique<OneMessageHandler<Request>>(
        std::move(caller), [answer](const Request& request) -> absl::StatusOr<NextMessage> {
          const auto response = answer(request);
          if (!response.ok()) return response.status();
          return OneMessage(response->SerializeAsString());
        });
  };
  return method;
}

// `answer`: absl::StatusOr<std::string>(const Request&); `wrap` as InPieces wants it.
template <typename Request, typename Answer, typename Wrap>
Method TextMethod(std::string name, Answer answer, Wrap wrap) {
  Method method;
  method.name = std::move(name);
  method.start = [answer, wrap](Caller caller) {
    return std::make_unique<OneMessageHandler<Request>>(
        std::move(caller), [answer, wrap](const Request& request) -> absl::StatusOr<NextMessage> {
          absl::StatusOr<std::string> text = answer(request);
          if (!text.ok()) return text.status();
          return InPieces(*std::move(text), wrap);
        });
  };
  return method;
}

}  // namespace gprofhub::collector
