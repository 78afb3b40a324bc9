#include "reporter/history/series_change_points.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "profile/codec/series.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kTarget[] = "//:t";

// main → work, `calls` times.
profile::ComputedProfile Calls(uint64_t calls, uint32_t repetitions = 1) {
  ProfileBuilder builder;
  builder.Repetitions(repetitions).Function("main").Function("work");
  builder.Arc("", "main", repetitions).Arc("main", "work", calls);
  return builder.Build();
}

// Ten functions of 1,000 samples and one with `work`, on a machine that is slower by the given
// factor.
profile::ComputedProfile Times(double work, double slower = 1) {
  ProfileBuilder builder;
  for (int i = 0; i < 10; ++i) builder.Function("steady" + std::to_string(i), 1000 * slower);
  builder.Function("work", work * slower);
  return builder.Build();
}

std::vector<SeriesChange> Find(History& history, size_t target = 0) {
  const auto changes = FindSeriesChanges(history, target);
  EXPECT_TRUE(changes.ok()) << changes.status();
  return changes.ok() ? *changes : std::vector<SeriesChange>();
}

TEST(FindSeriesChanges, ACountIsFoundWithItsFunctionAndItsLevels) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) history.Add({{kTarget, Calls(i < 3 ? 100 : 250)}});
  const std::vector<SeriesChange> changes = Find(history);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].target, 0u);
  EXPECT_EQ(changes[0].function_hash, profile::FunctionHash("work", ""));
  EXPECT_EQ(changes[0].metric, v1::Finding::CALLS);
  EXPECT_EQ(changes[0].change.last_before, 2u);
  EXPECT_EQ(changes[0].change.at, 3u);
  EXPECT_EQ(changes[0].change.before, 100);
  EXPECT_EQ(changes[0].change.after, 250);
  EXPECT_TRUE(std::isinf(changes[0].change.strength)) << "it is exact";
}

TEST(FindSeriesChanges, CallsArePerExecution) {
  MemoryHistory same;
  for (int i = 0; i < 6; ++i) same.Add({{kTarget, i < 3 ? Calls(100) : Calls(400, 4)}});
  EXPECT_THAT(Find(same), IsEmpty());
  MemoryHistory fewer;
  for (int i = 0; i < 6; ++i) fewer.Add({{kTarget, i < 3 ? Calls(100) : Calls(100, 4)}});
  const std::vector<SeriesChange> changes = Find(fewer);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].change.after, 25);
}

TEST(FindSeriesChanges, AFunctionThatAMeasuredReleaseLacksWasNotCalled) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) {
    ProfileBuilder builder;
    builder.Function("main").Arc("", "main", 1);
    if (i >= 3) builder.Function("fresh").Arc("main", "fresh", 7);
    history.Add({{kTarget, builder.Build()}});
  }
  const std::vector<SeriesChange> changes = Find(history);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].function_hash, profile::FunctionHash("fresh", ""));
  EXPECT_EQ(changes[0].change.at, 3u);
  EXPECT_EQ(changes[0].change.before, 0);
  EXPECT_EQ(changes[0].change.after, 7);
}

TEST(FindSeriesChanges, StaticFunctionsOfOneNameHaveSeriesOfTheirOwn) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) {
    profile::ComputedProfile profile = Calls(100);
    const auto add = [&](const char* file, uint64_t calls) {
      profile::FunctionCost helper;
      helper.name = static_cast<uint32_t>(profile.strings.size());
      helper.file = helper.name + 1;
      profile.strings.push_back("helper");
      profile.strings.push_back(file);
      helper.is_static = true;
      helper.calls = calls;
      profile.functions.push_back(helper);
    };
    add("a.c", 5);
    add("b.c", i < 3 ? 5 : 9);
    history.Add({{kTarget, profile}});
  }
  const std::vector<SeriesChange> changes = Find(history);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].function_hash, profile::FunctionHash("helper", "b.c"));
}

TEST(FindSeriesChanges, RunsThatDisagreeAreNotExact) {
  for (const uint64_t other_run : {100, 110}) {
    MemoryHistory history;
    for (uint64_t i = 0; i < 20; ++i) {
      const uint64_t times = i < 10 ? 1 : 2;
      history.AddRuns({{kTarget, {Calls(100 * times), Calls(other_run * times)}}});
    }
    const std::vector<SeriesChange> changes = Find(history);
    ASSERT_THAT(changes, SizeIs(1));
    EXPECT_EQ(changes[0].change.at, 10u);
    EXPECT_EQ(std::isinf(changes[0].change.strength), other_run == 100);
    EXPECT_NEAR(changes[0].change.before, (100 + static_cast<double>(other_run)) / 2, 1e-9);
  }
}

