// Requests to one bucket: signed, sent, and retried.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "store/objects/s3/credentials.h"
#include "store/objects/s3/location.h"

namespace gprofhub::store {

// Time source; tests inject their own.
struct S3Clock {
  std::function<absl::Time()> now = absl::Now;
  std::function<void(absl::Duration)> sleep = absl::SleepFor;
  std::function<double()> random;  // uniform in [0, 1), thread-safe; empty: a default generator
};

// Failed requests are retried up to the limits on attempts and on total time. The n-th wait is
// random, up to `first_wait` times 2^(n-1): clients that failed together do not retry together
// ("Exponential Backoff And Jitter", AWS Architecture Blog, full jitter).
struct S3Retries {
  int attempts = 6;
  absl::Duration first_wait = absl::Milliseconds(200);
  absl::Duration longest_wait = absl::Seconds(10);
  // No attempt begins later than this.
  absl::Duration total = absl::Minutes(1);
};

// A request.
struct S3Question {
  std::string method;
  std::string key;  // with the location's prefix; empty: the bucket itself
  std::map<std::string, std::string> query;
  base::HttpHeaders headers;  // names in lower case
  absl::string_view body;     // not copied
  // Limit of the response's body.
  size_t most_bytes = 1 << 20;
};

// Safe to use from several threads.
class S3Connection {
 public:
  S3Connection(S3Location location, base::HttpClient http,
               S3CredentialSource::Environment environment, S3Clock clock, S3Retries retries);

  const S3Location& location() const { return location_; }

  // FAILED_PRECONDITION: no credentials are configured (credentials.h).
  absl::Status CheckCredentials();

  // A response of any status for which a retry is useless. UNAVAILABLE: no response.
  absl::StatusOr<base::HttpResponse> Ask(const S3Question& question);

  // The same for a request that creates an object, with the condition that the key is unused
  // (If-None-Match: *). After a server has answered that it does not implement the condition, it
  // is left out.
  absl::StatusOr<base::HttpResponse> AskForNew(S3Question question);

 private:
  absl::StatusOr<base::HttpResponse> AskOnce(const S3Question& question);

  const S3Location location_;
  const base::HttpClient http_;
  const S3Clock clock_;
  const S3Retries retries_;
  S3CredentialSource credentials_;
  std::atomic<bool> knows_condition_{true};
};

}  // namespace gprofhub::store
