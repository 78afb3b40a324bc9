#include "reporter/history/event_cause.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/codec/series.h"
#include "profile/computed.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

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

}  // namespace
}  // namespace gprofhub::reporter
