// The keys that requests are signed with, from where Amazon's own programs look for them.
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

}  // namespace gprofhub::store
