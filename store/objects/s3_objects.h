// Objects in a bucket of Amazon S3, or of another server with its API.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "store/objects/location.h"
#include "store/objects/object_store.h"

namespace gprofhub::store {

// Credentials that sign requests, from the places that Amazon's own programs use.

// The entry of a profile in a shared credentials file: aws_access_key_id, aws_secret_access_key and
// aws_session_token below [PROFILE] ("Configuration and credential file settings", AWS CLI User
// Guide). INVALID_ARGUMENT: unknown profile, or a malformed line, by its number. Messages contain
// no part of a value.
absl::StatusOr<S3Credentials> ParseCredentialsFile(absl::string_view text,
                                                   absl::string_view profile);

// Reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; without them the file
// AWS_SHARED_CREDENTIALS_FILE (else ~/.aws/credentials), and there the profile AWS_PROFILE (else
// "default"). A changed file is read again, so that credentials can be rotated while a server runs;
// while it cannot be read, its last content is used. Safe to use from several threads.
class S3CredentialSource {
 public:
  // The value of an environment variable; empty if unset.
  using Environment = std::function<std::string(const char* name)>;

  explicit S3CredentialSource(Environment environment = OfThisProcess());
  static Environment OfThisProcess();

  // FAILED_PRECONDITION: no credentials are configured; the message lists the places.
  absl::StatusOr<S3Credentials> Get();

 private:
  absl::StatusOr<S3Credentials> Read() const;
  // Changes with the file's content; empty if the file does not exist.
  std::string State() const;

  const Environment environment_;
  absl::Mutex mutex_;
  std::optional<S3Credentials> known_ ABSL_GUARDED_BY(mutex_);
  std::string known_state_ ABSL_GUARDED_BY(mutex_);
};

// Requests to one bucket: signed, sent, and retried.

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

// Maps a server's response to a status.

// Whether a retry of the request may succeed: the server is busy, restarts, or did not receive the
// bytes that were sent. The body of a 2xx response is not parsed: it may be an object's bytes.
bool MayGoBetter(const base::HttpResponse& answer);

// The error of an unexpected response; never OK. Of the server's error only the code goes into the
// message: its text contains the bucket's name and the signed request.
//
//   NOT_FOUND            the object does not exist
//   OUT_OF_RANGE         the object is shorter
//   ALREADY_EXISTS       an object already has the key
//   PERMISSION_DENIED    the credentials are not sufficient
//   FAILED_PRECONDITION  the bucket does not exist or is elsewhere, or the server refuses a request
//                        body of that size
//   UNIMPLEMENTED        the server does not implement the request
//   UNAVAILABLE          transient; a retry may succeed
//   INTERNAL             anything else
absl::Status StatusOf(const base::HttpResponse& answer);

// The error of a request without a response, as base/http/http.h has it, without the URL.
absl::Status WithoutUrl(const absl::Status& status);

struct S3Options {
  S3CredentialSource::Environment environment = S3CredentialSource::OfThisProcess();
  S3Clock clock;
  S3Retries retries;
  absl::Duration connect_timeout = absl::Seconds(10);
  // Timeout of one request. A request that sends an object may take another second per 128 KiB.
  absl::Duration timeout = absl::Minutes(1);
  std::string ca_file;    // PEM; empty: the system's certificates
  base::HttpClient http;  // empty: libcurl with the options above
};

// `location` as in location.h: INVALID_ARGUMENT names the invalid part. FAILED_PRECONDITION: no
// credentials are configured. No request is sent yet. Additional errors of the methods, compared
// with object_store.h: FAILED_PRECONDITION if the bucket does not exist, INTERNAL or DATA_LOSS if a
// server deviates from S3.
//
// The credentials need s3:GetObject, s3:PutObject, s3:DeleteObject, and s3:ListBucket: without it a
// server does not report that an object is missing.
//
// An object is sent in one PUT request, without a copy of its bytes.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenS3Objects(absl::string_view location,
                                                           S3Options options);

}  // namespace gprofhub::store
