#include "reporter/history/events.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/series.h"
#include "profile/computed.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;

SeriesChange Change(v1::Finding::Metric metric, size_t last_before, size_t at, size_t first_after,
                    double strength = 5, size_t target = 0) {
  SeriesChange change;
  change.target = target;
  change.metric = metric;
  change.change.last_before = last_before;
  change.change.at = at;
  change.change.first_after = first_after;
  change.change.strength = strength;
  return change;
}

std::vector<size_t> PlacesOf(const std::vector<EventCluster>& clusters) {
  std::vector<size_t> places;
  for (const EventCluster& cluster : clusters) places.push_back(cluster.at);
  return places;
}

TEST(ClusterChanges, CountsOfOneReleaseAreOneEvent) {
  const auto clusters =
      ClusterChanges({Change(v1::Finding::CALLS, 3, 4, 4), Change(v1::Finding::CALLS, 3, 4, 4),
                      Change(v1::Finding::CALLS, 6, 7, 7)});
  EXPECT_THAT(PlacesOf(clusters), ElementsAre(4, 7));
  EXPECT_EQ(clusters[0].changes.size(), 2u);
}

TEST(ClusterChanges, ATimeJoinsTheNearestEventWithinItsReleases) {
  const auto clusters =
      ClusterChanges({Change(v1::Finding::SELF_TIME, 2, 6, 8), Change(v1::Finding::CALLS, 2, 3, 3),
                      Change(v1::Finding::CALLS, 6, 7, 7)});
  EXPECT_THAT(PlacesOf(clusters), ElementsAre(3, 7));
  EXPECT_EQ(clusters[1].changes.size(), 2u);
}

TEST(ClusterChanges, ATimeElsewhereIsAnEventOfItsOwn) {
  const auto clusters = ClusterChanges(
      {Change(v1::Finding::SELF_TIME, 4, 5, 6), Change(v1::Finding::CALLS, 1, 2, 2)});
  EXPECT_THAT(PlacesOf(clusters), ElementsAre(2, 5));
}

TEST(ClusterChanges, OfTimesTheClearestSaysWhere) {
  const auto clusters = ClusterChanges(
      {Change(v1::Finding::SELF_TIME, 1, 4, 6, 5), Change(v1::Finding::SELF_TIME, 2, 3, 4, 9)});
  EXPECT_THAT(PlacesOf(clusters), ElementsAre(3));
}

TEST(TargetsOf, ThoseWithTheMostChangesComeFirst) {
  EventCluster cluster;
  for (const size_t target : {1, 2, 2, 0}) {
    cluster.changes.push_back(Change(v1::Finding::CALLS, 1, 2, 2, 5, target));
  }
  EXPECT_THAT(TargetsOf(cluster), ElementsAre(2, 0, 1));
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kTarget[] = "//:t";
constexpr double kExact = std::numeric_limits<double>::infinity();

ComparisonSide SideOf(const profile::ComputedProfile& profile,
                      const std::string& target = kTarget) {
  ComparisonSide side;
  side.targets[target] = {profile};
  return side;
}

SeriesChange Change(const std::string& function, v1::Finding::Metric metric, double before,
                    double after, double strength = kExact, size_t target = 0) {
  SeriesChange found;
  found.target = target;
  found.function_hash = profile::FunctionHash(function, "");
  found.metric = metric;
  found.change.before = before;
  found.change.after = after;
  found.change.strength = strength;
  return found;
}

SeriesChange Calls(const std::string& function, double strength = kExact) {
  return Change(function, v1::Finding::CALLS, 1, 2, strength);
}

SeriesChange Time(const std::string& function, double before, double after, double strength = 10) {
  return Change(function, v1::Finding::SELF_TIME, before, after, strength);
}

EventCluster ClusterOf(std::vector<SeriesChange> changes) {
  EventCluster cluster;
  cluster.changes = std::move(changes);
  return cluster;
}

// main → parse → next, `next` times. main → open, `open` times, at no cost.
profile::ComputedProfile Parser(uint64_t next, uint64_t open = 1) {
  ProfileBuilder builder;
  builder.Function("main", 100, 900).Function("parse", 300, 600, "parse.cc", 20);
  builder.Function("next", 600, 0, "next.cc", 30).Function("open").Function("_Z4scani", 10);
  builder.Arc("", "main", 1).Arc("main", "parse", 100, 12).Arc("main", "_Z4scani", 5);
  builder.Arc("parse", "next", next, 34).Arc("main", "open", open, 78);
  return builder.Build();
}

std::optional<v1::Finding> FindCause(const EventCluster& cluster,
                                     const profile::ComputedProfile& before,
                                     const profile::ComputedProfile& after, bool all = false) {
  EventCause cause(cluster);
  cause.AddTarget(0, kTarget, SideOf(before), SideOf(after));
  return cause.Find(all);
}

TEST(EventCause, IsWhatTheComparisonFindsAndTheSeriesConfirm) {
  const EventCluster cluster = ClusterOf({Calls("next")});
  EventCause search(cluster);
  search.AddTarget(0, kTarget, SideOf(Parser(200)), SideOf(Parser(800)));
  const std::optional<v1::Finding> cause = search.Find(false);
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->function(), "next");
  EXPECT_EQ(cause->caller(), "parse");
  EXPECT_EQ(cause->target(), kTarget);
  EXPECT_EQ(cause->before(), 200);
  EXPECT_EQ(cause->after(), 800);
  EXPECT_THAT(search.functions(), ElementsAre("next"));
}

