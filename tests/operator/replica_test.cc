// A server that reads a replica: it answers, reports the age of its answers, and accepts no writes.
// A real PostgreSQL follows another one.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/operator/calls.h"
#include "tests/operator/operator_port.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {
namespace {

using ::testing::HasSubstr;

constexpr char kDatabase[] = "gprofhub";

class ReplicaTest : public testing::Test {
 protected:
  void SetUp() override {
    auto primary = PostgresServer::Start();
    ASSERT_TRUE(primary.ok()) << primary.status();
    primary_ = *std::move(primary);
    const auto location = primary_->CreateDatabase(kDatabase);
    ASSERT_TRUE(location.ok()) << location.status();
    writer_ = std::make_unique<ServeProcess>(std::vector<std::string>{"--store", *location});
    auto copy = primary_->StartCopy();
    ASSERT_TRUE(copy.ok()) << copy.status();
    copy_ = *std::move(copy);
  }

  std::vector<std::string> Reading(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"--store",      copy_->UrlOf(kDatabase), "--replica",
                                          "--role=query", "--metrics-listen",      "127.0.0.1:0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  // Runs that a server lists; -1: it does not answer. `as_of` is what trails the answer.
  static int RunsOf(const ServeProcess& server, std::string* as_of = nullptr) {
    grpc::ClientContext call;
    v1::ListRunsRequest request;
    request.set_project("default");
    v1::ListRunsResponse response;
    const grpc::Status status =
        v1::Query::NewStub(server.Connect())->ListRuns(&call, request, &response);
    if (as_of != nullptr) {
      const auto& trailing = call.GetServerTrailingMetadata();
      const auto found = trailing.find("gprofhub-as-of");
      *as_of =
          found == trailing.end() ? "" : std::string(found->second.data(), found->second.size());
    }
    return status.ok() ? response.runs_size() : -1;
  }

  // The replica lags behind the primary.
  static void AwaitRuns(const ServeProcess& server, int runs) {
    const absl::Time deadline = absl::Now() + absl::Minutes(15);
    while (RunsOf(server) != runs && absl::Now() < deadline) {
      absl::SleepFor(absl::Milliseconds(50));
    }
    ASSERT_EQ(RunsOf(server), runs);
  }

  std::unique_ptr<PostgresServer> primary_;
  std::unique_ptr<PostgresServer> copy_;
  std::unique_ptr<ServeProcess> writer_;
};

TEST_F(ReplicaTest, AnswersFromTheCopyAndSaysHowOldItIs) {
  const std::string run = UploadTraced(writer_->Connect(), FaultTestUpload(1));
  AwaitAnalysis(writer_->Connect(), run);
  const ServeProcess reader(Reading());
  AwaitHealth(reader.Connect(), "gprofhub.v1.Query", "SERVING");
  AwaitRuns(reader, 1);
  std::string as_of, of_writer;
  EXPECT_EQ(RunsOf(reader, &as_of), 1);
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, as_of, &time, &error)) << as_of << error;
  EXPECT_EQ(RunsOf(*writer_, &of_writer), 1);
  EXPECT_EQ(of_writer, "") << "who writes has the newest";
  const std::string metrics = MetricsAddress(reader);
  EXPECT_GT(Scrape(metrics)["gprofhub_copy_time_seconds"], 1e9);
}

TEST_F(ReplicaTest, KeepsNothingAndSaysWhere) {
  const std::string run = UploadTraced(writer_->Connect(), FaultTestUpload(1));
  AwaitAnalysis(writer_->Connect(), run);
  const ServeProcess reader(Reading());
  AwaitRuns(reader, 1);
  grpc::ClientContext call;
  v1::AcknowledgeRequest request;
  request.set_project("default");
  request.mutable_acknowledgement()->set_function("*");
  request.mutable_acknowledgement()->set_reason("it is all right");
  request.mutable_acknowledgement()->set_author("somebody");
  v1::Acknowledgement response;
  const grpc::Status status =
      v1::Query::NewStub(reader.Connect())->Acknowledge(&call, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("use the server that accepts uploads"));
  EXPECT_EQ(RunsOf(reader), 1);
}

TEST_F(ReplicaTest, IsNotReadyWhenTheCopyIsTooOld) {
  const ServeProcess reader(Reading({"--max-staleness", "15"}));
  AwaitHealth(reader.Connect(), "gprofhub.v1.Query", "SERVING");
  // The primary's heartbeats do not reach the replica any more.
  ASSERT_TRUE(copy_->Execute(kDatabase, "SELECT pg_wal_replay_pause()").ok());
  AwaitHealth(reader.Connect(), "gprofhub.v1.Query", "NOT_SERVING");
  EXPECT_THAT(AwaitStatus(MetricsAddress(reader), "/readyz", 503),
              HasSubstr("the replica's data is of"));
  ASSERT_TRUE(copy_->Execute(kDatabase, "SELECT pg_wal_replay_resume()").ok());
  AwaitHealth(reader.Connect(), "gprofhub.v1.Query", "SERVING");
}

TEST_F(ReplicaTest, OnlyQuestionsAreAnsweredFromACopy) {
  const Ended ended = RunGprofhub({"serve", "--store", copy_->UrlOf(kDatabase), "--replica"});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("pass --role=query"));
  const Ended embedded =
      RunGprofhub({"serve", "--role=query", "--replica", "--data-dir", "/tmp/x"});
  EXPECT_NE(embedded.exit_code, 0);
  EXPECT_THAT(embedded.err, HasSubstr("only a PostgreSQL database has replicas"));
}

}  // namespace
}  // namespace gprofhub::tests
