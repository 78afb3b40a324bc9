// Messages that are small on the wire and large in memory, or that announce a large size and never
// end.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/attack/attacked_server.h"
#include "tests/attack/raw_http2.h"

namespace gprofhub::tests {
namespace {

constexpr char kFind[] = "/gprofhub.v1.Collector/FindMissingBlobs";
constexpr char kUpload[] = "/gprofhub.v1.Collector/Upload";
constexpr uint64_t kMostMiB = 256;

// So many MiB of zeros in gzip's format.
std::string GzipOfZeros(int mebibytes) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string zeros(1 << 20, '\0');
  std::string packed(size_t{2} << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  for (int i = 0; i < mebibytes; ++i) {
    stream.next_in = reinterpret_cast<Bytef*>(zeros.data());
    stream.avail_in = static_cast<uInt>(zeros.size());
    EXPECT_EQ(deflate(&stream, i + 1 == mebibytes ? Z_FINISH : Z_NO_FLUSH),
              i + 1 == mebibytes ? Z_STREAM_END : Z_OK);
  }
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Sends one message on a new stream of a new connection, and waits until the stream has ended.
void SendMessage(const std::string& address, const std::string& path, const std::string& more,
                 const std::string& message) {
  RawConnection connection(address, 2);
  ASSERT_TRUE(connection.SendPreface());
  ASSERT_TRUE(connection.Send(FrameBytes(kHeaders, kEndHeaders, 1, CallHeaders(path, more))));
  connection.SendData(1, message);
  connection.Send(FrameBytes(kData, kEndStream, 1, ""));
  EXPECT_TRUE(connection.AwaitEnd(1));
}

TEST(MessagesTest, CompressedOnesAreNotInflated) {
  AttackedServer server;
  const std::string message = GrpcMessage(GzipOfZeros(1000), /*compressed=*/true);
  for (int i = 0; i < 3; ++i) {
    SendMessage(server.address(), kUpload, Header("grpc-encoding", "gzip"), message);
  }
  server.ExpectHealthy(1);
  EXPECT_LT(server.PeakMiB(), kMostMiB);
  RecordProperty("server_peak_mib", std::to_string(server.PeakMiB()));
}

// As many as a message can have: an empty BlobRef is two bytes.
std::string EmptyFields() {
  std::string bytes;
  while (bytes.size() + 64 < size_t{4} << 20) bytes += std::string("\x12\x00", 2);
  return GrpcMessage(bytes);
}

TEST(MessagesTest, OfMillionsOfFieldsAreNotParsed) {
  AttackedServer server;
  const std::string message = EmptyFields();
  for (int i = 0; i < 8; ++i) SendMessage(server.address(), kFind, "", message);
  server.ExpectHealthy(1);
  EXPECT_LT(server.PeakMiB(), kMostMiB);
  RecordProperty("server_peak_mib", std::to_string(server.PeakMiB()));
}

TEST(MessagesTest, OfStrangersAreNotRead) {
  AttackedServer server;
  const std::string token = server.MakeToken("default");
  const std::string message = EmptyFields();
  for (int i = 0; i < 8; ++i) SendMessage(server.address(), kFind, "", message);
  server.ExpectHealthy(1, token);
  EXPECT_LT(server.PeakMiB(), 128u);
  RecordProperty("server_peak_mib", std::to_string(server.PeakMiB()));
}

TEST(MessagesTest, ThatAreNoUtf8DoNotFillTheLog) {
  constexpr int kMessages = 300;
  AttackedServer server;
  const std::string message = GrpcMessage("\x0a\x01\xff");  // a project
  for (int i = 0; i < kMessages; ++i) SendMessage(server.address(), kFind, "", message);
  server.ExpectHealthy(1);
  const std::string log = server.Log();
  EXPECT_LT(std::count(log.begin(), log.end(), '\n'), kMessages / 2) << log;
}

TEST(MessagesTest, ThatSayToBeAGibibyteAreCut) {
  AttackedServer server;
  const std::string gibibyte = std::string("\0\x40\0\0\0", 5) + std::string(size_t{256} << 20, 'x');
  for (int i = 0; i < 2; ++i) SendMessage(server.address(), kUpload, "", gibibyte);
  server.ExpectHealthy(1);
  EXPECT_LT(server.PeakMiB(), kMostMiB);
  RecordProperty("server_peak_mib", std::to_string(server.PeakMiB()));
}

}  // namespace
}  // namespace gprofhub::tests
