#include "collector/grpc_call.h"

#include <gtest/gtest.h>

#include "collector/field_error.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {
namespace {

TEST(ToGrpcStatus, KeepsCodeAndMessage) {
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  const grpc::Status status = ToGrpcStatus(absl::NotFoundError("no such run"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no such run");
  EXPECT_EQ(status.error_details(), "");
}

TEST(ToGrpcStatus, PayloadsBecomeDetails) {
  const grpc::Status status = ToGrpcStatus(FieldError("run", "is missing"));
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), static_cast<int>(grpc::StatusCode::INVALID_ARGUMENT));
  EXPECT_EQ(details.message(), "run: is missing");
  ASSERT_EQ(details.details_size(), 1);
  EXPECT_EQ(details.details(0).type_url(), kBadRequestUrl);
}

TEST(ToGrpcStatus, LongMessagesAreCut) {
  const grpc::Status status = ToGrpcStatus(absl::InternalError(std::string(100'000, 'x')));
  EXPECT_LT(status.error_message().size(), 3000u);
  EXPECT_EQ(status.error_message().substr(status.error_message().size() - 4), " …");
  const grpc::Status field = ToGrpcStatus(FieldError("run", std::string(100'000, 'x')));
  EXPECT_EQ(field.error_details(), "") << "gRPC would drop the whole error";
}

}  // namespace
}  // namespace gprofhub::collector
