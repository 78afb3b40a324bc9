// Watch over real connections. Check is tested where it is used (cli, tests/operator).
#include "server/grpc_server.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/testing/raw_peer.h"

namespace gprofhub::server {

namespace {

// A client's stream of Watch.
class Watch {
 public:
  Watch(const std::shared_ptr<grpc::Channel>& channel, const std::string& service)
      : stub_(channel) {
    stream_ = stub_.PrepareCall(&call_, "/grpc.health.v1.Health/Watch", &queue_);
    stream_->StartCall(this);
    Step();
    v1::HealthCheckRequest request;
    request.set_service(service);
    const grpc::Slice bytes(request.SerializeAsString());
    stream_->WriteLast(grpc::ByteBuffer(&bytes, 1), grpc::WriteOptions(), this);
    Step();
  }
  ~Watch() {
    call_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) continue;
  }

  // Waits for the next status; its name, or that of the code that the stream ends with.
  std::string Next() {
    grpc::ByteBuffer bytes;
    stream_->Read(&bytes, this);
    if (!Step()) return End();
    grpc::Slice slice;
    v1::HealthCheckResponse response;
    EXPECT_TRUE(bytes.DumpToSingleSlice(&slice).ok());
    EXPECT_TRUE(response.ParseFromArray(slice.begin(), static_cast<int>(slice.size())));
    return v1::HealthCheckResponse::ServingStatus_Name(response.status());
  }

 private:
  bool Step() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }
  std::string End() {
    grpc::Status status;
    stream_->Finish(&status, this);
    Step();
    switch (status.error_code()) {
      case grpc::StatusCode::RESOURCE_EXHAUSTED:
        return "too many";
      case grpc::StatusCode::UNAVAILABLE:
        return "stopping";
      default:
        return status.error_message();
    }
  }

  grpc::GenericStub stub_;
  grpc::ClientContext call_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
};

class HealthServiceTest : public testing::Test {
 protected:
  HealthServiceTest() {
    GrpcServer::Options options;
    options.is_serving = [this](const std::string& service) -> std::optional<bool> {
      if (service.empty()) return serves_.load();
      if (service == "gprofhub.worker" && has_worker_) return true;
      return std::nullopt;
    };
    auto server = GrpcServer::Start({"127.0.0.1", 0}, {}, {}, options);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  // A connection of its own.
  std::shared_ptr<grpc::Channel> Connect() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(server_->address().ToString(),
                                     grpc::InsecureChannelCredentials(), arguments);
  }

  std::atomic<bool> serves_ = true;
  std::atomic<bool> has_worker_ = true;
  std::unique_ptr<GrpcServer> server_;
};

TEST_F(HealthServiceTest, WatchTellsAtOnceAndOfEachChange) {
  Watch whole(Connect(), "");
  Watch worker(Connect(), "gprofhub.worker");
  Watch unknown(Connect(), "other");
  EXPECT_EQ(whole.Next(), "SERVING");
  EXPECT_EQ(worker.Next(), "SERVING");
  EXPECT_EQ(unknown.Next(), "SERVICE_UNKNOWN");
  serves_ = false;
  EXPECT_EQ(whole.Next(), "NOT_SERVING");
  serves_ = true;
  has_worker_ = false;
  EXPECT_EQ(whole.Next(), "SERVING");
  EXPECT_EQ(worker.Next(), "SERVICE_UNKNOWN");
}

TEST_F(HealthServiceTest, StopEndsWatchesWithoutWaitingForThem) {
  Watch watch(Connect(), "");
  EXPECT_EQ(watch.Next(), "SERVING");
  // An open stream would delay it for all that time.
  server_->Stop(absl::Hours(1));
  EXPECT_EQ(watch.Next(), "stopping");
}

TEST_F(HealthServiceTest, StopDoesNotWaitForConnectionsWithoutCalls) {
  const std::string settings("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
  const int idle = ConnectAndSay(server_->address().port, settings);
  char byte = 0;
  ASSERT_EQ(read(idle, &byte, 1), 1) << "the server speaks HTTP/2";
  const int silent = ConnectAndSay(server_->address().port, "");
  server_->Stop(absl::Hours(1));
  close(idle);
  close(silent);
}

TEST_F(HealthServiceTest, OnePeerHasHalfOfTheStreamsAndGivesThemBackWhenItLeaves) {
  const uint64_t most = HealthService::Options().watchers / 2;
  std::vector<std::unique_ptr<Watch>> watches;
  std::shared_ptr<grpc::Channel> channel;
  for (uint64_t i = 0; i < most; ++i) {
    if (i % 50 == 0) channel = Connect();
    watches.push_back(std::make_unique<Watch>(channel, ""));
    ASSERT_EQ(watches.back()->Next(), "SERVING") << i;
  }
  EXPECT_EQ(Watch(Connect(), "").Next(), "too many");
  watches.clear();
  while (Watch(Connect(), "").Next() != "SERVING") continue;
}

}  // namespace

}  // namespace gprofhub::server
