// PgBouncer is killed, hangs and has too few connections under a running server; so has the
// database behind it. Calls fail meanwhile with a reason, and no acknowledged data is lost.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/fault/client.h"
#include "tests/fault/scale.h"
#include "tests/fault/serve_process.h"
#include "tests/postgres/pg_bouncer.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::tests {
namespace {

class PoolerOutagesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto database = PostgresServer::Start();
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = *std::move(database);
    const auto url = database_->CreateDatabase("pooled");
    ASSERT_TRUE(url.ok()) << url.status();
    // One connection: all that is used at one time waits for it.
    auto pooler = PgBouncer::Start(*database_, /*connections=*/1);
    ASSERT_TRUE(pooler.ok()) << pooler.status();
    pooler_ = *std::move(pooler);
    server_ = std::make_unique<ServeProcess>(
        std::vector<std::string>{"--store", pooler_->Through(*url), "--lease", "2"});
    uploads_.SendBy(server_->Connect());
  }

  void ExpectWorking() {
    // The pooler refuses for a while what failed once.
    const absl::Time give_up = absl::Now() + absl::Minutes(1);
    grpc::Status status;
    while (!(status = uploads_.Send(next_)).ok() && absl::Now() < give_up) {
      EXPECT_NE(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    }
    ++next_;
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_FALSE(server_->HasEnded());
  }

  // Four clients upload while `fault` happens.
  void UploadDuring(const std::function<void()>& fault) {
    std::vector<std::thread> clients;
    for (uint32_t client = 0; client < 4; ++client) {
      clients.emplace_back([this, client] {
        for (uint32_t i = 0; i < 10; ++i) (void)uploads_.Send(next_ + client * 10 + i);
      });
    }
    fault();
    for (std::thread& client : clients) client.join();
    next_ += 40;
  }

  std::unique_ptr<PostgresServer> database_;
  std::unique_ptr<PgBouncer> pooler_;
  std::unique_ptr<ServeProcess> server_;
  uint32_t next_ = 0;
  Uploads uploads_;
};

TEST_F(PoolerOutagesTest, OneConnectionServesAllInTurn) {
  UploadDuring([] {});
  EXPECT_EQ(uploads_.acknowledged(), 40u);
  uploads_.ExpectAllThere();
}

TEST_F(PoolerOutagesTest, AKilledPoolerIsSurvived) {
  const int times = Scaled(2, 20);
  for (int time = 0; time < times; ++time) {
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
    UploadDuring([this] { pooler_->Kill(); });
    EXPECT_EQ(uploads_.Send(100'000).error_code(), grpc::StatusCode::UNAVAILABLE);
    ASSERT_TRUE(pooler_->StartAgain().ok());
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
  }
  uploads_.ExpectAllThere();
}

TEST_F(PoolerOutagesTest, AHungPoolerIsSurvived) {
  ASSERT_NO_FATAL_FAILURE(ExpectWorking());
  pooler_->Pause();
  UploadDuring([this] { pooler_->Resume(); });
  ASSERT_NO_FATAL_FAILURE(ExpectWorking());
  uploads_.ExpectAllThere();
}

TEST_F(PoolerOutagesTest, ACrashOfTheDatabaseBehindItIsSurvived) {
  const int times = Scaled(2, 20);
  for (int time = 0; time < times; ++time) {
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
    UploadDuring([this] {
      database_->Crash();
      EXPECT_TRUE(database_->StartAgain().ok());
    });
    ASSERT_NO_FATAL_FAILURE(ExpectWorking());
  }
  uploads_.ExpectAllThere();
}

}  // namespace
}  // namespace gprofhub::tests