TEST(EventCause, IsNoneIfTheSeriesDoNotConfirmIt) {
  for (const EventCluster& cluster :
       {ClusterOf({}), ClusterOf({Calls("parse")}), ClusterOf({Calls("not_there")})}) {
    EventCause search(cluster);
    search.AddTarget(0, kTarget, SideOf(Parser(200)), SideOf(Parser(800)));
    EXPECT_EQ(search.Find(true), std::nullopt);
    EXPECT_THAT(search.functions(), IsEmpty());
  }
}

TEST(EventCause, AChangeOfAnotherTargetConfirmsNothing) {
  const EventCluster cluster = ClusterOf({Change("next", v1::Finding::CALLS, 1, 2, kExact, 1)});
  EXPECT_EQ(FindCause(cluster, Parser(200), Parser(800)), std::nullopt);
}

TEST(EventCause, AChangeOfTimeDoesNotConfirmOneOfCalls) {
  const EventCluster cluster = ClusterOf({Time("next", 6, 9)});
  const std::optional<v1::Finding> cause = FindCause(cluster, Parser(200), Parser(800));
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->metric(), v1::Finding::SELF_TIME) << "the series' own word";
}

TEST(EventCause, AMaterialOneComesBeforeASmallOne) {
  // A small change alone, then together with a material one.
  const EventCluster small = ClusterOf({Calls("open")});
  const std::optional<v1::Finding> open = FindCause(small, Parser(200), Parser(200, 2));
  ASSERT_TRUE(open.has_value());
  EXPECT_EQ(open->function(), "open");
  EXPECT_FALSE(open->material());
  const EventCluster both = ClusterOf({Calls("open"), Calls("next")});
  const std::optional<v1::Finding> next = FindCause(both, Parser(200), Parser(800, 2));
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->function(), "next");
}

TEST(EventCause, WhatTheComparisonCannotTellTheSeriesSay) {
  const EventCluster cluster = ClusterOf({Time("next", 6, 9, 10)});
  const std::optional<v1::Finding> cause = FindCause(cluster, Parser(200), Parser(200));
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->verdict(), v1::Finding::REGRESSED);
  EXPECT_EQ(cause->metric(), v1::Finding::SELF_TIME);
  EXPECT_EQ(cause->function(), "next");
  EXPECT_EQ(cause->site().file(), "next.cc");
  EXPECT_EQ(cause->site().line(), 30u);
  EXPECT_EQ(cause->target(), kTarget);
  EXPECT_EQ(cause->before(), 6);
  EXPECT_EQ(cause->after(), 9);
  EXPECT_NEAR(cause->effect_percent(), 50, 1e-9);
  // The change is ten times its error.
  EXPECT_NEAR(cause->standard_error(), 0.3, 1e-9);
  const double half = 1.96 * std::log(1.5) / 10;
  EXPECT_NEAR(cause->interval_low_percent(), (1.5 * std::exp(-half) - 1) * 100, 1e-9);
  EXPECT_NEAR(cause->interval_high_percent(), (1.5 * std::exp(half) - 1) * 100, 1e-9);
  // 600 of 1,010 samples, of which a third are new.
  EXPECT_NEAR(cause->weight(), 600.0 / 1010, 1e-9);
  EXPECT_NEAR(cause->impact(), 200.0 / 1010, 1e-9);
  EXPECT_TRUE(cause->material());
}

TEST(EventCause, ATimeThatFellIsAnImprovementAndNamesAreShown) {
  const EventCluster cluster = ClusterOf({Time("_Z4scani", 3, 1.5)});
  const std::optional<v1::Finding> cause = FindCause(cluster, Parser(200), Parser(200));
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->verdict(), v1::Finding::IMPROVED);
  EXPECT_EQ(cause->function_display(), "scan(int)");
  EXPECT_NEAR(cause->effect_percent(), -50, 1e-9);
  EXPECT_FALSE(cause->material()) << "half of one percent of the samples";
}

