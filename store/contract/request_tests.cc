// Contract tests: the request id of an upload is passed to all of its jobs.
#include <string>

#include "store/contract/helpers.h"

namespace gprofhub::store {

namespace {

constexpr char kFirst[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kSecond[] = "00f067aa0ba902b74bf92f3577b34da6";

NewExecution Requested(const std::string& request, const std::string& target = "//db:query_test") {
  NewExecution execution = MakeExecution();
  execution.run.pull_request = "17";
  execution.execution.target = target;
  execution.request = request;
  return execution;
}

TEST_P(StoreContractTest, AnAnalysisHasTheRequestOfItsNewestUpload) {
  Record(*store_, Requested(kFirst));
  const Job first = Claim(*store_);
  EXPECT_EQ(first.request, kFirst);
  NewExecution more = Requested(kSecond);
  more.execution.shard = 2;
  Record(*store_, more);
  EXPECT_OK(store_->jobs.Complete(first, MakeResult(first), kNow));
  EXPECT_EQ(Claim(*store_).request, kSecond);
}

TEST_P(StoreContractTest, AReportHasTheRequestOfTheAnalysisThatEndedLast) {
  Record(*store_, Requested(kFirst));
  Record(*store_, Requested(kSecond, "//db:other_test"));
  const Job first = Claim(*store_);
  const Job second = Claim(*store_);
  EXPECT_OK(store_->jobs.Complete(second, MakeResult(second), kNow));
  EXPECT_OK(store_->jobs.Complete(first, MakeResult(first), kNow + absl::Seconds(1)));
  const absl::Time due = kNow + absl::Minutes(1);
  auto report = store_->reports.Claim(ReportKind::kPullRequest, "reporter", due, kLease);
  ASSERT_TRUE(report.ok() && report->has_value()) << report.status();
  EXPECT_EQ((*report)->request, first.request);
}

TEST_P(StoreContractTest, ANotificationHasTheRequestThatGaveItsContent) {
  NotificationRecord record;
  record.key = "event";
  record.channel = "chat";
  record.project = "sqlite";
  record.content = "{}";
  record.request = kFirst;
  EXPECT_OK(store_->notifications.Put({record}, /*deliver=*/true, kNow));
  record.request = kSecond;
  EXPECT_OK(store_->notifications.Put({record}, /*deliver=*/true, kNow));
  EXPECT_EQ(store_->notifications.List("sqlite")->front().request, kFirst) << "nothing is new";
  record.content = "{\"status\": \"open\"}";
  EXPECT_OK(store_->notifications.Put({record}, /*deliver=*/true, kNow));
  auto claimed = store_->notifications.Claim("chat", "reporter", kNow, kLease);
  ASSERT_TRUE(claimed.ok() && claimed->has_value()) << claimed.status();
  EXPECT_EQ((*claimed)->request, kSecond);
}

TEST_P(StoreContractTest, ARequestThatIsNoTextIsRefused) {
  EXPECT_EQ(Code(store_->ingest.RecordExecution(Requested("\xFF"), kNow)),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace

}  // namespace gprofhub::store
