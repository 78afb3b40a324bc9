// The load programme. It asserts that no acknowledged data is lost and that healthy calls are
// answered; it prints their latency. The short form runs with the other tests. The long form:
//
//   tests/load/run [SECONDS]
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "proto/query.grpc.pb.h"
#include "store/testing/temp_store.h"
#include "tests/attack/raw_http2.h"
#include "tests/load/loaded_server.h"
#include "tests/load/measurements.h"

namespace gprofhub::tests {
namespace {

constexpr size_t kSmall = 10 << 10;
constexpr size_t kMiddle = 64 << 10;

// How long each load lasts.
absl::Duration Length() {
  const char* const seconds = std::getenv("GPROFHUB_LOAD_SECONDS");
  int value = 0;
  return absl::Seconds(seconds != nullptr && absl::SimpleAtoi(seconds, &value) ? value : 2);
}

// Uploads a second of the load that does not take all there is.
double Rate() {
  const char* const rate = std::getenv("GPROFHUB_LOAD_RATE");
  double value = 0;
  return rate != nullptr && absl::SimpleAtod(rate, &value) && value > 0 ? value : 20;
}

void Say(const std::string& line) { std::cout << "LOAD: " << line << std::endl; }

void SayOutcome(const std::string& name, const Outcome& outcome) {
  Say(absl::StrCat(name, ": ", outcome.acknowledged, " uploads, ",
                   static_cast<int64_t>(outcome.PerSecond()), " a second, ", Summary(outcome.times),
                   ", ", outcome.put_off, " put off"));
}

void ExpectNoFailure(const Outcome& outcome) {
  EXPECT_GT(outcome.acknowledged, 0u);
  EXPECT_TRUE(outcome.failures.empty()) << absl::StrJoin(outcome.failures, "\n");
}

void Calibrate(const LoadedServer& server) {
  Say(absl::StrCat("the disk beside it, writing and syncing 64 KiB: ",
                   Summary(TimesOfSyncs(server.folder(), 100))));
}

// Questions, one after the other by each of four clients, at least one each.
std::vector<absl::Duration> AskFor(const std::string& address, absl::Duration lasts) {
  std::vector<std::vector<absl::Duration>> times(4);
  std::vector<std::thread> clients;
  const absl::Time until = absl::Now() + lasts;
  for (auto& own : times) {
    clients.emplace_back([&own, &address, until] {
      do {
        grpc::ChannelArguments own_connection;
        own_connection.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
        const absl::Time begin = absl::Now();
        const auto stub = v1::Query::NewStub(
            grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own_connection));
        v1::ListRunsRequest request;
        request.set_project("default");
        v1::ListRunsResponse response;
        grpc::ClientContext call;
        const grpc::Status status = stub->ListRuns(&call, request, &response);
        own.push_back(absl::Now() - begin);
        EXPECT_TRUE(status.ok()) << status.error_message();
        // A connection each 10 ms is the rate of a hundred people.
        absl::SleepFor(absl::Milliseconds(10));
      } while (absl::Now() < until);
    });
  }
  for (std::thread& client : clients) client.join();
  std::vector<absl::Duration> all;
  for (const auto& own : times) all.insert(all.end(), own.begin(), own.end());
  return all;
}

TEST(LoadTest, ManyUploadersLoseNothing) {
  LoadedServer server;
  Calibrate(server);
  std::vector<uint64_t> resident;
  const Outcome outcome = server.Run({.clients = 32, .bytes = kSmall, .lasts = Length()},
                                     [&] { resident.push_back(ResidentMiB(server.pid())); });
  ExpectNoFailure(outcome);
  SayOutcome("32 uploaders of 10 KiB", outcome);
  const auto part = [&](size_t i) { return resident[(resident.size() - 1) * i / 5]; };
  Say(absl::StrCat("resident memory after 1/5, 2/5, … of the time: ", part(1), ", ", part(2), ", ",
                   part(3), ", ", part(4), ", ", part(5), " MiB"));
  Calibrate(server);
  EXPECT_EQ(server.CountLostAfterAKill(), 0u);
}

TEST(LoadTest, OverloadLosesNothing) {
  LoadedServer server;
  const Outcome calm = server.Run({.clients = 16, .bytes = kSmall, .lasts = Length() / 2});
  SayOutcome("16 uploaders that do not pause", calm);
  const Outcome overload = server.Run({.clients = 80, .bytes = kSmall, .lasts = Length() / 2});
  SayOutcome("80 of them", overload);
  ExpectNoFailure(calm);
  ExpectNoFailure(overload);
  Say(absl::StrCat("goodput at five times the load: ",
                   static_cast<int>(100 * overload.PerSecond() / calm.PerSecond()), "%"));
  EXPECT_EQ(server.CountLostAfterAKill(), 0u);
}

TEST(LoadTest, ASteadyLoadBesideABusyWorkerLosesNothing) {
  LoadedServer server({"--workers", "1"});
  Calibrate(server);
  const Outcome outcome =
      server.Run({.clients = 16, .uploads_per_second = 100, .bytes = kMiddle, .lasts = Length()});
  ExpectNoFailure(outcome);
  SayOutcome("100 uploads of 64 KiB a second, 16 clients", outcome);
  Calibrate(server);
  EXPECT_EQ(server.CountLostAfterAKill(), 0u);
}

// A server's usual day: uploads at a steady rate, their analyses, and occasional queries.
TEST(LoadTest, ASoakLosesNothingAndItsMemoryIsFlat) {
  LoadedServer server;
  Calibrate(server);
  std::vector<uint64_t> resident;
  std::vector<absl::Duration> asked;
  const Outcome outcome = server.Run(
      {.clients = 8, .uploads_per_second = Rate(), .bytes = kSmall, .lasts = Length()}, [&] {
        resident.push_back(ResidentMiB(server.pid()));
        const std::vector<absl::Duration> times = AskFor(server.address(), absl::ZeroDuration());
        asked.insert(asked.end(), times.begin(), times.end());
      });
  ExpectNoFailure(outcome);
  SayOutcome(absl::StrCat("a soak with ", Rate(), " uploads of 10 KiB a second"), outcome);
  Say(absl::StrCat("questions beside it: ", Summary(asked)));
  std::string line = "resident memory, in MiB, by tenths of the time:";
  for (size_t i = 0; i <= 10; ++i) {
    absl::StrAppend(&line, " ", resident[(resident.size() - 1) * i / 10]);
  }
  Say(line);
  Calibrate(server);
  EXPECT_EQ(server.CountLostAfterAKill(), 0u);
}

TEST(LoadTest, AnUploadOfManyBlobsLosesNothing) {
  // The most that one execution may have, in the long form.
  const uint32_t profiles = Length() > absl::Seconds(10) ? 10'000 : 200;
  LoadedServer server;
  const absl::Duration took = server.RunOne(UploadOfManyBlobs(profiles));
  Say(absl::StrCat("one upload of ", profiles, " profiles: ", absl::FormatDuration(took)));
  EXPECT_EQ(server.CountLostAfterAKill(), 0u);
}

// Silent streams of Upload, opened again as the server cuts them.
class SilentStreams {
 public:
  explicit SilentStreams(const std::string& address) {
    for (uint32_t host = 2; host < 5; ++host) {
      threads_.emplace_back([this, address, host] {
        while (!stopping_) Hold(address, host);
      });
    }
    while (held_ < 3) std::this_thread::yield();
  }
  ~SilentStreams() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  static constexpr int kConnections = 10;
  static constexpr uint32_t kStreams = 100;