TEST(EventCause, ATimeThatAppearedHasNoEffectInPercent) {
  const EventCluster cluster = ClusterOf({Time("next", 0, 9)});
  const std::optional<v1::Finding> cause = FindCause(cluster, Parser(200), Parser(200));
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->verdict(), v1::Finding::REGRESSED);
  EXPECT_EQ(cause->effect_percent(), 0);
  EXPECT_EQ(cause->interval_high_percent(), 0);
  EXPECT_NEAR(cause->impact(), 600.0 / 1010, 1e-9);
}

TEST(EventCause, OfWhatTheSeriesSayTheLargestCounts) {
  // parse has the larger effect size, next the larger share.
  const EventCluster cluster = ClusterOf({Time("parse", 2, 3, 20), Time("next", 6, 9, 10)});
  const std::optional<v1::Finding> cause = FindCause(cluster, Parser(200), Parser(200));
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->function(), "next");
}

TEST(EventCause, OfTheSmallOnesThatTheSeriesSayTheLargestCounts) {
  const EventCluster cluster = ClusterOf({Time("open", 2, 3, 20), Time("_Z4scani", 3, 4, 10)});
  const std::optional<v1::Finding> cause = FindCause(cluster, Parser(200), Parser(200));
  ASSERT_TRUE(cause.has_value());
  EXPECT_FALSE(cause->material());
  EXPECT_EQ(cause->function(), "_Z4scani");
}

TEST(EventCause, CostThatOnlyMovedIsOneIfAskedFor) {
  const auto build = [](const std::string& name) {
    ProfileBuilder builder;
    builder.Function("main", 100, 500).Function(name, 500).Size(64);
    builder.Arc("", "main", 1).Arc("main", name, 100, 12);
    return builder.Build();
  };
  const EventCluster cluster =
      ClusterOf({Calls("old_name"), Calls("new_name"), Time("new_name", 0, 5)});
  EXPECT_EQ(FindCause(cluster, build("old_name"), build("new_name")), std::nullopt);
  const std::optional<v1::Finding> moved =
      FindCause(cluster, build("old_name"), build("new_name"), /*all=*/true);
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(moved->verdict(), v1::Finding::SHIFTED);
  EXPECT_EQ(moved->function(), "new_name");
}

TEST(EventCause, OfSeveralTargetsTheOneItStandsForMostIn) {
  for (const bool swapped : {false, true}) {
    SeriesChange there = Calls("next");
    there.target = 1;
    const EventCluster cluster = ClusterOf({Calls("next"), there});
    EventCause search(cluster);
    const std::string labels[2] = {"//:a", "//:b"};
    for (size_t number = 0; number < 2; ++number) {
      const std::string& label = labels[number];
      const uint64_t calls = (number == 0) == swapped ? 800 : 300;
      search.AddTarget(number, label, SideOf(Parser(200), label), SideOf(Parser(calls), label));
    }
    ASSERT_TRUE(search.Find(false).has_value());
    EXPECT_EQ(search.Find(false)->target(), swapped ? "//:a" : "//:b");
  }
}

TEST(EventCause, ASideThatLacksTheTargetTellsNothing) {
  const EventCluster cluster = ClusterOf({Calls("next"), Time("parse", 1, 2)});
  EventCause search(cluster);
  search.AddTarget(0, kTarget, ComparisonSide(), ComparisonSide());
  EXPECT_EQ(search.Find(true), std::nullopt);
}

// main → parse → next → read, `per_parse` times per parse; `read` has `read_samples`.
profile::ComputedProfile ParserWithReads(uint64_t per_parse, double read_samples = 0,
                                         uint64_t trivial = 1) {
  if (read_samples == 0) read_samples = 40.0 * static_cast<double>(per_parse);
  ProfileBuilder builder;
  builder.Function("main", 100, 3000).Function("parse", 1000, 2000).Function("next", 1000, 500);
  builder.Function("read", read_samples).Function("scan", 900).Function("sort", 800);
  builder.Function("hash", 700).Function("open", 0);
  builder.Arc("", "main", 1)
      .Arc("main", "parse", 100, 12)
      .Arc("parse", "next", 100 * per_parse, 34);
  builder.Arc("next", "read", 100 * per_parse, 56).Arc("main", "open", trivial, 78);
  return builder.Build();
}

