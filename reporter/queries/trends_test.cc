// Days and weeks agree with their runs, summarised or not, after any modification of the runs.
#include "reporter/queries/trends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/median.h"
#include "base/memory_budget.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "reporter/history/trend.h"
#include "reporter/queries/runs.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/testing/stored_runs.h"
#include "store/testing/temp_store.h"
#include "store/upkeep.h"

namespace gprofhub::reporter {

namespace {

const store::Actor kOperator = {"operator", "host", 0};
const store::BranchKey kMain = {"acme", "main", "k8-opt"};
// In the middle of a span.
const absl::Time kFirst = store::StartOfSpan(700) + absl::Hours(24 * 11 + 7);

class PeriodTrendTest : public testing::Test {
 protected:
  void SendAndAnalyze(int key, absl::Time ordered, const std::string& target,
                      const std::string& branch = "main", uint32_t shard = 1,
                      const std::string& configuration = "k8-opt") {
    const store::Blob gmon = store::MakeBlob("gmon"), bundle = store::MakeBlob("symbols");
    store::NewExecution execution;
    execution.run.project = "acme";
    execution.run.run_key = absl::StrCat("run-", key);
    execution.run.commit = std::string(36, 'a') + absl::StrCat(1000 + key);
    execution.run.branch = branch;
    execution.run.configuration = configuration;
    execution.run.started = execution.run.committed = ordered;
    execution.execution.target = target;
    execution.execution.shard = shard;
    execution.execution.status = "PASSED";
    execution.profiles = {{"gmon.1", "b1d1", gmon.name}};
    execution.images = {{"b1d1", bundle.name}};
    execution.blobs = {gmon, bundle};
    const auto recorded = store().ingest.RecordExecution(execution, Now());
    ASSERT_TRUE(recorded.ok()) << recorded.status();
    const auto job = store().jobs.Claim("worker", Now(), absl::Minutes(1), 3);
    ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
    const profile::ComputedProfile profile = NextProfile();
    store::AnalysisResult result;
    result.computed = store::MakeBlob(profile::EncodeComputedProfile(profile));
    for (const std::string& payload : profile::EncodeSeries(profile)) {
      const auto bucket = static_cast<uint32_t>(result.segments.size());
      result.segments.push_back({(*job)->run_id, (*job)->target, bucket, payload});
    }
    const absl::Status status = store().jobs.Complete(**job, result, Now());
    ASSERT_TRUE(status.ok()) << status;
  }

  // A third of the runs lacks a function; counts and times scatter.
  profile::ComputedProfile NextProfile() {
    ProfileBuilder builder;
    builder.Function("main", 10, 500);
    builder.Function("_Z5parsei", 480 + static_cast<double>(random_() % 40));
    builder.Arc("", "main", 1).Arc("main", "_Z5parsei", more_calls_ + 100 + random_() % 3, 34);
    if (random_() % 3 != 0) {
      builder.Function("_Z4rarev", 5).Arc("main", "_Z4rarev", 1 + random_() % 5, 3);
    }
    return builder.Build();
  }

  // Creates `days` days with up to three runs each.
  void MakeHistory(int days) {
    for (int day = 0; day < days; ++day) {
      for (uint64_t run = random_() % 4; run > 0; --run) {
        const absl::Time ordered = kFirst + absl::Hours(24 * day + static_cast<int>(run));
        SendAndAnalyze(++runs_, ordered, "//a:test");
        if (random_() % 4 != 0) SendAndAnalyze(runs_, ordered, "//b:test");
      }
    }
  }

  uint64_t Keep() {
    SummaryOptions options;
    options.now = [] { return Now(); };
    options.least_runs = 5;
    const auto made = KeepSummaries(store().reading, whole_.upkeep.summaries, options);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : 0;
  }

  size_t Summaries() {
    const auto summaries = store().reading.ReadSummaries({kMain, 0, 10000, "", {1}});
    EXPECT_TRUE(summaries.ok()) << summaries.status();
    return summaries.ok() ? summaries->size() : 0;
  }

