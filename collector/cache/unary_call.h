// Unary call: the response is computed from the request and the call's context. The handler checks
// permissions itself, because Bazel's messages name no project.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/calls/bounded_parse.h"
#include "collector/calls/method.h"

namespace gprofhub::collector {

template <typename Request>
class UnaryCallHandler final : public CallHandler {
 public:
  // Returns the response's messages.
  using AnswerTo = std::function<absl::StatusOr<NextMessage>(const Request&, const CallContext&)>;

  UnaryCallHandler(CallContext context, AnswerTo answer)
      : context_(std::move(context)), answer_(std::move(answer)) {}

  absl::Status Receive(absl::string_view bytes) override { return ParseBounded(bytes, request_); }
  absl::StatusOr<NextMessage> Answer() override { return answer_(request_, context_); }

 private:
  const CallContext context_;
  const AnswerTo answer_;
  Request request_;
};

template <typename Request>
Method UnaryCall(std::string name, typename UnaryCallHandler<Request>::AnswerTo answer) {
  Method method;
  method.name = std::move(name);
  method.start = [answer = std::move(answer)](CallContext context) {
    return std::make_unique<UnaryCallHandler<Request>>(std::move(context), answer);
  };
  return method;
}

// The same for a response of one message, serialized.
template <typename Request, typename Answer>
Method UnaryCallTo(std::string name, Answer answer) {
  return UnaryCall<Request>(
      std::move(name),
      [answer](const Request& request, const CallContext& call) -> absl::StatusOr<NextMessage> {
        absl::StatusOr<std::string> message = answer(request, call);
        if (!message.ok()) return message.status();
        return OneMessage(*std::move(message));
      });
}

}  // namespace gprofhub::collector
