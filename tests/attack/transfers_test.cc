// Incomplete, too many and too large file uploads of one project, at the same time as another's.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "proto/byte_stream.grpc.pb.h"
#include "tests/attack/attacked_server.h"

namespace gprofhub::tests {
namespace {

namespace stream = google::bytestream;

// One Write, of which the first message is sent.
struct HalfWrite {
  HalfWrite(const std::shared_ptr<grpc::Channel>& channel, const std::string& token,
            const std::string& hash, uint64_t size, const std::string& data, bool finish = false)
      : stub(stream::ByteStream::NewStub(channel)) {
    call.AddMetadata("authorization", "Bearer " + token);
    writer = stub->Write(&call, &response);
    stream::WriteRequest message;
    message.set_resource_name(absl::StrCat("uploads/u/blobs/", hash, "/", size));
    message.set_data(data);
    message.set_finish_write(finish);
    EXPECT_TRUE(writer->Write(message));
  }

  std::unique_ptr<stream::ByteStream::Stub> stub;
  grpc::ClientContext call;
  stream::WriteResponse response;
  std::unique_ptr<grpc::ClientWriter<stream::WriteRequest>> writer;
};

std::string HashOf(int number) { return base::Sha256Hex(absl::StrCat("blob ", number)); }

// Upload of a whole file.
grpc::Status HandOver(const std::shared_ptr<grpc::Channel>& channel, const std::string& token,
                      const std::string& bytes) {
  HalfWrite write(channel, token, base::Sha256Hex(bytes), bytes.size(), bytes, /*finish=*/true);
  write.writer->WritesDone();
  const grpc::Status status = write.writer->Finish();
  if (status.ok()) {
    EXPECT_EQ(write.response.committed_size(), static_cast<int64_t>(bytes.size()));
  }
  return status;
}

class TransfersTest : public testing::Test {
 protected:
  std::shared_ptr<grpc::Channel> Connect() const {
    grpc::ChannelArguments own_connection;
    own_connection.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(server_.address(), grpc::InsecureChannelCredentials(),
                                     own_connection);
  }

  AttackedServer server_{{"--max-silence", "2", "--max-transfer", "8", "--max-transfers", "16"}};
  const std::string greedy_ = server_.MakeToken("greedy");
  const std::string healthy_ = server_.MakeToken("default");
};

TEST_F(TransfersTest, HalfWrittenFilesByHundredsAreCutAndLeaveOthersAlone) {
  constexpr int kConnections = 10;
  constexpr int kStreams = 30;
  std::vector<std::unique_ptr<HalfWrite>> writes;
  for (int i = 0; i < kConnections; ++i) {
    const auto channel = Connect();
    for (int j = 0; j < kStreams; ++j) {
      // Half of what would be one piece.
      writes.push_back(std::make_unique<HalfWrite>(channel, greedy_, HashOf(i * kStreams + j),
                                                   8 << 20, std::string(512 << 10, 'x')));
    }
  }
  server_.ExpectHealthy(3, healthy_);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(HandOver(Connect(), healthy_, absl::StrCat("a log ", i)).ok());
  }
  for (const auto& write : writes) {
    const grpc::Status status = write->writer->Finish();
    // Uploads above the quota learn that the file is not needed.
    if (!status.ok()) {
      EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
    }
  }
  EXPECT_LT(server_.PeakMiB(), 400u);
}

TEST_F(TransfersTest, AFloodOfFilesFillsOnlyItsProjectsRoom) {
  const auto channel = Connect();
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(HandOver(channel, greedy_, std::string(3 << 20, static_cast<char>('a' + i))).ok());
  }
  // 16 MiB take five of these.
  EXPECT_NE(server_.Log().find("fill the"), std::string::npos) << server_.Log();
  const std::string mine(3 << 20, 'm');
  EXPECT_TRUE(HandOver(channel, healthy_, mine).ok());
  stream::ReadRequest request;
  request.set_resource_name(absl::StrCat("blobs/", base::Sha256Hex(mine), "/", mine.size()));
  grpc::ClientContext call;
  call.AddMetadata("authorization", "Bearer " + healthy_);
  const auto reader = stream::ByteStream::NewStub(channel)->Read(&call, request);
  stream::ReadResponse response;
  std::string read;
  while (reader->Read(&response)) read += response.data();
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_TRUE(read == mine);
}

TEST_F(TransfersTest, WrongHashesAndSizesLeaveNothing) {
  const auto channel = Connect();
  for (int i = 0; i < 200; ++i) {
    HalfWrite wrong(channel, greedy_, HashOf(i), 1 << 20, std::string(1 << 20, 'x'),
                    /*finish=*/true);
    EXPECT_EQ(wrong.writer->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  // Its quota is unchanged.
  EXPECT_TRUE(HandOver(channel, greedy_, std::string(3 << 20, 'g')).ok());
  EXPECT_EQ(server_.Log().find("fill the"), std::string::npos);
}

}  // namespace
}  // namespace gprofhub::tests
