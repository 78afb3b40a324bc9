// When an answer of a forge is asked for again, as a value.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/http/http.h"

namespace gprofhub::reporter {

struct RetryPolicy {
  int max_attempts = 4;
  // Where the forge does not say how long. It doubles with every attempt.
  absl::Duration first_wait = absl::Seconds(1);
  // For a longer wait the job is given back instead (RetryAfterOf).
  absl::Duration longest_wait = absl::Seconds(20);
};

struct RetryDecision {
  enum class Kind {
    kDone,    // the answer stands, good or bad
    kWait,    // ask again after `wait`
    kGiveUp,  // the answer is no use now; `wait` is when it may be
  };
  Kind kind = Kind::kDone;
  absl::Duration wait = absl::ZeroDuration();
};

// `attempt` counts from 1. A request that is not `idempotent` is repeated only after a rate limit:
// that answer says that the request was not done. The wait follows RFC 9110, 10.2.3, and GitHub's
// "Best practices for using the REST API": retry-after, else x-ratelimit-reset, else a minute.
RetryDecision DecideRetry(const absl::StatusOr<base::HttpResponse>& answer, bool idempotent,
                          int attempt, absl::Time now, const RetryPolicy& policy);

// An error that says when to try again.
absl::Status WithRetryAfter(absl::Status status, absl::Duration wait);
std::optional<absl::Duration> RetryAfterOf(const absl::Status& status);

}  // namespace gprofhub::reporter
