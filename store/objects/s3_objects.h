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
#include "base/http.h"
#include "store/objects/location.h"
#include "store/objects/object_store.h"

namespace gprofhub::store {

// The keys that requests are signed with, from where Amazon's own programs look for them.

// What a shared credentials file says of a profile: aws_access_key_id, aws_secret_access_key and
// aws_session_token below [PROFILE] ("Configuration and credential file settings", AWS CLI User
// Guide). INVALID_ARGUMENT: no such profile, or a line that is none, by its number. Messages hold
// nothing of a value.
absl::StatusOr<S3Credentials> ParseCredentialsFile(absl::string_view text,
                                                   absl::string_view profile);

// Reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; without them the file
// AWS_SHARED_CREDENTIALS_FILE (else ~/.aws/credentials), and there the profile AWS_PROFILE (else
// "default"). A file that changed is read again, so that keys can be replaced while a server runs;
// what it said before holds while it cannot be read. Safe to use from several threads.
class S3CredentialSource {
 public:
  // The value of an environment's variable; empty if it has none.
  using Environment = std::function<std::string(const char* name)>;

  explicit S3CredentialSource(Environment environment = OfThisProcess());
  static Environment OfThisProcess();

  // FAILED_PRECONDITION: there are none; the message says where they may be.
  absl::StatusOr<S3Credentials> Get();

 private:
  absl::StatusOr<S3Credentials> Read() const;
  // Changes with the file's content; empty if there is no file.
  std::string State() const;

  const Environment environment_;
  absl::Mutex mutex_;
  std::optional<S3Credentials> known_ ABSL_GUARDED_BY(mutex_);
  std::string known_state_ ABSL_GUARDED_BY(mutex_);
};

// Requests to one bucket: signed, sent, and repeated where that may help.

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

// What a server's answer means for whoever asked.

// Whether a retry of the request may succeed: the server is busy, restarts, or did not receive the
// bytes that were sent. The body of a 2xx response is not parsed: it may be an object's bytes.
bool MayGoBetter(const base::HttpResponse& answer);

// The error of an answer that is none of those that were hoped for; never OK. Of what the server
// says only the code goes into the message: its words name the bucket, and what it signed.
//
//   NOT_FOUND            there is no such object
//   OUT_OF_RANGE         the object is shorter
//   ALREADY_EXISTS       an object has the key that was to be new
//   PERMISSION_DENIED    the keys are not enough
//   FAILED_PRECONDITION  there is no such bucket, it is elsewhere, or the server takes no request
//                        body of that size
//   UNIMPLEMENTED        the server does not know what it was asked for
//   UNAVAILABLE          it may go better in a moment
//   INTERNAL             anything else
absl::Status StatusOf(const base::HttpResponse& answer);

// The error of a request without an answer, as base/http.h has it, without the URL.
absl::Status WithoutUrl(const absl::Status& status);

struct S3Options {
  S3CredentialSource::Environment environment = S3CredentialSource::OfThisProcess();
  S3Clock clock;
  S3Retries retries;
  absl::Duration connect_timeout = absl::Seconds(10);
  // Of one request. A request that sends an object may take another second per 128 KiB.
  absl::Duration timeout = absl::Minutes(1);
  std::string ca_file;    // PEM; empty: the system's certificates
  base::HttpClient http;  // empty: libcurl, as the options above say
};

// `location` is as location.h says: INVALID_ARGUMENT names what is wrong with it.
// FAILED_PRECONDITION: there are no keys. Nobody is asked yet. What its functions return beside the
// errors of object_store.h: FAILED_PRECONDITION where there is no such bucket, INTERNAL or
// DATA_LOSS where a server does not do what S3 does.
//
// Keys need s3:GetObject, s3:PutObject, s3:DeleteObject, and s3:ListBucket: without it a server
// does not say that there is no such object.
//
// An object is sent in one PUT request, without a copy of its bytes.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenS3Objects(absl::string_view location,
                                                           S3Options options);

}  // namespace gprofhub::store
