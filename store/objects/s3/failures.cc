#include "store/objects/s3/failures.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/public_message.h"
#include "store/objects/s3/answers.h"

namespace gprofhub::store {
namespace {

// Transient errors: "Error responses", Amazon S3 API Reference. The last three are transmission
// errors: the digest of the received bytes is not that of the sent ones, or the server timed out
// waiting for them.
constexpr std::array<absl::string_view, 9> kPassing = {
    "InternalError",    "ServiceUnavailable",         "SlowDown",
    "OperationAborted", "ConditionalRequestConflict", "RequestLimitExceeded",
    "RequestTimeout",   "XAmzContentSHA256Mismatch",  "BadDigest"};
constexpr std::array<absl::string_view, 4> kOfKeys = {"ExpiredToken", "InvalidToken",
                                                      "TokenRefreshRequired", "AccessDenied"};
constexpr std::array<absl::string_view, 4> kElsewhere = {"PermanentRedirect", "TemporaryRedirect",
                                                         "AuthorizationHeaderMalformed",
                                                         "IllegalLocationConstraintException"};

template <size_t kSize>
bool IsOneOf(absl::string_view code, const std::array<absl::string_view, kSize>& codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool IsPassing(int status, absl::string_view code) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504 ||
         IsOneOf(code, kPassing);
}

}  // namespace

bool MayGoBetter(const base::HttpResponse& answer) {
  return IsPassing(answer.status, answer.status >= 300 ? ErrorCodeOf(answer.body) : "");
}

absl::Status StatusOf(const base::HttpResponse& answer) {
  const std::string code = ErrorCodeOf(answer.body);
  const int status = answer.status;
  const std::string said = code.empty() ? absl::StrCat("status ", status) : code;
  if (IsPassing(status, code)) {
    return absl::UnavailableError(absl::StrCat("the object store is busy: ", said));
  }
  if (code == "NoSuchKey") return absl::NotFoundError("there is no such object");
  if (code == "NoSuchBucket") {
    return absl::FailedPreconditionError("the object store has no such bucket");
  }
  if (status == 413 || code == "EntityTooLarge") {
    return absl::FailedPreconditionError(
        absl::StrCat("the object store takes no object of this size (", said,
                     "): raise its limit on request bodies, or that of the proxy before it"));
  }
  if (status == 416) return absl::OutOfRangeError("the object is shorter");
  if (status == 412) return absl::AlreadyExistsError("another object has the key");
  if (status == 501) {
    return absl::UnimplementedError(absl::StrCat("the object store cannot do that: ", said));
  }
  if ((status >= 300 && status < 400) || IsOneOf(code, kElsewhere)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the bucket is elsewhere (", said, "): check endpoint, region and style"));
  }
  if (code == "RequestTimeTooSkewed") {
    return absl::PermissionDeniedError(
        "the object store refuses requests of this time: the clocks differ by minutes");
  }
  if (status == 401 || status == 403 || IsOneOf(code, kOfKeys)) {
    return absl::PermissionDeniedError(absl::StrCat("the object store refuses the keys: ", said));
  }
  if (status == 404) {
    return absl::FailedPreconditionError(
        absl::StrCat("whoever answers is no object store: ", said));
  }
  return absl::InternalError(absl::StrCat("the object store answers with ", said));
}

absl::Status WithoutUrl(const absl::Status& status) {
  const std::string why = base::PublicMessageOf(status);
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) {
    return absl::UnavailableError(absl::StrCat("the object store does not answer: ", why));
  }
  if (absl::IsResourceExhausted(status)) {
    return absl::InternalError(absl::StrCat("the object store: ", why));
  }
  return absl::Status(status.code(), "the object store cannot be asked");
}

}  // namespace gprofhub::store
