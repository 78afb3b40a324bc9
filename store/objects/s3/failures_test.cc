#include "store/objects/s3/failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/public_message.h"

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

base::HttpResponse Answer(int status, const std::string& code = "") {
  if (code.empty()) return {status, {}, ""};
  return {status,
          {},
          absl::StrCat("<Error><Code>", code, "</Code><Message>host.example</Message></Error>")};
}

TEST(StatusOfTest, SaysWhatAnAnswerMeans) {
  using Code = absl::StatusCode;
  const auto code = [](const base::HttpResponse& answer) { return StatusOf(answer).code(); };
  EXPECT_EQ(code(Answer(404, "NoSuchKey")), Code::kNotFound);
  EXPECT_EQ(code(Answer(404, "NoSuchBucket")), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(404)), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(416, "InvalidRange")), Code::kOutOfRange);
  EXPECT_EQ(code(Answer(412, "PreconditionFailed")), Code::kAlreadyExists);
  EXPECT_EQ(code(Answer(501, "NotImplemented")), Code::kUnimplemented);
  EXPECT_EQ(code(Answer(403, "SignatureDoesNotMatch")), Code::kPermissionDenied);
  EXPECT_EQ(code(Answer(403, "RequestTimeTooSkewed")), Code::kPermissionDenied);
  EXPECT_EQ(code(Answer(403)), Code::kPermissionDenied);
  EXPECT_EQ(code(Answer(400, "ExpiredToken")), Code::kPermissionDenied);
  EXPECT_EQ(code(Answer(301, "PermanentRedirect")), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(307)), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(400, "AuthorizationHeaderMalformed")), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(503, "SlowDown")), Code::kUnavailable);
  EXPECT_EQ(code(Answer(400, "RequestTimeout")), Code::kUnavailable);
  EXPECT_EQ(code(Answer(409, "ConditionalRequestConflict")), Code::kUnavailable);
  EXPECT_EQ(code(Answer(200)), Code::kInternal);
  EXPECT_EQ(code(Answer(400, "EntityTooLarge")), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(413)), Code::kFailedPrecondition);
  EXPECT_EQ(code(Answer(400, "InvalidDigest")), Code::kInternal);
}

TEST(StatusOfTest, TellsTheCodeAndNotTheServersWords) {
  const std::string message(StatusOf(Answer(403, "AccessDenied")).message());
  EXPECT_THAT(message, HasSubstr("AccessDenied"));
  EXPECT_THAT(message, Not(HasSubstr("host.example")));
}

TEST(MayGoBetterTest, IsSoForServersThatAreBusy) {
  EXPECT_TRUE(MayGoBetter(Answer(500)));
  EXPECT_TRUE(MayGoBetter(Answer(429)));
  EXPECT_TRUE(MayGoBetter(Answer(400, "BadDigest")));
  EXPECT_FALSE(MayGoBetter(Answer(403, "AccessDenied")));
  EXPECT_FALSE(MayGoBetter(Answer(404, "NoSuchKey")));
}

TEST(MayGoBetterTest, LeavesTheBytesOfAnObjectAlone) {
  EXPECT_FALSE(MayGoBetter(Answer(200, "InternalError")));
}

TEST(WithoutUrlTest, SaysWhyAndNotWhere) {
  const absl::Status status = WithoutUrl(base::WithPublicMessage(
      absl::DeadlineExceededError("GET https://host.example/: too slow"), "Timeout was reached"));
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(status.message(), "the object store does not answer: Timeout was reached");
  // Nor if the error has no public message.
  const absl::Status plain = WithoutUrl(absl::InvalidArgumentError("https://host.example/"));
  EXPECT_THAT(std::string(plain.message()), Not(HasSubstr("host.example")));
}

}  // namespace
}  // namespace gprofhub::store
