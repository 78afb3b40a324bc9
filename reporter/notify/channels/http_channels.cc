#include "reporter/notify/channels/http_channels.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/hmac.h"
#include "base/percent_coding.h"
#include "base/printable.h"
#include "reporter/forge/http/retry.h"
#include "reporter/notify/messages/bodies.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kQuotedCharacters = 100;

// The response's message, unless it contains the secret.
std::string Said(const base::HttpResponse& response, const std::string& secret) {
  if (response.body.empty() || absl::StrContains(response.body, secret)) return "";
  return absl::StrCat(" ", base::Shortened(base::Printable(response.body), kQuotedCharacters));
}

absl::Status ToStatus(const char* what, const absl::StatusOr<base::HttpResponse>& answer,
                      const std::string& secret) {
  // The HTTP client's message contains the URL, which may be a secret.
  if (absl::IsInvalidArgument(answer.status())) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": the URL may not be called"));
  }
  if (answer.ok() && answer->status >= 200 && answer->status < 300) return absl::OkStatus();
  const std::string why = answer.ok()
                              ? absl::StrCat(what, ": ", answer->status, Said(*answer, secret))
                              : absl::StrCat(what, ": no answer (",
                                             absl::StatusCodeToString(answer.status().code()), ")");
  const RetryDecision decision =
      DecideRetry(answer, /*idempotent=*/false, /*attempt=*/1, absl::Now(), RetryPolicy());
  if (decision.kind != RetryDecision::Kind::kDone) {
    return WithRetryAfter(absl::UnavailableError(why), decision.wait);
  }
  if (!answer.ok()) return absl::UnavailableError(why);
  switch (answer->status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return absl::InvalidArgumentError(why);
    default:
      // Retried, because an operator may fix the address, the token or the receiver. Redirects are
      // not followed.
      return absl::FailedPreconditionError(why);
  }
}

// Converts a message to one request.
using MakeRequest = std::function<base::HttpRequest(const Message&)>;

class HttpChannel final : public Channel {
 public:
  HttpChannel(const char* what, bool updates, std::string secret, MakeRequest request,
              base::HttpClient http)
      : what_(what),
        updates_(updates),
        secret_(std::move(secret)),
        request_(std::move(request)),
        http_(std::move(http)) {}

  bool WantsUpdates() const override { return updates_; }

  absl::StatusOr<std::string> Send(const Message& message) override {
    base::HttpRequest request = request_(message);
    request.headers["Content-Type"] = "application/json";
    request.headers["User-Agent"] = "gprofhub";
    const absl::Status status = ToStatus(what_, http_(request), secret_);
    if (!status.ok()) return status;
    return std::string();
  }

 private:
  const char* const what_;
  const bool updates_;
  const std::string secret_;
  const MakeRequest request_;
  const base::HttpClient http_;
};

}  // namespace

std::unique_ptr<Channel> MakeWebhookChannel(std::string url, std::string secret,
                                            base::HttpClient http,
                                            std::function<absl::Time()> now) {
  MakeRequest request = [url = std::move(url), secret,
                         now = std::move(now)](const Message& message) {
    base::HttpRequest made{"POST", url, {}, WebhookBody(message)};
    const std::string timestamp = absl::StrCat(absl::ToUnixSeconds(now()));
    made.headers["Idempotency-Key"] = message.id;
    made.headers["X-Gprofhub-Timestamp"] = timestamp;
    made.headers["X-Gprofhub-Signature"] = absl::StrCat(
        "sha256=", base::HmacSha256Hex(secret, absl::StrCat(timestamp, ".", made.body)));
    return made;
  };
  return std::make_unique<HttpChannel>("webhook", true, secret, std::move(request),
                                       std::move(http));
}

std::unique_ptr<Channel> MakeSlackChannel(std::string url, base::HttpClient http) {
  MakeRequest request = [url](const Message& message) {
    return base::HttpRequest{"POST", url, {}, SlackBody(message)};
  };
  return std::make_unique<HttpChannel>("slack", false, url, std::move(request), std::move(http));
}

std::unique_ptr<Channel> MakeMattermostChannel(std::string url, base::HttpClient http) {
  MakeRequest request = [url](const Message& message) {
    return base::HttpRequest{"POST", url, {}, MattermostBody(message)};
  };
  return std::make_unique<HttpChannel>("mattermost", false, url, std::move(request),
                                       std::move(http));
}

std::unique_ptr<Channel> MakeMatrixChannel(std::string home_server, const std::string& room,
                                           std::string token, base::HttpClient http) {
  MakeRequest request = [base = absl::StrCat(home_server, "/_matrix/client/v3/rooms/",
                                             base::PercentEncoded(room), "/send/m.room.message/"),
                         token](const Message& message) {
    return base::HttpRequest{"PUT",
                             absl::StrCat(base, message.id),
                             {{"Authorization", absl::StrCat("Bearer ", token)}},
                             MatrixBody(message)};
  };
  return std::make_unique<HttpChannel>("matrix", false, token, std::move(request), std::move(http));
}

}  // namespace gprofhub::reporter