  absl::StatusOr<v1::GetTrendResponse> Ask(v1::TrendBy by, const std::string& function,
                                           const std::string& target = "", uint32_t limit = 1000) {
    v1::GetTrendRequest request;
    request.set_project("acme");
    request.set_function(function);
    request.set_target(target);
    request.set_branch("main");
    request.set_configuration("k8-opt");
    request.set_by(by);
    request.set_limit(limit);
    return GetTrend(store().reading, store().blobs, request);
  }

  // Compares days and weeks with the runs of the same trend.
  void Compare(const std::string& function, const std::string& target) {
    SCOPED_TRACE(absl::StrCat(function, " in ", target));
    const auto runs = Ask(v1::BY_RUN, function, target);
    const auto days = Ask(v1::BY_DAY, function, target);
    const auto weeks = Ask(v1::BY_WEEK, function, target);
    ASSERT_TRUE(runs.ok() && days.ok() && weeks.ok()) << days.status() << weeks.status();
    std::map<int64_t, std::vector<v1::TrendPoint>> by_day;
    for (const v1::TrendPoint& point : runs->points()) {
      by_day[DayOf(absl::FromUnixMillis(point.unix_ms()))].push_back(point);
    }
    ASSERT_EQ(static_cast<size_t>(days->periods_size()), by_day.size());
    std::map<int64_t, std::vector<double>> medians;  // calls by week
    int i = 0;
    for (const auto& [day, points] : by_day) {
      const v1::TrendPeriod& period = days->periods(i++);
      std::vector<double> calls, self, total;
      for (const v1::TrendPoint& point : points) {
        calls.push_back(point.calls());
        self.push_back(point.self_seconds());
        total.push_back(point.total_seconds());
      }
      EXPECT_EQ(period.unix_ms(), day * 24 * 3600 * 1000);
      EXPECT_EQ(period.runs(), points.size());
      EXPECT_EQ(period.last_run_id(), points.back().run_id());
      ExpectSpread(calls, period.calls());
      ExpectSpread(self, period.self_seconds());
      ExpectSpread(total, period.total_seconds());
      medians[MondayOf(day)].push_back(base::Median(calls));
    }
    ASSERT_EQ(static_cast<size_t>(weeks->periods_size()), medians.size());
    i = 0;
    for (const auto& [monday, of_days] : medians) {
      EXPECT_EQ(weeks->periods(i).unix_ms(), monday * 24 * 3600 * 1000);
      EXPECT_EQ(weeks->periods(i++).calls().median(), base::Median(of_days));
    }
  }

  void CompareAll() {
    for (const std::string target : {"", "//a:test", "//b:test"}) {
      Compare("_Z5parsei", target);
      Compare("rare", target);
    }
  }

  static void ExpectSpread(const std::vector<double>& values, const v1::TrendSpread& spread) {
    EXPECT_NEAR(spread.least(), *std::min_element(values.begin(), values.end()), 2e-9);
    EXPECT_NEAR(spread.median(), base::Median(values), 2e-9);
    EXPECT_NEAR(spread.most(), *std::max_element(values.begin(), values.end()), 2e-9);
  }

  static absl::Time Now() { return kFirst + absl::Hours(24 * 120); }
  const store::Store& store() const { return whole_.store; }

