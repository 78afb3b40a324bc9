// A standby is promoted during uploads. With synchronous replication no acknowledged data is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/fault/client.h"
#include "tests/fault/scale.h"
#include "tests/fault/serve_process.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {
namespace {

class FailoverTest : public testing::Test {
 protected:
  void Start() {
    auto primary = PostgresServer::Start();
    ASSERT_TRUE(primary.ok()) << primary.status();
    primary_ = *std::move(primary);
    const auto url = primary_->CreateDatabase("failover");
    ASSERT_TRUE(url.ok()) << url.status();
    auto standby = primary_->StartCopy();
    ASSERT_TRUE(standby.ok()) << standby.status();
    standby_ = *std::move(standby);
    for (const char* sql :
         {"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"}) {
      ASSERT_TRUE(primary_->Execute("postgres", sql).ok());
    }
    server_ = std::make_unique<ServeProcess>(std::vector<std::string>{
        "--store", *url + "," + standby_->directory() + "&target_session_attrs=read-write",
        "--lease", "2"});
    uploads_.SendBy(server_->Connect());
  }

  void ExpectWorking(uint32_t i) {
    grpc::Status status;
    for (int tries = 0; tries < 200 && !(status = uploads_.Send(i)).ok(); ++tries) {
    }
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  std::unique_ptr<PostgresServer> primary_;
  std::unique_ptr<PostgresServer> standby_;
  std::unique_ptr<ServeProcess> server_;
  Uploads uploads_;
};

TEST_F(FailoverTest, APromotedStandbyHasEveryAcknowledgedUpload) {
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_NO_FATAL_FAILURE(ExpectWorking(0));
  std::atomic<bool> over = false;
  std::atomic<uint32_t> next = 1;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      while (!over) (void)uploads_.Send(next++);
    });
  }
  const size_t before = static_cast<size_t>(Scaled(50, 2000));
  while (uploads_.acknowledged() < before && !server_->HasEnded()) std::this_thread::yield();
  primary_->Crash();
  const absl::Status promoted = standby_->Execute("postgres", "SELECT pg_promote()");
  EXPECT_TRUE(promoted.ok()) << promoted;
  const size_t at_crash = uploads_.acknowledged();
  while (uploads_.acknowledged() < at_crash + 10 && !server_->HasEnded()) std::this_thread::yield();
  over = true;
  for (std::thread& client : clients) client.join();
  ASSERT_FALSE(server_->HasEnded());
  uploads_.ExpectAllThere();
}

// PostgreSQL answers a COMMIT whose wait for a standby is cancelled with success, and a warning.
TEST_F(FailoverTest, WhatTheStandbyHasNotConfirmedIsNotAcknowledged) {
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_NO_FATAL_FAILURE(ExpectWorking(0));
  standby_->Pause();
  // Sent again it is committed on the primary already.
  for (int time = 0; time < 3; ++time) {
    std::atomic<bool> answered = false;
    std::thread operating([this, &answered] {
      while (!answered) {
        EXPECT_TRUE(primary_
                        ->Execute("postgres",
                                  "SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
                                  "WHERE wait_event = 'SyncRep'")
                        .ok());
      }
    });
    const grpc::Status status = uploads_.Send(1);
    answered = true;
    operating.join();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE) << status.error_message();
  }
  primary_->Crash();
  standby_->Crash();  // with all that it has not read
  ASSERT_TRUE(standby_->StartAgain().ok());
  const absl::Status promoted = standby_->Execute("postgres", "SELECT pg_promote()");
  ASSERT_TRUE(promoted.ok()) << promoted;
  ASSERT_NO_FATAL_FAILURE(ExpectWorking(2));
  uploads_.ExpectAllThere();
}

}  // namespace
}  // namespace gprofhub::tests
