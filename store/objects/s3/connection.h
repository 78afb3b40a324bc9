// Requests to one bucket: signed, sent, and repeated where that may help.
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

// How time goes. Tests give their own.
struct S3Clock {
  std::function<absl::Time()> now = absl::Now;
  std::function<void(absl::Duration)> sleep = absl::SleepFor;
  std::function<double()> random;  // from 0 up to 1, from several threads; empty: a good one
};

// After a failure the same is asked again, until there were so many attempts or so much time has
// gone. The n-th wait is random, up to `first_wait` times 2^(n-1): many who failed together do not
// come back together ("Exponential Backoff And Jitter", AWS Architecture Blog, the full jitter).
struct S3Retries {
  int attempts = 6;
  absl::Duration first_wait = absl::Milliseconds(200);
  absl::Duration longest_wait = absl::Seconds(10);
  // Nothing is begun again after this.
  absl::Duration total = absl::Minutes(1);
};

// What is asked for.
struct S3Question {
  std::string method;
  std::string key;  // with the location's prefix; empty: the bucket itself
  std::map<std::string, std::string> query;
  base::HttpHeaders headers;  // names in lower case
  absl::string_view body;     // not copied
  // Of the answer's body.
  size_t most_bytes = 1 << 20;
};

// Safe to use from several threads.
class S3Connection {
 public:
  S3Connection(S3Location location, base::HttpClient http,
               S3CredentialSource::Environment environment, S3Clock clock, S3Retries retries);

  const S3Location& location() const { return location_; }

  // FAILED_PRECONDITION: there are no keys (credentials.h).
  absl::Status CheckCredentials();

  // An answer of any status that would be the same another time. UNAVAILABLE: there was none.
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
