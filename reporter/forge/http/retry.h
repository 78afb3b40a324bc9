// Retry policy for a forge's responses, as a pure function.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/http/http.h"

namespace gprofhub::reporter {

struct RetryPolicy {
  int max_attempts = 4;
  // Used if the forge does not specify a wait. It doubles with every attempt.
  absl::Duration first_wait = absl::Seconds(1);
  // A longer wait is returned to the caller as an error (RetryAfterOf).
  absl::Duration longest_wait = absl::Seconds(20);
};

struct RetryDecision {
  enum class Kind {
    kDone,    // the response is final, success or error
    kWait,    // retry after `wait`
    kGiveUp,  // fail; the caller may retry after `wait`
  };
  Kind kind = Kind::kDone;
  absl::Duration wait = absl::ZeroDuration();
};

// `attempt` counts from 1. A request that is not `idempotent` is retried only after a rate limit,
// which guarantees that the request was not executed. The wait follows RFC 9110, 10.2.3, and
// GitHub's "Best practices for using the REST API": retry-after, else x-ratelimit-reset, else a
// minute.
RetryDecision DecideRetry(const absl::StatusOr<base::HttpResponse>& answer, bool idempotent,
                          int attempt, absl::Time now, const RetryPolicy& policy);

// Attaches the time until the next retry to an error.
absl::Status WithRetryAfter(absl::Status status, absl::Duration wait);
std::optional<absl::Duration> RetryAfterOf(const absl::Status& status);

}  // namespace gprofhub::reporter
