#include "collector/calls/grpc_call.h"

#include <gtest/gtest.h>

#include <map>
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
  const grpc::Status status = ToGrpcStatus(Overloaded("too much to do", absl::Seconds(3), "QUOTA"));
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), static_cast<int>(grpc::StatusCode::RESOURCE_EXHAUSTED));
  EXPECT_EQ(details.message(), "too much to do");
  ASSERT_EQ(details.details_size(), 2);
  std::map<std::string, std::string> by_type;
  for (const auto& detail : details.details()) by_type[detail.type_url()] = detail.value();
  v1::RetryInfo info;
  ASSERT_TRUE(info.ParseFromString(by_type[std::string(kRetryInfoUrl)]));
  EXPECT_EQ(info.retry_delay().seconds(), 3);
  v1::ErrorInfo why;
  ASSERT_TRUE(why.ParseFromString(by_type[std::string(kErrorInfoUrl)]));
  EXPECT_EQ(why.reason(), "QUOTA");
  EXPECT_EQ(why.domain(), "gprofhub");
}

TEST(RefusalOf, TellsReasonsApart) {
  EXPECT_EQ(RefusalOf(Overloaded("too much to do", absl::Seconds(3), "QUOTA")), "quota");
  EXPECT_EQ(RefusalOf(absl::ResourceExhaustedError("too large")), "too_large");
  EXPECT_EQ(RefusalOf(absl::UnauthenticatedError("who?")), "token");
  EXPECT_EQ(RefusalOf(absl::PermissionDeniedError("no")), "permission");
  EXPECT_EQ(RefusalOf(absl::AbortedError("too slow")), "stalled");
  for (const absl::Status& other :
       {absl::OkStatus(), absl::NotFoundError("none"), absl::InternalError("broken")}) {
    EXPECT_EQ(RefusalOf(other), "") << other;
  }
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
