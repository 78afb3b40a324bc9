// Credentials that sign requests, from the places that Amazon's own programs use.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "store/objects/s3/signature.h"

namespace gprofhub::store {

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

}  // namespace gprofhub::store
