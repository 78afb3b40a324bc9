#include "collector/field_error.h"

#include <gtest/gtest.h>

#include "absl/strings/cord.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {
namespace {

TEST(FieldError, NamesTheFieldInTheMessageAndTheDetails) {
  const absl::Status status = FieldError("header.run.commit", "is missing");
  EXPECT_EQ(status, FieldError("header.run.commit", "is missing"));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "header.run.commit: is missing");
  const auto payload = status.GetPayload(kBadRequestUrl);
  ASSERT_TRUE(payload.has_value());
  v1::BadRequest details;
  ASSERT_TRUE(details.ParseFromString(std::string(*payload)));
  ASSERT_EQ(details.field_violations_size(), 1);
  EXPECT_EQ(details.field_violations(0).field(), "header.run.commit");
  EXPECT_EQ(details.field_violations(0).description(), "is missing");
}

TEST(FieldError, ASizeOverTheLimitIsAnErrorOfItsOwn) {
  EXPECT_EQ(FieldTooLarge("chunk.data", "has 9 bytes").code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace gprofhub::collector
