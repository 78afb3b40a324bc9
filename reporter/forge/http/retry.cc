#include "reporter/forge/http/retry.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::reporter {
namespace {

constexpr absl::string_view kPayload = "gprofhub/retry_after_ms";
// GitHub's documented wait for rate limits without a header.
constexpr absl::Duration kUnsaidRateLimitWait = absl::Minutes(1);
// Upper bound of the wait that a forge may request.
constexpr absl::Duration kLongestBelieved = absl::Hours(1);

absl::string_view Header(const base::HttpResponse& response, const char* name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? absl::string_view() : found->second;
}

absl::Duration Believable(absl::Duration wait) {
  return std::clamp(wait, absl::ZeroDuration(), kLongestBelieved);
}

// The value of `retry-after`: seconds, or a date.
std::optional<absl::Duration> RetryAfterHeader(const base::HttpResponse& response, absl::Time now) {
  const absl::string_view text = Header(response, "retry-after");
  uint32_t seconds = 0;
  if (absl::SimpleAtoi(text, &seconds)) return Believable(absl::Seconds(seconds));
  absl::Time date;
  std::string error;
  if (!text.empty() && absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", text, &date, &error)) {
    return Believable(date - now);
  }
  return std::nullopt;
}

// The wait, if the response is a rate limit.
std::optional<absl::Duration> RateLimit(const base::HttpResponse& response, absl::Time now) {
  const std::optional<absl::Duration> said = RetryAfterHeader(response, now);
  const bool used_up = Header(response, "x-ratelimit-remaining") == "0" ||
                       Header(response, "ratelimit-remaining") == "0";
  const bool limited =
      response.status == 429 || (response.status == 403 && (said.has_value() || used_up));
  if (!limited) return std::nullopt;
  if (said.has_value()) return said;
  int64_t reset = 0;
  for (const char* name : {"x-ratelimit-reset", "ratelimit-reset"}) {
    if (used_up && absl::SimpleAtoi(Header(response, name), &reset)) {
      return Believable(absl::FromUnixSeconds(reset) - now + absl::Seconds(1));
    }
  }
  return kUnsaidRateLimitWait;
}

}  // namespace

RetryDecision DecideRetry(const absl::StatusOr<base::HttpResponse>& answer, bool idempotent,
                          int attempt, absl::Time now, const RetryPolicy& policy) {
  using Kind = RetryDecision::Kind;
  absl::Duration wait = policy.first_wait * (1 << std::min(attempt - 1, 10));
  bool again = idempotent;
  if (!answer.ok()) {
    // A server that timed out is not retried at once: other requests queue behind the caller.
    if (absl::IsDeadlineExceeded(answer.status())) return {Kind::kGiveUp, wait};
    if (!absl::IsUnavailable(answer.status())) return {Kind::kDone, absl::ZeroDuration()};
  } else if (const auto limit = RateLimit(*answer, now); limit.has_value()) {
    wait = std::max(*limit, absl::Seconds(1));
    again = true;
  } else if (answer->status >= 500) {
    wait = std::max(wait, RetryAfterHeader(*answer, now).value_or(absl::ZeroDuration()));
  } else {
    return {Kind::kDone, absl::ZeroDuration()};
  }
  again = again && attempt < policy.max_attempts && wait <= policy.longest_wait;
  return {again ? Kind::kWait : Kind::kGiveUp, wait};
}

absl::Status WithRetryAfter(absl::Status status, absl::Duration wait) {
  status.SetPayload(kPayload, absl::Cord(absl::StrCat(absl::ToInt64Milliseconds(wait))));
  return status;
}

std::optional<absl::Duration> RetryAfterOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  int64_t milliseconds = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &milliseconds)) {
    return std::nullopt;
  }
  return absl::Milliseconds(milliseconds);
}

}  // namespace gprofhub::reporter
