// PostgreSQL is restarted, crashes and fills up under a running server. Calls fail meanwhile with a
// reason. Afterwards the same server process recovers, and no acknowledged data is lost.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/fault/client.h"
#include "tests/fault/scale.h"
#include "tests/fault/serve_process.h"
#include "tests/fault/shim/fault_control.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {
namespace {

class DatabaseOutagesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto database = PostgresServer::Start();
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = *std::move(database);
    const auto url = database_->CreateDatabase("outages");
    ASSERT_TRUE(url.ok()) << url.status();
    server_ =
        std::make_unique<ServeProcess>(std::vector<std::string>{"--store", *url, "--lease", "2"});
    channel_ = server_->Connect();
    uploads_.SendBy(channel_);
  }

  // The server's own process has come back to the database.
  void ExpectWorking() {
    grpc::Status status;
    for (int tries = 0; tries < 100 && !(status = uploads_.Send(next_)).ok(); ++tries) {
      EXPECT_NE(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    }
    ++next_;
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_FALSE(server_->HasEnded());
  }

  void ExpectAllThere() {
    for (const std::string& run : uploads_.ExpectAllThere()) {
      const v1::Run got = AwaitAnalysis(channel_, run);
      EXPECT_EQ(got.jobs_failed(), 0u) << got.ShortDebugString();
    }
  }

  std::unique_ptr<PostgresServer> database_;
  std::unique_ptr<ServeProcess> server_;
  std::shared_ptr<grpc::Channel> channel_;
  uint32_t next_ = 0;
  Uploads uploads_;
};

TEST_F(DatabaseOutagesTest, ARestartIsSurvived) {
  const int times = Scaled(2, 20);
  for (int time = 0; time < times; ++time) {
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
    ASSERT_TRUE(database_->Stop().ok());
    EXPECT_EQ(uploads_.Send(1000).error_code(), grpc::StatusCode::UNAVAILABLE);
    ASSERT_TRUE(database_->StartAgain().ok());
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
  }
  ExpectAllThere();
}

TEST_F(DatabaseOutagesTest, ACrashIsSurvived) {
  const int times = Scaled(2, 20);
  for (int time = 0; time < times; ++time) {
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
    database_->Crash();
    EXPECT_EQ(uploads_.Send(1000).error_code(), grpc::StatusCode::UNAVAILABLE);
    ASSERT_TRUE(database_->StartAgain().ok());
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
  }
  ExpectAllThere();
}

TEST_F(DatabaseOutagesTest, AFullDiskIsSurvived) {
  ASSERT_TRUE(database_->Stop().ok());
  FaultControl disk = FaultControl::OfFiles(database_->directory() + "/data");
  disk.ShareIn(database_->directory());
  ASSERT_TRUE(database_->StartAgain(disk.Environment()).ok());
  const int times = Scaled(3, 10);
  for (int time = 0; time < times; ++time) {
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
    disk.SetFull(true);
    // Tables have some free pages. So it takes some uploads until one finds no place.
    grpc::Status status;
    for (int uploads = 0; uploads < 500 && status.ok(); ++uploads) status = uploads_.Send(next_++);
    EXPECT_FALSE(status.ok()) << "the disk was not full";
    EXPECT_TRUE(status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ||
                status.error_code() == grpc::StatusCode::UNAVAILABLE)
        << status.error_code() << ": " << status.error_message();
    disk.SetFull(false);
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
  }
  ExpectAllThere();
}

}  // namespace
}  // namespace gprofhub::tests