  std::mt19937_64 random_{1};
  int runs_ = 0;
  uint64_t more_calls_ = 0;  // of _Z5parsei, from now on
  const store::WholeStore whole_ =
      *store::OpenWholeStore(store::MakeTempDir(), store::OpenMode::kCreate);
};

TEST_F(PeriodTrendTest, SaysOfDaysAndWeeksWhatTheirRunsSay) {
  MakeHistory(100);
  CompareAll();
  EXPECT_EQ(Keep(), 4u);
  EXPECT_EQ(Summaries(), 4u);
  EXPECT_EQ(Keep(), 0u) << "all is kept";
  CompareAll();
}

TEST_F(PeriodTrendTest, ASummaryGoesWithAnyChangeOfItsRuns) {
  MakeHistory(100);
  ASSERT_EQ(Keep(), 4u);
  // More executions of an existing run.
  SendAndAnalyze(1, kFirst, "//a:test", "main", 2);
  EXPECT_EQ(Summaries(), 3u);
  CompareAll();
  EXPECT_EQ(Keep(), 1u);
  CompareAll();
  // A run of an old commit is uploaded late.
  SendAndAnalyze(++runs_, kFirst + absl::Hours(24 * 40), "//b:test");
  EXPECT_EQ(Summaries(), 3u);
  CompareAll();
  EXPECT_EQ(Keep(), 1u);
  const auto runs = store().removal.RunsOfProject("acme");
  ASSERT_TRUE(runs.ok());
  ASSERT_TRUE(store().removal.DeleteRun("acme", runs->at(runs->size() / 2), kOperator, Now()).ok());
  EXPECT_EQ(Summaries(), 3u);
  CompareAll();
  // Another branch, and another configuration of this one, are not affected.
  SendAndAnalyze(++runs_, kFirst, "//a:test", "release");
  SendAndAnalyze(++runs_, kFirst, "//a:test", "main", 1, "k8-dbg");
  EXPECT_EQ(Summaries(), 3u);
  EXPECT_EQ(Keep(), 1u);
  CompareAll();
}

TEST_F(PeriodTrendTest, ASpanThatChangesWhileItIsReadIsLeftForLater) {
  MakeHistory(60);
  SummaryOptions options;
  options.now = [] { return Now(); };
  options.least_runs = 5;
  bool was_changed = false;
  options.pause = [&] {
    if (!was_changed) SendAndAnalyze(1, kFirst, "//a:test", "main", 9);
    was_changed = true;
    return absl::OkStatus();
  };
  const auto made = KeepSummaries(store().reading, whole_.upkeep.summaries, options);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(Summaries(), *made);
  CompareAll();
  Keep();
  CompareAll();
}

TEST_F(PeriodTrendTest, WhoEndsHalfWayLeavesNothingThatIsRead) {
  MakeHistory(60);
  SummaryOptions options;
  options.now = [] { return Now(); };
  options.least_runs = 5;
  options.pause = [] { return absl::CancelledError("the process ends"); };
  EXPECT_EQ(KeepSummaries(store().reading, whole_.upkeep.summaries, options).status().code(),
            absl::StatusCode::kCancelled);
  CompareAll();
  Keep();
  CompareAll();
}

TEST_F(PeriodTrendTest, ReadsNoRunOfASpanThatIsSummarised) {
  MakeHistory(100);
  ASSERT_EQ(Keep(), 4u);
  const auto before = Ask(v1::BY_WEEK, "_Z5parsei");
  ASSERT_TRUE(before.ok()) << before.status();
  // Replaces the summary: the response must come from it.
  const auto due = store::DueSpan{kMain, 701};
  const auto opened = whole_.upkeep.summaries.Open(due);
  ASSERT_TRUE(opened.ok());
  const store::TargetSummary all = {
      0, "", profile::EncodeSummaryDays(std::vector<profile::SummaryDay>{{3, 77, 5}})};
  ASSERT_TRUE(whole_.upkeep.summaries.Add(*opened, {all}, {}).ok());
  ASSERT_TRUE(*whole_.upkeep.summaries.Close(due, *opened));
  const auto after = Ask(v1::BY_WEEK, "_Z5parsei");
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->periods_size(), before->periods_size() - 3);
  EXPECT_TRUE(std::any_of(after->periods().begin(), after->periods().end(),
                          [](const v1::TrendPeriod& period) { return period.runs() == 77; }));
}

TEST_F(PeriodTrendTest, GoesBackFromTheNewestRunAsFarAsIsAskedFor) {
  MakeHistory(100);
  const auto all = Ask(v1::BY_DAY, "_Z5parsei");
  ASSERT_TRUE(all.ok());
  const v1::TrendPeriod& newest = all->periods(all->periods_size() - 1);
  const auto ten = Ask(v1::BY_DAY, "_Z5parsei", "", 10);
  ASSERT_TRUE(ten.ok());
  EXPECT_GE(ten->periods(0).unix_ms(), newest.unix_ms() - int64_t{9} * 24 * 3600 * 1000);
  EXPECT_EQ(ten->periods(ten->periods_size() - 1).unix_ms(), newest.unix_ms());
  EXPECT_EQ(Ask(v1::BY_WEEK, "_Z5parsei", "", 1)->periods_size(), 1);
}

TEST_F(PeriodTrendTest, MarksTheDayAtWhichANewLevelBegins) {
  for (int day = 0; day < 16; ++day) {
    more_calls_ = day < 9 ? 0 : 100;
    SendAndAnalyze(++runs_, kFirst + absl::Hours(24 * day), "//a:test");
  }
  const auto days = Ask(v1::BY_DAY, "_Z5parsei");
  ASSERT_TRUE(days.ok()) << days.status();
  ASSERT_EQ(days->periods_size(), 16);
  for (int day = 0; day < 16; ++day) {
    EXPECT_EQ(days->periods(day).calls_change(), day == 9 ? v1::CHANGED : v1::NO_CHANGE) << day;
    EXPECT_EQ(days->periods(day).self_change(), v1::NO_CHANGE) << day;
  }
}

TEST_F(PeriodTrendTest, IsOfTheMainBranchAndItsNewestConfigurationIfNoneIsNamed) {
  MakeHistory(20);
  SendAndAnalyze(++runs_, kFirst, "//a:test", "main", 1, "k8-dbg");
  v1::GetTrendRequest request;
  request.set_project("acme");
  request.set_function("_Z5parsei");
  request.set_by(v1::BY_WEEK);
  const auto asked = [&] { return *GetTrend(store().reading, store().blobs, request); };
  EXPECT_EQ(asked().SerializeAsString(), Ask(v1::BY_WEEK, "_Z5parsei")->SerializeAsString());
  SendAndAnalyze(++runs_, kFirst + absl::Hours(24 * 30), "//a:test", "release", 1, "k8-dbg");
  EXPECT_EQ(asked().SerializeAsString(), Ask(v1::BY_WEEK, "_Z5parsei")->SerializeAsString());
  request.set_configuration("k8-dbg");
  ASSERT_EQ(asked().periods_size(), 1);
  EXPECT_EQ(asked().periods(0).runs(), 1u);
}

TEST_F(PeriodTrendTest, SaysWhatIsWrongWithAQuestion) {
  MakeHistory(3);
  v1::GetTrendRequest request;
  request.set_project("acme");
  request.set_function("_Z5parsei");
  request.set_by(v1::BY_DAY);
  EXPECT_EQ(Ask(v1::BY_DAY, "_Z5parsei", "", 1001).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Ask(v1::BY_DAY, "absent").status().code(), absl::StatusCode::kNotFound);
  request.set_branch("none");
  EXPECT_EQ(GetTrend(store().reading, store().blobs, request).status().code(),
            absl::StatusCode::kNotFound);
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using GetTrendTest = StoredRunsTest;

TEST_F(GetTrendTest, SampledRunsHaveNoTrend) {
  UploadSampled('a');
  Analyze(Profile(5));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("main");
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
  Upload('b');
  Analyze(Profile(9));
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request)->points_size(), 1);
}