TEST(FindSeriesChanges, AFunctionOfSomeRunsOnlyIsNotExact) {
  MemoryHistory history;
  ProfileBuilder without;
  without.Function("main").Arc("", "main", 1);
  for (int i = 0; i < 20; ++i) {
    history.AddRuns({{kTarget, {Calls(i < 10 ? 100 : 200), without.Build()}}});
  }
  const std::vector<SeriesChange> changes = Find(history);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_TRUE(std::isfinite(changes[0].change.strength));
  EXPECT_EQ(changes[0].change.before, 50);
  EXPECT_EQ(changes[0].change.after, 100);
}

TEST(FindSeriesChanges, AnExecutionThatDisagreesWithinARunIsNotExact) {
  MemoryHistory history;
  // 201 calls in two executions.
  for (int i = 0; i < 20; ++i) history.Add({{kTarget, Calls(i < 10 ? 201 : 401, 2)}});
  const std::vector<SeriesChange> changes = Find(history);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_TRUE(std::isfinite(changes[0].change.strength));
  EXPECT_EQ(changes[0].change.before, 100.5);
}

TEST(FindSeriesChanges, WhereNothingWasMeasuredTheChangeMayLie) {
  MemoryHistory history;
  for (int i = 0; i < 3; ++i) history.Add({{kTarget, Calls(100)}});
  history.Add({});
  history.Add({});
  for (int i = 0; i < 3; ++i) history.Add({{kTarget, Calls(250)}});
  const std::vector<SeriesChange> changes = Find(history);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].change.last_before, 2u);
  EXPECT_EQ(changes[0].change.at, 5u);
}

TEST(FindSeriesChanges, WhereTheBuildSaysThatNothingChangedNothingDid) {
  MemoryHistory history;
  for (int i = 0; i < 3; ++i) history.Add({{kTarget, Calls(100)}});
  history.Add({}, /*unchanged=*/true);
  history.Add({}, /*unchanged=*/true);
  history.Add({});
  history.Add({}, /*unchanged=*/true);
  for (int i = 0; i < 3; ++i) history.Add({{kTarget, Calls(250)}});
  const std::vector<SeriesChange> changes = Find(history);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].change.last_before, 4u) << "of release 5 nothing is known";
  EXPECT_EQ(changes[0].change.at, 7u);
}

TEST(FindSeriesChanges, ATimeIsFoundWithTheMachinesSpeedTakenOut) {
  MemoryHistory history;
  for (int i = 0; i < 20; ++i) {
    // A persistent change of time while some machines are slow.
    history.Add({{kTarget, Times(i < 12 ? 1000 : 1500, i % 4 == 0 ? 1.5 : 1)}});
  }
  const std::vector<SeriesChange> changes = Find(history);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].function_hash, profile::FunctionHash("work", ""));
  EXPECT_EQ(changes[0].metric, v1::Finding::SELF_TIME);
  EXPECT_EQ(changes[0].change.at, 12u);
  // 10 s and 15 s on the fast machines, scaled to mean speed.
  const double mean_speed = std::pow(1.5, 0.25);
  EXPECT_NEAR(changes[0].change.before, 10 * mean_speed, 0.1);
  EXPECT_NEAR(changes[0].change.after, 15 * mean_speed, 0.1);
}

// Releases that were measured with the binaries of the one before.
std::vector<SeriesChange> FindStepAt(size_t step, const std::vector<bool>& same_binaries) {
  MemoryHistory history;
  for (size_t i = 0; i < same_binaries.size(); ++i) {
    history.AddRuns({{kTarget, {Times(i < step ? 1000 : 1600)}}}, false, same_binaries[i]);
  }
  return Find(history);
}

TEST(FindSeriesChanges, ATimeHasNoNewLevelWithTheSameBinaries) {
  EXPECT_THAT(FindStepAt(4, {false, false, true, true, false, false, false, false}), SizeIs(1));
  EXPECT_THAT(FindStepAt(4, {false, false, false, true, true, true, false, false}), IsEmpty());
  EXPECT_THAT(FindStepAt(4, std::vector<bool>(8, true)), IsEmpty());
}

