// Channels that send messages over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "base/http/http.h"
#include "reporter/notify/channels/channel.h"

namespace gprofhub::reporter {

// Posts WebhookBody. The headers, of which the last authenticates sender and time:
//   Idempotency-Key:       Message::id
//   X-Gprofhub-Timestamp:  seconds since 1970
//   X-Gprofhub-Signature:  "sha256=" HmacSha256Hex(secret, TIMESTAMP "." BODY)
std::unique_ptr<Channel> MakeWebhookChannel(std::string url, std::string secret,
                                            base::HttpClient http, std::function<absl::Time()> now);

// Post to an incoming webhook. Its URL is a secret and never part of an error.
std::unique_ptr<Channel> MakeSlackChannel(std::string url, base::HttpClient http);
std::unique_ptr<Channel> MakeMattermostChannel(std::string url, base::HttpClient http);

// `room` is "!ID:SERVER". Message::id is the transaction id, so that the home server drops a
// message that is sent again.
std::unique_ptr<Channel> MakeMatrixChannel(std::string home_server, const std::string& room,
                                           std::string token, base::HttpClient http);

}  // namespace gprofhub::reporter