TEST_F(GetTrendTest, FollowsAFunctionOverTheRuns) {
  for (const auto& [commit, calls] : {std::pair('a', 100), std::pair('b', 120)}) {
    Upload(commit);
    Analyze(Profile(calls));
  }
  Upload('c');  // not analysed
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("parse");
  const absl::StatusOr<v1::GetTrendResponse> trend =
      GetTrend(store_.reading, store_.blobs, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  EXPECT_EQ(trend->function(), "_Z5parsei");
  EXPECT_EQ(trend->function_display(), "parse(int)");
  ASSERT_EQ(trend->points_size(), 2);
  EXPECT_EQ(trend->points(0).commit(), Commit('a'));
  EXPECT_EQ(trend->points(0).calls(), 100);
  EXPECT_EQ(trend->points(1).calls(), 120);
  EXPECT_NEAR(trend->points(1).self_seconds(), 0.5, 1e-6);
  request.set_function("absent");
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(GetTrendTest, RunsThatAreNotAnalysedHideNoneThatIs) {
  for (const auto& [commit, calls] : {std::pair('a', 100), std::pair('b', 120)}) {
    Upload(commit);
    Analyze(Profile(calls));
  }
  for (uint32_t i = 0; i < 120; ++i) {
    UploadedRun run = {.commit = 'c'};
    run.key = absl::StrCat("waiting ", i);
    Upload(run);
  }
  for (const v1::TrendBy by : {v1::BY_RUN, v1::BY_DAY}) {
    v1::GetTrendRequest request;
    request.set_project(kProject);
    request.set_function("main");
    request.set_by(by);
    const auto trend = GetTrend(store_.reading, store_.blobs, request);
    ASSERT_TRUE(trend.ok()) << trend.status();
    EXPECT_EQ(trend->points_size() + trend->periods_size(), by == v1::BY_RUN ? 2 : 1);
  }
}

// Runs of pull requests are not on main's line. The one that is asked for has a point of its own.
TEST_F(GetTrendTest, APullRequestIsAPointBesideTheLine) {
  for (const auto& [commit, base, calls] : {std::tuple('a', "", 100), std::tuple('b', "a", 500),
                                            std::tuple('c', "a", 700), std::tuple('d', "", 120)}) {
    Upload(commit, {}, *base == 0 ? "" : Commit('a'));
    Analyze(Profile(calls));
  }
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("parse");
  const auto calls = [&](bool separate) {
    std::vector<double> of_points;
    const auto trend = GetTrend(store_.reading, store_.blobs, request);
    EXPECT_TRUE(trend.ok()) << trend.status();
    for (const v1::TrendPoint& point : trend->points()) {
      if (point.separate() == separate) of_points.push_back(point.calls());
    }
    return of_points;
  };
  EXPECT_THAT(calls(false), ElementsAre(100, 120));
  EXPECT_THAT(calls(true), IsEmpty());
  request.set_run_id("3");
  EXPECT_THAT(calls(false), ElementsAre(100, 120));
  EXPECT_THAT(calls(true), ElementsAre(700));
  request.set_run_id("4");
  EXPECT_THAT(calls(true), IsEmpty()) << "it is on the line";
  request.clear_run_id();
  request.set_branch("feature");
  EXPECT_THAT(calls(false), ElementsAre(500, 700)) << "the branch is named";
  request.set_run_id("17");
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kNotFound);
  request.set_run_id("no number");
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request).status().code(),
            absl::StatusCode::kInvalidArgument);
}

