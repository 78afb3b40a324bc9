// One project's flood, and another's calls at the same time.
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/build_events.pb.h"
#include "proto/collector.grpc.pb.h"
#include "proto/publish_build_event.grpc.pb.h"
#include "proto/query.grpc.pb.h"
#include "store/testing/temp_store.h"
#include "tests/attack/attacked_server.h"
#include "tests/fault/client.h"

namespace gprofhub::tests {
namespace {

std::string QuotasFile(const std::string& json) {
  std::string path = absl::StrCat(store::MakeTempDir(), "/quotas.json");
  std::ofstream(path) << json;
  return path;
}

bool SaysWhenToComeBack(const grpc::ClientContext& call) {
  return call.GetServerTrailingMetadata().count("grpc-retry-pushback-ms") == 1;
}

TEST(QuotasTest, AFloodOfCallsIsRefusedAndLeavesOthersAlone) {
  constexpr int kThreads = 16;
  constexpr int kCallsOfEach = 200;
  constexpr int kPerMinute = 30;
  AttackedServer server(
      {"--quotas", QuotasFile(absl::StrCat(R"({"projects":{"noisy":{"calls_per_minute":)",
                                           kPerMinute, "}}}"))});
  const std::string token = server.MakeToken("default");
  const std::string noisy = server.MakeToken("noisy");
  std::atomic<int> taken = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> otherwise = 0;
  std::vector<std::thread> flood;
  const absl::Time begin = absl::Now();
  for (int i = 0; i < kThreads; ++i) {
    flood.emplace_back([&] {
      const auto stub = v1::Collector::NewStub(
          grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials()));
      for (int n = 0; n < kCallsOfEach; ++n) {
        grpc::ClientContext call;
        call.AddMetadata("authorization", "Bearer " + noisy);
        v1::FindMissingBlobsRequest request;
        request.set_project("noisy");
        v1::FindMissingBlobsResponse response;
        const grpc::Status status = stub->FindMissingBlobs(&call, request, &response);
        const bool is_refusal =
            status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED && SaysWhenToComeBack(call);
        ++(status.ok() ? taken : is_refusal ? refused : otherwise);
      }
    });
  }
  server.ExpectHealthy(5, token);
  for (std::thread& thread : flood) thread.join();
  // A bucket of 30 that fills while the flood lasts.
  const double minutes = absl::ToDoubleMinutes(absl::Now() - begin);
  EXPECT_GE(taken, kPerMinute);
  EXPECT_LE(taken, kPerMinute + static_cast<int>(kPerMinute * minutes) + 1);
  EXPECT_EQ(taken + refused, kThreads * kCallsOfEach);
  EXPECT_EQ(otherwise, 0);
  server.ExpectHealthy(1, token);
}

TEST(QuotasTest, BytesAboveThemAreRefusedAndLeaveOthersAlone) {
  AttackedServer server(
      {"--quotas", QuotasFile(R"({"projects":{"noisy":{"bytes_per_hour":50000}}})")});
  const std::string token = server.MakeToken("default");
  const std::string noisy = server.MakeToken("noisy");
  int taken = 0;
  grpc::Status last;
  for (uint32_t i = 0; i < 20; ++i) {
    collector::SampleUpload upload = FaultTestUpload(100 + i);
    upload.header.mutable_run()->set_project("noisy");
    v1::UploadResponse response;
    last = Send(
        grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials()), upload, noisy,
        [] {}, response);
    taken += last.ok();
  }
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, 20) << "each has about ten kilobytes";
  EXPECT_EQ(last.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << last.error_message();
  EXPECT_NE(last.error_message().find("50000 bytes"), std::string::npos) << last.error_message();
  server.ExpectHealthy(2, token);
}

// 100 MiB of build events, and 0.3 MB of culprits, with a quota of 0.1 MB.
TEST(QuotasTest, WhatCallsStoreCounts) {
  AttackedServer server(
      {"--quotas", QuotasFile(R"({"projects":{"noisy":{"stored_bytes":100000}}})")});
  const std::string token = server.MakeToken("default");
  const std::string noisy = server.MakeToken("noisy");
  const auto channel = grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials());
  namespace build = google::devtools::build::v1;
  const auto stub = build::PublishBuildEvent::NewStub(channel);
  grpc::ClientContext call;
  call.AddMetadata("authorization", "Bearer " + noisy);
  const auto stream = stub->PublishBuildToolEventStream(&call);
  int64_t sent = 0;
  for (; sent < 100; ++sent) {
    build_events::BuildEvent event;
    event.mutable_id()->mutable_target_configured()->set_label(std::string(1 << 20, 'x'));
    event.mutable_configured()->set_test_size(1);
    build::PublishBuildToolEventStreamRequest request;
    build::OrderedBuildEvent& ordered = *request.mutable_ordered_build_event();
    ordered.mutable_stream_id()->set_invocation_id("flood");
    ordered.set_sequence_number(sent + 1);
    auto& any = *ordered.mutable_event()->mutable_bazel_event();
    any.set_type_url("type.googleapis.com/build_event_stream.BuildEvent");
    any.set_value(event.SerializeAsString());
    if (!stream->Write(request)) break;
  }
  stream->WritesDone();
  build::PublishBuildToolEventStreamResponse response;
  EXPECT_FALSE(stream->Read(&response)) << "not even the first one fits";
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(absl::StrContains(status.error_message(), "storage quota")) << status.error_message();

  const auto query = v1::Query::NewStub(channel);
  int taken = 0;
  for (; taken < 100; ++taken) {
    v1::RecordCulpritRequest culprit;
    culprit.set_project("noisy");
    culprit.set_target(absl::StrCat("//db:", taken));
    culprit.set_function(std::string(900, 'f'));
    culprit.set_base_commit(std::string(40, 'a'));
    culprit.set_head_commit(std::string(40, 'd'));
    culprit.mutable_culprit()->set_commit(std::string(40, 'c'));
    culprit.mutable_culprit()->set_subject(std::string(900, 's'));
    culprit.mutable_culprit()->set_author(std::string(900, 'a'));
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + noisy);
    v1::RecordCulpritResponse recorded;
    if (!query->RecordCulprit(&context, culprit, &recorded).ok()) break;
  }
  EXPECT_GT(taken, 10);
  EXPECT_LT(taken, 60) << "each has about three kilobytes";
  server.ExpectHealthy(1, token);
}

}  // namespace
}  // namespace gprofhub::tests
