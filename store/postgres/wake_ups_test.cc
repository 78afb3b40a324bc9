#include "store/postgres/wake_ups.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::store::postgres {
namespace {

using sql::Work;

// Records the notifications that one process receives. Waits without a limit: the test's own
// timeout ends hung waits.
class Ear {
 public:
  explicit Ear(const std::string& url) : wake_ups_(*MakeWakeUps(url)) {
    wake_ups_->Start([this](Work work) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++heard_[work];
      changed_.notify_all();
    });
  }

  ~Ear() { wake_ups_->Stop(); }

  void Tell(Work work) { wake_ups_->Tell(work); }
  int Heard(Work work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return heard_[work];
  }
  void AwaitHeard(Work work, int times) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return heard_[work] >= times; });
  }
  // It receives both notifications once it listens.
  void AwaitListening(int times = 1) { AwaitHeard(Work::kReports, times); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Work, int> heard_;
  const std::unique_ptr<sql::WakeUps> wake_ups_;
};

class WakeUpsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = tests::PostgresServer::Start();
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const absl::StatusOr<std::string> url = server_->CreateDatabase("test");
    ASSERT_TRUE(url.ok()) << url.status();
    url_ = *url;
  }

  // Cuts the connections of all listeners.
  void CutListeners() {
    const absl::Status cut =
        server_->Execute("test",
                         "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                         "WHERE query LIKE 'LISTEN %' OR query LIKE 'NOTIFY %'");
    ASSERT_TRUE(cut.ok()) << cut;
  }

  std::unique_ptr<tests::PostgresServer> server_;
  std::string url_;
};

TEST_F(WakeUpsTest, WhatOneTellsAnotherHears) {
  Ear collector(url_), worker(url_);
  collector.AwaitListening();
  worker.AwaitListening();
  collector.Tell(Work::kJobs);
  worker.AwaitHeard(Work::kJobs, 2);
  worker.Tell(Work::kReports);
  collector.AwaitHeard(Work::kReports, 2);
  EXPECT_EQ(collector.Heard(Work::kJobs), 1) << "it was told of its own work";
}

TEST_F(WakeUpsTest, WhatIsToldBeforeItListensIsHeardLater) {
  Ear worker(url_);
  worker.AwaitListening();
  Ear collector(url_);
  collector.Tell(Work::kJobs);
  worker.AwaitHeard(Work::kJobs, 2);
}

TEST_F(WakeUpsTest, WhoLosesTheConnectionMakesItAgainAndLooksForWork) {
  Ear collector(url_), worker(url_);
  collector.AwaitListening();
  worker.AwaitListening();
  CutListeners();
  collector.AwaitListening(2);
  worker.AwaitListening(2);
  collector.Tell(Work::kJobs);
  worker.AwaitHeard(Work::kJobs, 3);
}

TEST_F(WakeUpsTest, EndsThoughTheServerIsGone) {
  Ear worker(url_);
  worker.AwaitListening();
  server_->Crash();
  Ear never(url_);
  never.Tell(Work::kJobs);
}

TEST(MakeWakeUps, RefusesALocationThatIsNone) {
  EXPECT_TRUE(absl::IsInvalidArgument(MakeWakeUps("postgresql://%zz").status()));
}

}  // namespace
}  // namespace gprofhub::store::postgres