class BinariesTest : public StoredRunsTest {
 protected:
  // Commits at which a level of time begins, of eight runs with these binaries; the fifth is
  // slower.
  std::vector<std::string> Levels(const std::string& binaries) {
    for (size_t i = 0; i < binaries.size(); ++i) {
      Upload(UploadedRun{.commit = static_cast<char>('a' + i), .digest = binaries.substr(i, 1)});
      ProfileBuilder builder;
      builder.Function("main", 5000).Function("_Z5parsei", i < 4 ? 5000 : 9000);
      Analyze(builder.Arc("", "main", 1).Arc("main", "_Z5parsei", 7).Build());
    }
    v1::GetTrendRequest request;
    request.set_project(kProject);
    request.set_function("parse");
    const auto trend = GetTrend(store_.reading, store_.blobs, request);
    EXPECT_TRUE(trend.ok()) << trend.status();
    std::vector<std::string> begins;
    for (const v1::TrendPoint& point : trend->points()) {
      const bool begins_level = point.self_change() != v1::NO_CHANGE;
      if (begins_level) begins.push_back(point.commit());
      EXPECT_EQ(point.subject(),
                begins_level ? absl::StrCat("Subject of ", point.commit().substr(0, 1)) : "");
    }
    return begins;
  }
};

TEST_F(BinariesTest, ANewLevelOfTimeBeginsWithOtherBinaries) {
  EXPECT_THAT(Levels("11112222"), ElementsAre(Commit('e')));
}

