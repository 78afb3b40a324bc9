// Hostile build events: thousands of streams that fall silent, a client that takes no
// acknowledgement, events that fill memory. Another project's invocation continues during each.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/build_events.pb.h"
#include "proto/publish_build_event.grpc.pb.h"
#include "tests/attack/attacked_server.h"
#include "tests/attack/raw_http2.h"

namespace gprofhub::tests {
namespace {

namespace build = google::devtools::build::v1;

constexpr char kStream[] =
    "/google.devtools.build.v1.PublishBuildEvent/PublishBuildToolEventStream";
constexpr uint32_t kAttacker = 2;  // 127.0.0.2
constexpr int kConnections = 20;
constexpr uint32_t kStreams = 100;  // of each connection

// An event that the server stores, with a text of this size.
build::PublishBuildToolEventStreamRequest Event(const std::string& invocation, int64_t sequence,
                                                size_t size = 10) {
  build_events::BuildEvent event;
  event.mutable_id()->mutable_target_configured()->set_label(
      absl::StrCat("//a:", sequence, std::string(size, 'x')));
  event.mutable_configured()->set_test_size(1);
  build::PublishBuildToolEventStreamRequest request;
  build::OrderedBuildEvent& ordered = *request.mutable_ordered_build_event();
  ordered.mutable_stream_id()->set_invocation_id(invocation);
  ordered.set_sequence_number(sequence);
  auto& any = *ordered.mutable_event()->mutable_bazel_event();
  any.set_type_url("type.googleapis.com/build_event_stream.BuildEvent");
  any.set_value(event.SerializeAsString());
  return request;
}

class BuildEventsTest : public testing::Test {
 protected:
  struct Client {
    std::unique_ptr<build::PublishBuildEvent::Stub> stub;
    grpc::ClientContext call;
    std::unique_ptr<grpc::ClientReaderWriter<build::PublishBuildToolEventStreamRequest,
                                             build::PublishBuildToolEventStreamResponse>>
        stream;
  };
  std::unique_ptr<Client> Open(const std::string& token) const {
    grpc::ChannelArguments own_connection;
    own_connection.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    auto client = std::make_unique<Client>();
    client->stub = build::PublishBuildEvent::NewStub(grpc::CreateCustomChannel(
        server_.address(), grpc::InsecureChannelCredentials(), own_connection));
    client->call.AddMetadata("authorization", "Bearer " + token);
    client->stream = client->stub->PublishBuildToolEventStream(&client->call);
    return client;
  }

  // Half-closes the stream; returns its status.
  static grpc::Status End(Client& client) {
    client.stream->WritesDone();
    // gRPC has the status once everything before it was read.
    build::PublishBuildToolEventStreamResponse response;
    while (client.stream->Read(&response)) {
    }
    return client.stream->Finish();
  }

  // A raw connection with `streams` of the attacker's open, on each of which `messages(number)` is
  // sent.
  template <typename Messages>
  std::unique_ptr<RawConnection> Attack(uint32_t streams, const std::string& settings,
                                        Messages messages) const {
    auto connection = std::make_unique<RawConnection>(server_.address(), kAttacker);
    EXPECT_TRUE(connection->SendPreface());
    if (!settings.empty()) connection->Send(FrameBytes(kSettings, 0, 0, settings));
    const std::string headers = CallHeaders(kStream, Header("authorization", "Bearer " + greedy_));
    for (uint32_t i = 0; i < streams; ++i) {
      const uint32_t stream = 2 * i + 1;
      connection->Send(FrameBytes(kHeaders, kEndHeaders, stream, headers));
      connection->SendData(stream, messages(i));
    }
    return connection;
  }

