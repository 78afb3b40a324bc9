#include "collector/calls/grpc_call.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/cord.h"
#include "collector/calls/overloaded.h"
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
  const grpc::Status status = ToGrpcStatus(Overloaded("too much to do", absl::Seconds(3)));
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), static_cast<int>(grpc::StatusCode::RESOURCE_EXHAUSTED));
  EXPECT_EQ(details.message(), "too much to do");
  ASSERT_EQ(details.details_size(), 1);
  EXPECT_EQ(details.details(0).type_url(), kRetryInfoUrl);
  v1::RetryInfo info;
  ASSERT_TRUE(info.ParseFromString(details.details(0).value()));
  EXPECT_EQ(info.retry_delay().seconds(), 3);
}

TEST(ToGrpcStatus, LongMessagesAreCut) {
  const grpc::Status status = ToGrpcStatus(absl::InternalError(std::string(100'000, 'x')));
  EXPECT_LT(status.error_message().size(), 3000u);
  EXPECT_EQ(status.error_message().substr(status.error_message().size() - 4), " …");
  absl::Status detailed = absl::InternalError("short");
  detailed.SetPayload("somebody's", absl::Cord(std::string(100'000, 'x')));
  EXPECT_EQ(ToGrpcStatus(detailed).error_details(), "") << "gRPC would drop the whole error";
}

}  // namespace
}  // namespace gprofhub::collector
