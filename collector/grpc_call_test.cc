#include "collector/grpc_call.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "collector/fair_pool.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {

namespace {

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kParent[] = "00f067aa0ba902b7";

std::string Traceparent(absl::string_view version, absl::string_view trace,
                        absl::string_view parent, absl::string_view rest) {
  return absl::StrCat(version, "-", trace, "-", parent, "-", rest);
}

TEST(ClientOfPeer, IsAnIpv4AddressOrAnIpv6NetworkOf64Bits) {
  const std::string v4 = ClientOfPeer("ipv4:10.0.0.7:51234");
  EXPECT_EQ(ClientOfPeer("ipv4:10.0.0.7:9"), v4);
  EXPECT_EQ(ClientOfPeer("ipv6:%5B::ffff:10.0.0.7%5D:51234"), v4);
  EXPECT_EQ(ClientOfPeer("ipv6:[::ffff:10.0.0.7]:51234"), v4);
  EXPECT_NE(ClientOfPeer("ipv4:10.0.0.8:51234"), v4);
  const std::string v6 = ClientOfPeer("ipv6:%5B2001:db8:1:2::1%5D:51234");
  EXPECT_EQ(ClientOfPeer("ipv6:%5B2001:db8:1:2:ffff::9%5D:7%"), v6);
  EXPECT_NE(ClientOfPeer("ipv6:%5B2001:db8:1:3::1%5D:51234"), v6);
  EXPECT_EQ(ClientOfPeer("ipv6:%5Bfe80::1%25eth0%5D:1"), ClientOfPeer("ipv6:[fe80::2]:1"));
  EXPECT_NE(ClientOfPeer("unix:/tmp/a"), ClientOfPeer("unix:/tmp/b"));
}

TEST(TraceIdOf, IsTheSecondField) {
  EXPECT_EQ(TraceIdOf(Traceparent("00", kTrace, kParent, "01")), kTrace);
  EXPECT_EQ(TraceIdOf(Traceparent("cc", kTrace, kParent, "01")), kTrace);
  EXPECT_EQ(TraceIdOf(Traceparent("01", kTrace, kParent, "01-what-comes-later")), kTrace);
}

TEST(TraceIdOf, NothingElseIsATraceparent) {
  const std::string upper = "4BF92F3577B34DA6A3CE929D0E0E4736";
  for (const std::string& text :
       {std::string(), std::string("00"), Traceparent("00", kTrace, kParent, "0"),
        Traceparent("ff", kTrace, kParent, "01"), Traceparent("0x", kTrace, kParent, "01"),
        Traceparent("00", upper, kParent, "01"), Traceparent("00", kTrace, kParent, "zz"),
        Traceparent("00", std::string(32, '0'), kParent, "01"),
        Traceparent("00", kTrace, std::string(16, '0'), "01"),
        Traceparent("00", kTrace, kParent, "01-more"), Traceparent("01", kTrace, kParent, "01more"),
        Traceparent("00", absl::StrCat(kTrace, "0"), kParent, "01"), std::string(55, '-'),
        std::string(55, '0'), std::string(1 << 16, 'a')}) {
    EXPECT_EQ(TraceIdOf(text), std::nullopt) << text;
  }
}

TEST(NewRequestId, IsATraceIdOfItsOwn) {
  const std::string id = NewRequestId();
  EXPECT_EQ(TraceIdOf(Traceparent("00", id, kParent, "01")), id);
  EXPECT_NE(NewRequestId(), id);
}

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