  // Another project's builds continue.
  void ExpectOthersGoOn() {
    server_.ExpectHealthy(3, healthy_);
    const std::string invocation = absl::StrCat("healthy-", ++healthy_invocations_);
    const auto client = Open(healthy_);
    for (int64_t i = 1; i <= 20; ++i) {
      ASSERT_TRUE(client->stream->Write(Event(invocation, i)));
      build::PublishBuildToolEventStreamResponse response;
      ASSERT_TRUE(client->stream->Read(&response));
      ASSERT_EQ(response.sequence_number(), i);
    }
    const grpc::Status status = End(*client);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  AttackedServer server_{{"--max-silence", "2"}};
  const std::string greedy_ = server_.MakeToken("greedy");
  const std::string healthy_ = server_.MakeToken("default");
  int healthy_invocations_ = 0;
};

TEST_F(BuildEventsTest, ThousandsOfSilentInvocationsLeaveOthersAlone) {
  std::vector<std::unique_ptr<RawConnection>> connections;
  for (int i = 0; i < kConnections; ++i) {
    connections.push_back(Attack(kStreams, "", [i](uint32_t stream) {
      const std::string invocation = absl::StrCat("silent-", i, "-", stream);
      return GrpcMessage(Event(invocation, 1).SerializeAsString());
    }));
  }
  ExpectOthersGoOn();
  RecordProperty("server_peak_mib", std::to_string(server_.PeakMiB()));
  EXPECT_LT(server_.PeakMiB(), 384u);
}

TEST_F(BuildEventsTest, ThousandsOfStreamsOfOneInvocationLeaveOthersAlone) {
  std::vector<std::unique_ptr<RawConnection>> connections;
  for (int i = 0; i < kConnections; ++i) {
    connections.push_back(Attack(kStreams, "", [](uint32_t) {
      return GrpcMessage(Event("the same", 1).SerializeAsString());
    }));
  }
  ExpectOthersGoOn();
  EXPECT_LT(server_.PeakMiB(), 384u);
}

TEST_F(BuildEventsTest, StreamsWithoutAnEventAreCut) {
  const auto connection = Attack(kStreams, "", [](uint32_t) { return ""; });
  for (uint32_t i = 0; i < kStreams; ++i) EXPECT_TRUE(connection->AwaitEnd(2 * i + 1)) << i;
  ExpectOthersGoOn();
}

TEST_F(BuildEventsTest, AClientThatTakesNoAcknowledgementIsCut) {
  constexpr uint32_t kGreedyStreams = 4;
  // SETTINGS_INITIAL_WINDOW_SIZE (4) is 0: the server may send nothing on a stream (RFC
  // 9113, 6.9.2).
  const std::string no_window("\0\4\0\0\0\0", 6);
  const auto connection = Attack(kGreedyStreams, no_window, [](uint32_t stream) {
    std::string messages;
    for (int64_t i = 1; i <= 500; ++i) {
      messages += GrpcMessage(Event(absl::StrCat("unread-", stream), i).SerializeAsString());
    }
    return messages;
  });
  for (uint32_t i = 0; i < kGreedyStreams; ++i) EXPECT_TRUE(connection->AwaitEnd(2 * i + 1)) << i;
  ExpectOthersGoOn();
}

TEST_F(BuildEventsTest, EventsThatFillMemoryEndTheirInvocationOnly) {
  const auto client = Open(greedy_);
  // The limit of an invocation is 96 MiB in memory.
  int64_t sent = 0;
  while (sent < 30 && client->stream->Write(Event("large", sent + 1, 3 << 20))) ++sent;
  const grpc::Status status = End(*client);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(absl::StrContains(status.error_message(), "test fewer targets at once"))
      << status.error_message();
  ExpectOthersGoOn();
  EXPECT_LT(server_.PeakMiB(), 384u);
}

TEST_F(BuildEventsTest, EventsOfMillionsOfFieldsAreNotParsed) {
  // An item of a command line without a text is two bytes on the wire, and a string in memory.
  std::string arguments;
  while (arguments.size() < size_t{3} << 20) arguments += std::string("\x0a\x00", 2);
  build_events::BuildEvent command_line;
  command_line.mutable_id();
  ASSERT_TRUE(command_line.mutable_unstructured_command_line()->ParseFromString(arguments));
  build::PublishBuildToolEventStreamRequest request = Event("bomb", 1);
  request.mutable_ordered_build_event()->mutable_event()->mutable_bazel_event()->set_value(
      command_line.SerializeAsString());
  for (int i = 0; i < 8; ++i) {
    const auto client = Open(greedy_);
    client->stream->Write(request);
    EXPECT_EQ(End(*client).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  }
  ExpectOthersGoOn();
  EXPECT_LT(server_.PeakMiB(), 256u);
}

// 46 MiB of events, each with 20,000 ids of file sets, empty or of one byte: a hundred times as
// much in memory.
TEST_F(BuildEventsTest, EventsThatAreLargerInMemoryCountAsThat) {
  for (const std::string& id : {std::string("\x12\x00", 2), std::string("\x12\x03\x0a\x01x", 5)}) {
    std::string ids;
    for (int i = 0; i < 20'000; ++i) ids += id;
    build_events::BuildEvent event;
    event.mutable_id()->mutable_named_set();
    ASSERT_TRUE(event.mutable_named_set_of_files()->ParseFromString(ids));
    const auto client = Open(greedy_);
    const std::string invocation = absl::StrCat("dense-", id.size());
    int64_t sent = 0;
    for (uint64_t bytes = 0; bytes < (uint64_t{46} << 20); bytes += ids.size()) {
      event.mutable_id()->mutable_named_set()->set_id(absl::StrCat(++sent));
      build::PublishBuildToolEventStreamRequest request = Event(invocation, sent);
      request.mutable_ordered_build_event()->mutable_event()->mutable_bazel_event()->set_value(
          event.SerializeAsString());
      if (!client->stream->Write(request)) break;
    }
    const grpc::Status status = End(*client);
    EXPECT_TRUE(status.ok() || status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED)
        << status.error_message();
  }
  ExpectOthersGoOn();
  RecordProperty("server_peak_mib", std::to_string(server_.PeakMiB()));
  EXPECT_LT(server_.PeakMiB(), 384u);
}

TEST_F(BuildEventsTest, AnEventLargerThanAMessageIsRefused) {
  const auto client = Open(greedy_);
  client->stream->Write(Event("huge", 1, 5 << 20));
  EXPECT_EQ(End(*client).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  ExpectOthersGoOn();
}

}  // namespace
}  // namespace gprofhub::tests