std::vector<v1::ChangeEvent> Find(History& history, bool all = false) {
  ChangeEventOptions options;
  options.all = all;
  auto events = FindChangeEvents(history, options);
  EXPECT_TRUE(events.ok()) << events.status();
  return *std::move(events);
}

TEST(ChangeEvents, NoneWhereNothingChanges) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) history.Add({{"//:t", ParserWithReads(2)}});
  EXPECT_TRUE(Find(history, true).empty());
}

TEST(ChangeEvents, NeedNoTwoReleases) {
  MemoryHistory history;
  EXPECT_TRUE(Find(history).empty());
  history.Add({{"//:t", ParserWithReads(2)}});
  EXPECT_TRUE(Find(history).empty());
}

TEST(ChangeEvents, ACauseIsOneEventWithWhatFollows) {
  MemoryHistory history;
  for (int i = 0; i < 8; ++i) history.Add({{"//:t", ParserWithReads(i < 5 ? 2 : 8)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  const v1::ChangeEvent& event = events[0];
  EXPECT_EQ(event.cause().function(), "next");
  EXPECT_EQ(event.cause().caller(), "parse");
  EXPECT_EQ(event.cause().site().line(), 34u);
  EXPECT_EQ(event.cause().before(), 200);
  EXPECT_EQ(event.cause().after(), 800);
  EXPECT_EQ(event.last_before().commit(), "c4");
  EXPECT_EQ(event.at().commit(), "c5");
  EXPECT_EQ(event.first_after().commit(), "c5");
  EXPECT_EQ(event.commits(), 1u);
  EXPECT_TRUE(event.confirmed());
  EXPECT_EQ(event.following_functions(), 1u);
  EXPECT_EQ(event.other_causes(), 0u);
  EXPECT_THAT(event.targets(), testing::ElementsAre("//:t"));
}

TEST(ChangeEvents, NewestFirstAndTheNewestReleaseUnconfirmed) {
  MemoryHistory history;
  for (int i = 0; i < 7; ++i) history.Add({{"//:t", ParserWithReads(i < 3 ? 2 : i < 6 ? 4 : 8)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].at().commit(), "c6");
  EXPECT_FALSE(events[0].confirmed());
  EXPECT_EQ(events[1].at().commit(), "c3");
  EXPECT_TRUE(events[1].confirmed());
}

TEST(ChangeEvents, OfManyTargetsComeInTheOrderOfTheReleases) {
  constexpr int kTargets = 9;
  MemoryHistory history;
  for (int i = 0; i < 3 * kTargets + 3; ++i) {
    std::map<std::string, profile::ComputedProfile> profiles;
    for (int t = 0; t < kTargets; ++t) {
      profiles.emplace(absl::StrCat("//:t", t), ParserWithReads(i < 3 * t + 3 ? 2 : 8));
    }
    history.Add(profiles);
  }
  const auto events = Find(history);
  ASSERT_EQ(events.size(), size_t{kTargets});
  for (int t = 0; t < kTargets; ++t) {
    const v1::ChangeEvent& event = events[static_cast<size_t>(kTargets - 1 - t)];
    EXPECT_EQ(event.at().commit(), absl::StrCat("c", 3 * t + 3));
    EXPECT_THAT(event.targets(), testing::ElementsAre(absl::StrCat("//:t", t)));
  }
}

TEST(ChangeEvents, AnErrorOfTheHistoryIsTheResult) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) {
    history.Add(
        {{"//:t", ParserWithReads(i < 3 ? 2 : 8)}, {"//:u", ParserWithReads(i < 3 ? 2 : 16)}});
  }
  history.Break(absl::DataLossError("damaged"));
  EXPECT_EQ(FindChangeEvents(history, {}).status(), absl::DataLossError("damaged"));
}

TEST(ChangeEvents, ASeriesThatGoesBackSaysWhen) {
  MemoryHistory history;
  for (int i = 0; i < 9; ++i) history.Add({{"//:t", ParserWithReads(i < 3 ? 2 : i < 6 ? 8 : 2)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].at().commit(), "c3");
  EXPECT_EQ(events[1].back_at().commit(), "c6");
  EXPECT_FALSE(events[0].has_back_at());
}

TEST(ChangeEvents, OneRunAtTheOldLevelOrHalfTheWayIsNotBack) {
  MemoryHistory once, half;
  for (int i = 0; i < 7; ++i) once.Add({{"//:t", ParserWithReads(i < 3 ? 2 : i < 6 ? 8 : 2)}});
  for (int i = 0; i < 9; ++i) half.Add({{"//:t", ParserWithReads(i < 3 ? 2 : i < 6 ? 8 : 5)}});
  for (MemoryHistory* history : {&once, &half}) {
    for (const v1::ChangeEvent& event : Find(*history)) EXPECT_FALSE(event.has_back_at());
  }
}

TEST(ChangeEvents, ReleasesWithoutTheTargetMakeARangeOfCommits) {
  MemoryHistory history;
  for (int i = 0; i < 4; ++i) history.Add({{"//:t", ParserWithReads(2)}});
  history.Add({});
  for (int i = 0; i < 3; ++i) history.Add({{"//:t", ParserWithReads(8)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].last_before().commit(), "c3");
  EXPECT_EQ(events[0].first_after().commit(), "c5");
  EXPECT_EQ(events[0].commits(), 2u);
}

TEST(ChangeEvents, WhatTheBuildFoundUnchangedIsNotInTheRange) {
  MemoryHistory history;
  for (int i = 0; i < 4; ++i) history.Add({{"//:t", ParserWithReads(2)}});
  history.Add({}, /*unchanged=*/true);
  for (int i = 0; i < 3; ++i) history.Add({{"//:t", ParserWithReads(8)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].last_before().commit(), "c4");
  EXPECT_EQ(events[0].commits(), 1u);
}

TEST(ChangeEvents, ATimeThatChangedAloneIsAnEvent) {
  MemoryHistory history;
  for (int i = 0; i < 20; ++i) {
    history.Add({{"//:t", ParserWithReads(2, (i < 11 ? 1000 : 1500) + i % 3)}});
  }
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].cause().function(), "read");
  EXPECT_EQ(events[0].cause().metric(), v1::Finding::SELF_TIME);
  EXPECT_EQ(events[0].cause().verdict(), v1::Finding::REGRESSED);
  EXPECT_EQ(events[0].at().commit(), "c11");
  EXPECT_NEAR(events[0].cause().effect_percent(), 50, 5);
}

TEST(ChangeEvents, ATimeThatFollowsACountBelongsToItsEvent) {
  MemoryHistory history;
  for (int i = 0; i < 20; ++i) {
    history.Add({{"//:t", ParserWithReads(i < 11 ? 2 : 4, (i < 11 ? 1000 : 2000) + i % 3)}});
  }
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].cause().metric(), v1::Finding::CALLS);
  EXPECT_EQ(events[0].cause().function(), "next");
}

TEST(ChangeEvents, ASlowMachineIsNone) {
  MemoryHistory history;
  for (int i = 0; i < 20; ++i) {
    profile::ComputedProfile profile = ParserWithReads(2, 1000 + i % 3);
    if (i >= 8 && i < 14) {
      for (profile::FunctionCost& function : profile.functions) function.self_samples *= 1.4;
    }
    history.Add({{"//:t", profile}});
  }
  EXPECT_TRUE(Find(history).empty());
}

TEST(ChangeEvents, RunsWithoutSamplesSayNothingOfTimes) {
  MemoryHistory history;
  for (int i = 0; i < 20; ++i) {
    profile::ComputedProfile profile = ParserWithReads(2, 1000 + i % 3);
    if (i >= 8) {
      for (profile::FunctionCost& function : profile.functions) function.self_samples = 0;
    }
    history.Add({{"//:t", profile}});
  }
  EXPECT_TRUE(Find(history).empty());
}

TEST(ChangeEvents, WhatIsNotMaterialIsSaidSo) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) history.Add({{"//:t", ParserWithReads(2, 0, i < 3 ? 1 : 2)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].cause().function(), "open");
  EXPECT_FALSE(events[0].cause().material());
}

TEST(ChangeEvents, CostThatOnlyMovedIsToldWhenAskedFor) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) {
    const std::string name = i < 3 ? "old_name" : "new_name";
    ProfileBuilder builder;
    builder.Function("main", 100, 500).Function(name, 500).Size(64);
    builder.Arc("", "main", 1).Arc("main", name, 100, 12);
    history.Add({{"//:t", builder.Build()}});
  }
  EXPECT_TRUE(Find(history).empty());
  const auto events = Find(history, true);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].cause().verdict(), v1::Finding::SHIFTED);
  EXPECT_EQ(events[0].cause().function(), "new_name");
}

TEST(ChangeEvents, OneReleaseIsOneEventOverAllTargets) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) {
    history.Add(
        {{"//:t", ParserWithReads(i < 3 ? 2 : 8)}, {"//:u", ParserWithReads(i < 3 ? 2 : 16)}});
  }
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events[0].targets(), testing::ElementsAre("//:t", "//:u"));
  EXPECT_EQ(events[0].cause().target(), "//:u") << "where it stands for most";
}

}  // namespace

}  // namespace gprofhub::reporter
