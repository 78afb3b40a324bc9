// The same upload many times at once, and uploads whose connection breaks at every point. Each is
// one record in the end.
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/fault/byte_cutter.h"
#include "tests/fault/client.h"
#include "tests/fault/scale.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/stores.h"

namespace gprofhub::tests {
namespace {

class RepeatsTest : public testing::TestWithParam<StoreMaker> {
 protected:
  grpc::Status Upload(const std::shared_ptr<grpc::Channel>& channel, uint32_t i,
                      v1::UploadResponse& response) {
    return Send(
        channel, FaultTestUpload(i), "", [] {}, response);
  }

  void ExpectOneRecordEach(const v1::Run& run) {
    EXPECT_EQ(run.jobs_failed(), 0u) << run.ShortDebugString();
    for (const v1::Target& target : run.targets()) {
      EXPECT_EQ(target.executions(), 1u) << target.label();
      EXPECT_EQ(target.profiles(), 1u) << target.label();
      EXPECT_EQ(target.state(), v1::Target::ANALYZED) << target.ShortDebugString();
    }
  }

  const std::unique_ptr<StorePlace> place_ = GetParam().make();
  ServeProcess server_{std::vector<std::string>{"--store", place_->location()}};
};

TEST_P(RepeatsTest, TheSameUploadManyTimesAtOnceIsOneRecord) {
  constexpr int kClients = 8;
  const int sends = Scaled(400, 10000);
  std::atomic<int> left{sends};
  std::atomic<int> recorded{0};
  std::string run_id;
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&] {
      const auto channel = server_.Connect();
      while (left-- > 0) {
        v1::UploadResponse response;
        const grpc::Status status = Upload(channel, 1, response);
        EXPECT_TRUE(status.ok()) << status.error_message();
        recorded += status.ok() && !response.already_present();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(recorded, 1);
  v1::UploadResponse response;
  ASSERT_TRUE(Upload(server_.Connect(), 1, response).ok());
  EXPECT_TRUE(response.already_present());
  ExpectOneRecordEach(AwaitAnalysis(server_.Connect(), response.run_id()));
}

TEST_P(RepeatsTest, AnUploadThatIsCutAnywhereIsSentAgainOnce) {
  const auto through = [&](const ByteCutter& proxy, uint32_t i, v1::UploadResponse& response) {
    grpc::ChannelArguments once;
    once.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    return Upload(
        grpc::CreateCustomChannel(proxy.address(), grpc::InsecureChannelCredentials(), once), i,
        response);
  };
  uint64_t to_server = 0;
  uint64_t to_client = 0;
  {
    ByteCutter proxy(server_.address(), ByteCutter::kNever, ByteCutter::kNever);
    v1::UploadResponse response;
    ASSERT_TRUE(through(proxy, 0, response).ok());
    to_server = proxy.ToServer();
    to_client = proxy.ToClient();
  }
  const int cuts = Scaled(40, 200);
  int acknowledged = 0;
  std::string run_id;
  for (int cut = 0; cut < cuts; ++cut) {
    // Every fourth cut is on the way back.
    const auto part = [&](uint64_t all) {
      return 1 + all * static_cast<uint64_t>(cut) / static_cast<uint64_t>(cuts);
    };
    const bool back = cut % 4 == 3;
    ByteCutter proxy(server_.address(), back ? ByteCutter::kNever : part(to_server),
                     back ? part(to_client) : ByteCutter::kNever);
    const uint32_t upload = static_cast<uint32_t>(5 + cut);
    v1::UploadResponse first, again;
    const grpc::Status status = through(proxy, upload, first);
    EXPECT_TRUE(status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE)
        << status.error_message();
    const grpc::Status second = Upload(server_.Connect(), upload, again);
    ASSERT_TRUE(second.ok()) << second.error_message();
    if (status.ok()) {
      ++acknowledged;
      EXPECT_TRUE(again.already_present());
    }
    ExpectOneRecordEach(AwaitAnalysis(server_.Connect(), again.run_id()));
  }
  EXPECT_LT(acknowledged, cuts) << "no upload was cut";
  std::cout << cuts << " cuts, " << acknowledged << " after the acknowledgement" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Stores, RepeatsTest, testing::ValuesIn(AllStores()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gprofhub::tests