TEST_F(BinariesTest, TheSameBinariesHaveNoNewLevelOfTime) {
  EXPECT_THAT(Levels("11111122"), IsEmpty());
}

TEST_F(GetTrendTest, PointsAreDecodedWithinTheBudget) {
  Upload('a');
  Analyze(Profile(100));
  constexpr uint64_t kBytes = base::MemoryBudget::kSeatBytes;
  base::MemoryBudget budget(kBytes, /*longest_wait=*/absl::ZeroDuration());
  base::DecodingCall call(budget, kProject, nullptr);
  const BlobReader blobs(BlobReader(store_.blobs), base::Decoding(call));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("_Z5parsei");  // no profile is read
  {
    base::DecodingCall other(budget, "other", nullptr);
    ASSERT_TRUE(other.Take(kBytes).ok());
    const absl::Status refused = GetTrend(store_.reading, blobs, request).status();
    EXPECT_TRUE(base::IsShortOfDecoding(refused)) << refused;
  }
  EXPECT_EQ(GetTrend(store_.reading, blobs, request)->points_size(), 1);
  EXPECT_EQ(call.used(), 0u) << "it was given back";
}

TEST_F(GetTrendTest, AQuestionOverItsBudgetEnds) {
  Upload('a');
  Analyze(Profile(100));
  base::MemoryBudget budget(/*bytes=*/100);
  base::DecodingCall call(budget, kProject, nullptr);
  const BlobReader blobs(BlobReader(store_.blobs), base::Decoding(call));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("_Z5parsei");  // no profile is read
  const absl::Status refused = GetTrend(store_.reading, blobs, request).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
  EXPECT_EQ(call.used(), 0u);
}

TEST_F(GetTrendTest, TellsOfSealedRunsAsOfOpenOnes) {
  seal_at_ = 4;
  std::vector<double> calls;
  for (char commit = 'a'; commit <= 'p'; ++commit) {
    Upload(commit);
    Analyze(Profile(commit == 'h' ? 250 : 100));
    calls.push_back(commit == 'h' ? 250 : 100);
  }
  // A run that is sealed already gets another shard.
  Upload(UploadedRun{.commit = 'b', .target = "//other:test"});
  Analyze(Profile(7));
  calls[1] += 7;
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("parse");
  const auto trend = GetTrend(store_.reading, store_.blobs, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  ASSERT_EQ(trend->points_size(), static_cast<int>(calls.size()));
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(trend->points(static_cast<int>(i)).calls(), calls[i]) << i;
    EXPECT_GT(trend->points(static_cast<int>(i)).self_seconds(), 0) << i;
  }
  request.set_limit(3);
  EXPECT_EQ(GetTrend(store_.reading, store_.blobs, request)->points_size(), 3);
}

TEST_F(GetTrendTest, AWholeLinkageNameNeedsNoProfile) {
  Upload('a');
  Analyze(Profile(100));
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("_Z5parsei");
  // Unreadable blobs.
  const store::Blobs nothing = store::MakeTempStore().blobs;
  const auto trend = GetTrend(store_.reading, nothing, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  EXPECT_EQ(trend->function_display(), "parse(int)");
  ASSERT_EQ(trend->points_size(), 1);
  EXPECT_EQ(trend->points(0).calls(), 100);
  request.set_function("parse");
  EXPECT_FALSE(GetTrend(store_.reading, nothing, request).ok());
}

TEST_F(GetTrendTest, AFunctionThatTheNewestRunsLostIsStillFoundByItsWholeName) {
  Upload('a');
  Analyze(Profile(100));
  Upload('b');
  Analyze(profile::ComputedProfile());
  v1::GetTrendRequest request;
  request.set_project(kProject);
  request.set_function("_Z5parsei");
  const auto trend = GetTrend(store_.reading, store_.blobs, request);
  ASSERT_TRUE(trend.ok()) << trend.status();
  ASSERT_EQ(trend->points_size(), 2);
  EXPECT_EQ(trend->points(1).calls(), 0);
}

}  // namespace

}  // namespace gprofhub::reporter