  void Hold(const std::string& address, uint32_t host) {
    std::vector<std::unique_ptr<RawConnection>> connections;
    for (int i = 0; i < kConnections; ++i) {
      connections.push_back(std::make_unique<RawConnection>(address, host));
      std::string frames;
      for (uint32_t stream = 0; stream < kStreams; ++stream) {
        frames += FrameBytes(kHeaders, kEndHeaders, 2 * stream + 1,
                             CallHeaders("/gprofhub.v1.Collector/Upload"));
      }
      connections.back()->SendPreface();
      connections.back()->Send(frames);
      connections.back()->AwaitRead();
    }
    ++held_;
    for (const auto& connection : connections) {
      for (uint32_t stream = 0; stream < kStreams; ++stream) {
        connection->AwaitEnd(2 * stream + 1);
      }
    }
  }

  std::atomic<bool> stopping_ = false;
  std::atomic<int> held_ = 0;
  std::vector<std::thread> threads_;
};

// Load on a server that cuts silent streams after `seconds` seconds; cut clients reconnect at once.
void AskBesideSilentStreams(const std::string& seconds) {
  const std::vector<std::string> options = {"--max-silence", seconds};
  LoadedServer server(options);
  ExpectNoFailure(server.Run({.clients = 4, .bytes = kSmall, .lasts = absl::Seconds(1)}));
  const std::vector<absl::Duration> calm = AskFor(server.address(), Length() / 2);
  // The attackers and the server that turns them away take processor time, whichever server it is.
  std::vector<absl::Duration> beside;
  {
    LoadedServer other(options);
    const SilentStreams attack(other.address());
    beside = AskFor(server.address(), Length() / 2);
  }
  std::vector<absl::Duration> attacked;
  {
    const SilentStreams attack(server.address());
    attacked = AskFor(server.address(), Length() / 2);
  }
  EXPECT_FALSE(attacked.empty());
  Say(absl::StrCat("healthy calls, calm: ", Summary(calm)));
  const std::string streams =
      absl::StrCat(" has 3,000 silent streams, opened anew every ", seconds, " s: ");
  Say(absl::StrCat("while another server", streams, Summary(beside)));
  Say(absl::StrCat("while this one", streams, Summary(attacked)));
}

TEST(LoadTest, HealthyCallsAreAnsweredDuringAnAttack) {
  for (const char* const seconds : {"10", "2"}) AskBesideSilentStreams(seconds);
}

}  // namespace
}  // namespace gprofhub::tests