TEST(FindSeriesChanges, ACountOfTheSameBinariesIsAChange) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) {
    history.AddRuns({{kTarget, {Calls(i < 3 ? 100 : 250)}}}, false, /*same_binaries=*/i > 0);
  }
  EXPECT_THAT(Find(history), SizeIs(1)) << "exact: its data changed";
}

// The step lies somewhere in three releases, of which one has other binaries.
TEST(FindSeriesChanges, ATimeThatIsNotLocatedPreciselyBeginsWithOtherBinaries) {
  MemoryHistory history;
  const std::vector<double> work = {1000, 1010, 990, 1000, 1060, 1140, 1200, 1190, 1210, 1200};
  for (size_t i = 0; i < work.size(); ++i) {
    history.AddRuns({{kTarget, {Times(work[i])}}}, false, /*same_binaries=*/i != 6);
  }
  for (const SeriesChange& found : Find(history)) EXPECT_EQ(found.change.at, 6u);
}

TEST(FindSeriesChanges, AFunctionWithAHandfulOfSamplesIsNotJudged) {
  for (const double samples : {2.0, 20.0}) {
    MemoryHistory history;
    for (int i = 0; i < 30; ++i) {
      history.Add({{kTarget, Times(i < 15 ? samples : 8 * samples)}});
    }
    EXPECT_THAT(Find(history), SizeIs(samples == 2 ? 0 : 1)) << samples;
  }
}

TEST(FindSeriesChanges, AReleaseWithoutASampleSaysNothingOfTimes) {
  MemoryHistory history;
  ProfileBuilder unsampled;
  unsampled.Function("work").Arc("", "work", 1);
  for (int i = 0; i < 20; ++i) {
    history.Add({{kTarget, i < 10 ? Times(1000) : unsampled.Build()}});
  }
  for (const SeriesChange& change : Find(history)) {
    EXPECT_EQ(change.metric, v1::Finding::CALLS) << "the unsampled runs have calls";
  }
}

TEST(FindSeriesChanges, LooksAtTheTargetAskedFor) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) {
    history.Add({{"//:a", Calls(100)}, {"//:b", Calls(i < 3 ? 100 : 250)}});
  }
  EXPECT_THAT(Find(history, 0), IsEmpty());
  const std::vector<SeriesChange> changes = Find(history, 1);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].target, 1u);
}

TEST(FindSeriesChanges, AreInTheOrderOfFunctionsMetricsAndReleases) {
  MemoryHistory history;
  for (int i = 0; i < 40; ++i) {
    ProfileBuilder builder;
    builder.Function("main").Arc("", "main", 1);
    for (int f = 0; f < 20; ++f) {
      const std::string name = "f" + std::to_string(f);
      builder.Function(name, f == 7 && i >= 20 ? 2000 : 1000);
      builder.Arc("main", name, i < 10 ? 1 : i < 30 ? 2 : 3);
    }
    history.Add({{kTarget, builder.Build()}});
  }
  const std::vector<SeriesChange> changes = Find(history);
  EXPECT_THAT(changes, SizeIs(41));
  EXPECT_TRUE(std::is_sorted(changes.begin(), changes.end(),
                             [](const SeriesChange& a, const SeriesChange& b) {
                               return std::tie(a.function_hash, a.metric, a.change.at) <
                                      std::tie(b.function_hash, b.metric, b.change.at);
                             }));
}

TEST(FindSeriesChanges, TooLittleHistoryHasNone) {
  MemoryHistory history;
  history.Add({{kTarget, Calls(100)}});
  EXPECT_THAT(Find(history), IsEmpty());
  history.Add({});
  EXPECT_THAT(Find(history), IsEmpty());
}

TEST(FindSeriesChanges, ErrorsAreTheHistorys) {
  MemoryHistory history;
  history.Add({{kTarget, Calls(100)}});
  history.Break(absl::DataLossError("segment 3 is cut"));
  EXPECT_EQ(FindSeriesChanges(history, 0).status(), absl::DataLossError("segment 3 is cut"));
}

TEST(FindSeriesChanges, TimeThatIsCountedIsNoExactCount) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) {
    ProfileBuilder builder;
    builder.Function("main").Function("gprofhub_waiting_microseconds");
    builder.Arc("", "main", 1).Arc("main", "gprofhub_waiting_microseconds", i < 3 ? 100 : 103);
    history.Add({{kTarget, builder.Build()}});
  }
  for (const SeriesChange& change : Find(history)) {
    EXPECT_FALSE(std::isinf(change.change.strength)) << "a few percent may be chance";
  }
}

}  // namespace

}  // namespace gprofhub::reporter
