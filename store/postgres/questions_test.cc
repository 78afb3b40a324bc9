// Number of round trips to the server by an upload.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "store/blob_name.h"
#include "store/postgres/open_postgres.h"
#include "store/store.h"
#include "tests/postgres/postgres_server.h"
#include "tests/postgres/question_counter.h"

namespace gprofhub::store::postgres {
namespace {

NewExecution ExecutionOf(const std::string& run, const std::string& target,
                         const std::string& profile) {
  NewExecution execution;
  execution.run.project = "sqlite";
  execution.run.run_key = run;
  execution.run.commit = "1111111";
  execution.run.ancestors = {"2222222"};
  execution.execution.target = target;
  execution.execution.status = "PASSED";
  execution.profiles = {{"gmon.1", "b1d1", NameBlob(profile)}};
  execution.images = {{"b1d1", NameBlob("symbols")}};
  execution.blobs = {{NameBlob(profile), profile}, {NameBlob("symbols"), "symbols"}};
  return execution;
}

class QuestionsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = tests::PostgresServer::Start();
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const absl::StatusOr<std::string> url = server_->CreateDatabase("test");
    ASSERT_TRUE(url.ok()) << url.status();
    counter_ = std::make_unique<tests::QuestionCounter>(server_->directory());
    const absl::StatusOr<sql::Engine> engine = OpenPostgres(counter_->Through(*url));
    ASSERT_TRUE(engine.ok()) << engine.status();
    store_ = std::make_unique<Store>(*engine);
    // Connects, and reads the server's clock.
    (void)QuestionsOf(ExecutionOf("first", "//a:test", "profile"));
  }

  int QuestionsOf(const NewExecution& execution) {
    const int before = counter_->questions();
    const absl::Status status =
        store_->ingest.RecordExecution(execution, absl::UnixEpoch()).status();
    EXPECT_TRUE(status.ok()) << status;
    return counter_->questions() - before;
  }

  std::unique_ptr<tests::PostgresServer> server_;
  std::unique_ptr<tests::QuestionCounter> counter_;
  std::unique_ptr<Store> store_;
};

TEST_F(QuestionsTest, AnUploadAsksTwice) {
  EXPECT_EQ(QuestionsOf(ExecutionOf("first", "//b:test", "new profile")), 2) << "of a known run";
  EXPECT_EQ(QuestionsOf(ExecutionOf("second", "//b:test", "newer profile")), 2) << "of a new run";
  EXPECT_EQ(QuestionsOf(ExecutionOf("second", "//c:test", "profile")), 2) << "without new blobs";
  EXPECT_EQ(QuestionsOf(ExecutionOf("second", "//c:test", "profile")), 2) << "that is there";
  NewExecution other = ExecutionOf("second", "//d:test", "profile of another sender");
  other.sender.name = "another";
  EXPECT_EQ(QuestionsOf(other), 2) << "which the audit log is told of";
}

TEST_F(QuestionsTest, AnUploadOutOfTheCacheAsksThreeTimes) {
  NewExecution cached = ExecutionOf("second", "//a:test", "");
  cached.execution.cached = true;
  cached.profiles.clear();
  cached.images.clear();
  cached.blobs.clear();
  EXPECT_EQ(QuestionsOf(cached), 3);
}

}  // namespace
}  // namespace gprofhub::store::postgres
