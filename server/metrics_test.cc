#include "server/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "store/testing/temp_store.h"

namespace gprofhub::server {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void NoSamples(std::vector<Sample>&) {}

TEST(Metrics, CountCallsByMethodAndCode) {
  Metrics metrics;
  const collector::OnEndedCall on_call = metrics.OnCall();
  on_call({"/gprofhub.v1.Collector/Upload", absl::StatusCode::kOk, "", absl::Milliseconds(40), 1000,
           20});
  on_call({"/gprofhub.v1.Collector/Upload", absl::StatusCode::kResourceExhausted, "upload_memory",
           absl::Milliseconds(2), 7, 0});
  const std::string text = metrics.Text(NoSamples);
  EXPECT_THAT(text, HasSubstr("# TYPE gprofhub_calls_total counter"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_calls_total{code="OK",method="Collector.Upload"} 1)"));
  EXPECT_THAT(
      text,
      HasSubstr(R"(gprofhub_calls_total{code="RESOURCE_EXHAUSTED",method="Collector.Upload"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_refusals_total{reason="upload_memory"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_received_bytes_total{method="Collector.Upload"} 1007)"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_sent_bytes_total{method="Collector.Upload"} 20)"));
  EXPECT_THAT(
      text,
      HasSubstr(R"(gprofhub_call_duration_seconds_bucket{method="Collector.Upload",le="0.05"} 2)"));
}

TEST(Metrics, OfAMethodThatIsNoneNameNothingThatAStrangerSent) {
  Metrics metrics;
  metrics.OnCall()({"", absl::StatusCode::kUnimplemented, "unknown_method", {}, 0, 0});
  const std::string text = metrics.Text(NoSamples);
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_calls_total{code="UNIMPLEMENTED",method="unknown"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_refusals_total{reason="unknown_method"} 1)"));
}

TEST(Metrics, CountUsesOfTheStoreAndTheStoresFaults) {
  Metrics metrics;
  const store::OnStoreCall on_call = metrics.OnStoreCall();
  on_call({"ingest", "write", absl::Milliseconds(5), absl::StatusCode::kOk});
  on_call({"ingest", "write", absl::Seconds(20), absl::StatusCode::kUnavailable});
  on_call({"reading", "read", absl::Milliseconds(1), absl::StatusCode::kNotFound});
  const std::string text = metrics.Text(NoSamples);
  EXPECT_THAT(
      text,
      HasSubstr(R"(gprofhub_store_duration_seconds_count{operation="write",part="ingest"} 2)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(gprofhub_store_errors_total{code="UNAVAILABLE",operation="write",part="ingest"} 1)"));
  EXPECT_THAT(text, Not(HasSubstr("NOT_FOUND"))) << "whoever asked is wrong, not the store";
}

TEST(Metrics, CountJobsByTheirEnds) {
  Metrics metrics;
  metrics.OnAnalysis()({"done", absl::Seconds(2)});
  metrics.OnReport()({"posted", ""});
  metrics.OnReport()({"told", "chat"});
  metrics.OnWebhook()(204);
  const std::string text = metrics.Text(NoSamples);
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_analyses_total{outcome="done"} 1)"));
  EXPECT_THAT(text, HasSubstr("gprofhub_analysis_duration_seconds_count 1"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_reports_total{outcome="posted"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_messages_total{channel="chat",outcome="told"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_forge_webhooks_total{code="204"} 1)"));
}

TEST(Metrics, ThatAlertsWatchAreThereFromTheStart) {
  const std::string text = Metrics().Text(NoSamples);
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_analyses_total{outcome="failed"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_reports_total{outcome="failed"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(gprofhub_refusals_total{reason="disk_full"} 0)"));
}

TEST(Metrics, HaveWhatIsAskedAtTheScrapeWhateverItIsCalled) {
  const std::string text = Metrics().Text([](std::vector<Sample>& samples) {
    samples.push_back({Sample::Kind::kGauge, "b", "Help.", {{"project", "a\"\n\\b"}}, 1.5});
    samples.push_back({Sample::Kind::kCounter, "a_total", "More help.", {}, 3});
    samples.push_back({Sample::Kind::kGauge, "b", "Help.", {{"project", "c"}}, 2});
  });
  EXPECT_THAT(text, HasSubstr("# HELP b Help.\n# TYPE b gauge\nb{project=\"a\\\"\\n\\\\b\"} 1.5\n"
                              "b{project=\"c\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE a_total counter\na_total 3\n"));
}

TEST(Metrics, AreCountedByWhoeverOutlivesThem) {
  collector::OnEndedCall on_call;
  {
    Metrics metrics;
    on_call = metrics.OnCall();
  }
  on_call({"/a.B/C", absl::StatusCode::kOk, "", {}, 0, 0});
}

using ::testing::SizeIs;

class StoreWatchTest : public testing::Test {
 protected:
  StoreWatch::Options Options() {
    StoreWatch::Options options;
    options.now = [this] { return now_; };
    return options;
  }
  void Upload(const std::string& target) {
    store::NewExecution execution;
    execution.run.project = "default";
    execution.run.run_key = "run";
    execution.run.commit = "1111111";
    execution.run.started = now_;
    execution.execution.target = target;
    const auto recorded = store_.ingest.RecordExecution(execution, now_);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
  }

  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  const std::string folder_ = store::MakeTempDir();
  const store::Store store_ = store::MakeTempStore(folder_);
  UploadRoom room_{[this] { return now_; }};
  StoreWatch watch_{store_.condition, room_, Options()};
};

TEST_F(StoreWatchTest, KnowsNothingBeforeItAsked) {
  EXPECT_FALSE(watch_.view().status.ok());
  watch_.Ask();
  EXPECT_TRUE(watch_.view().status.ok());
  EXPECT_EQ(watch_.view().asked, absl::InfiniteFuture());
}

TEST_F(StoreWatchTest, SeesTheDiskOfTheDataDirectory) {
  watch_.Ask();
  const Disk disk = watch_.view().disk;
  EXPECT_GT(disk.size, 0u);
  EXPECT_LE(disk.free, disk.size);
}

TEST_F(StoreWatchTest, SeesADataDirectoryThatWasTakenAwayAndPutBack) {
  watch_.Ask();
  std::filesystem::rename(folder_, folder_ + ".away");
  watch_.Ask();
  EXPECT_TRUE(absl::IsUnavailable(watch_.view().status)) << watch_.view().status;
  std::filesystem::rename(folder_ + ".away", folder_);
  watch_.Ask();
  EXPECT_TRUE(watch_.view().status.ok()) << watch_.view().status;
}

TEST_F(StoreWatchTest, KnowsSinceWhenTheSameJobIsTheOldest) {
  const absl::Time begun = now_;
  Upload("//a");
  watch_.Ask();
  now_ += absl::Minutes(5);
  Upload("//b");
  watch_.Ask();
  ASSERT_THAT(watch_.view().queues, SizeIs(3));
  EXPECT_EQ(watch_.view().queues[0].waiting, 2u);
  EXPECT_EQ(watch_.view().same_oldest_since["analysis"], begun);
  const auto job = store_.jobs.Claim("worker", now_, absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
  now_ += absl::Seconds(20);
  watch_.Ask();
  EXPECT_EQ(watch_.view().same_oldest_since["analysis"], now_) << "another one is the oldest";
}

TEST_F(StoreWatchTest, CountsQueuesLessOftenThanItAsks) {
  watch_.Ask();
  const absl::Time read = watch_.view().queues_read;
  now_ += absl::Seconds(2);
  watch_.Ask();
  EXPECT_EQ(watch_.view().queues_read, read);
  now_ += absl::Seconds(10);
  watch_.Ask();
  EXPECT_EQ(watch_.view().queues_read, now_);
}

TEST_F(StoreWatchTest, AFullStoreIsHeardOfUntilAWriteGoesWell) {
  room_.Hear({"ingest", "stage_blobs", {}, absl::StatusCode::kResourceExhausted});
  EXPECT_EQ(watch_.view().no_room, now_);
  room_.Hear({"ingest", "read", {}, absl::StatusCode::kOk});
  EXPECT_EQ(watch_.view().no_room, now_) << "a read needs no room";
  room_.Hear({"ingest", "write", {}, absl::StatusCode::kOk});
  EXPECT_EQ(watch_.view().no_room, absl::InfinitePast());
}

}  // namespace

}  // namespace gprofhub::server
