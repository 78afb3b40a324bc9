#include "reporter/notify/channels/http_channels.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/hmac.h"
#include "reporter/forge/http/retry.h"

namespace gprofhub::reporter {
namespace {

constexpr char kUrl[] = "https://hooks.example.org/T0/B0/verysecret";

// Records requests; returns scripted responses.
struct Recorded {
  std::vector<base::HttpRequest> requests;
  absl::StatusOr<base::HttpResponse> answer = base::HttpResponse{200, {}, "ok"};

  base::HttpClient Client() {
    return [this](const base::HttpRequest& request) {
      requests.push_back(request);
      return answer;
    };
  }
};

Message Example() {
  Message message;
  message.key = std::string(64, 'a');
  message.id = "id-1";
  message.notification.project = "db";
  message.notification.event.mutable_cause()->set_function("parse");
  return message;
}

TEST(WebhookChannel, SignsTimeAndBody) {
  Recorded recorded;
  const auto channel = MakeWebhookChannel(kUrl, "key", recorded.Client(),
                                          [] { return absl::FromUnixSeconds(1700000000); });
  EXPECT_TRUE(channel->WantsUpdates());
  ASSERT_TRUE(channel->Send(Example()).ok());
  ASSERT_EQ(recorded.requests.size(), 1u);
  const base::HttpRequest& request = recorded.requests[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, kUrl);
  EXPECT_EQ(request.headers.at("Content-Type"), "application/json");
  EXPECT_EQ(request.headers.at("Idempotency-Key"), "id-1");
  EXPECT_EQ(request.headers.at("X-Gprofhub-Timestamp"), "1700000000");
  EXPECT_EQ(request.headers.at("X-Gprofhub-Signature"),
            absl::StrCat("sha256=", base::HmacSha256Hex("key", "1700000000." + request.body)));
}

TEST(ChatChannels, PostWhatTheirChatTakes) {
  Recorded recorded;
  ASSERT_TRUE(MakeSlackChannel(kUrl, recorded.Client())->Send(Example()).ok());
  ASSERT_TRUE(MakeMattermostChannel(kUrl, recorded.Client())->Send(Example()).ok());
  ASSERT_TRUE(
      MakeMatrixChannel("https://matrix.example.org", "!room:x.org", "token", recorded.Client())
          ->Send(Example())
          .ok());
  ASSERT_EQ(recorded.requests.size(), 3u);
  EXPECT_TRUE(nlohmann::json::parse(recorded.requests[0].body).contains("blocks"));
  EXPECT_TRUE(nlohmann::json::parse(recorded.requests[1].body).contains("text"));
  const base::HttpRequest& matrix = recorded.requests[2];
  EXPECT_EQ(matrix.method, "PUT");
  EXPECT_EQ(matrix.url,
            "https://matrix.example.org/_matrix/client/v3/rooms/%21room%3Ax.org/send/"
            "m.room.message/id-1");
  EXPECT_EQ(matrix.headers.at("Authorization"), "Bearer token");
}

TEST(HttpChannels, SayWhetherTryingAgainHelps) {
  Recorded recorded;
  const auto channel = MakeSlackChannel(kUrl, recorded.Client());
  const auto code = [&](int status, const base::HttpHeaders& headers = {}) {
    recorded.answer = base::HttpResponse{status, headers, ""};
    return channel->Send(Example()).status().code();
  };
  EXPECT_EQ(code(204), absl::StatusCode::kOk);
  EXPECT_EQ(code(400), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(413), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(302), absl::StatusCode::kFailedPrecondition) << "no redirect is followed";
  EXPECT_EQ(code(403), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(404), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(503), absl::StatusCode::kUnavailable);
  EXPECT_EQ(code(429, {{"retry-after", "300"}}), absl::StatusCode::kUnavailable);
  EXPECT_EQ(RetryAfterOf(channel->Send(Example()).status()), absl::Seconds(300));
  recorded.answer = absl::UnavailableError("no route");
  EXPECT_EQ(channel->Send(Example()).status().code(), absl::StatusCode::kUnavailable);
  recorded.answer = absl::InvalidArgumentError("http");
  EXPECT_EQ(channel->Send(Example()).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(HttpChannels, NoErrorHasTheSecret) {
  Recorded recorded;
  const auto channel = MakeSlackChannel(kUrl, recorded.Client());
  for (const absl::StatusOr<base::HttpResponse>& answer :
       {absl::StatusOr<base::HttpResponse>(base::HttpResponse{404, {}, absl::StrCat("no ", kUrl)}),
        absl::StatusOr<base::HttpResponse>(absl::UnavailableError(absl::StrCat("POST ", kUrl))),
        absl::StatusOr<base::HttpResponse>(absl::InvalidArgumentError(kUrl))}) {
    recorded.answer = answer;
    const absl::Status status = channel->Send(Example()).status();
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(absl::StrContains(status.message(), "verysecret")) << status;
  }
}

}  // namespace
}  // namespace gprofhub::reporter
