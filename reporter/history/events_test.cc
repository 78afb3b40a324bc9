#include "reporter/history/events.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reporter/testing/memory_history.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

// main → parse → next → read, `per_parse` times per parse; `read` has `read_samples`.
profile::ComputedProfile Parser(uint64_t per_parse, double read_samples = 0, uint64_t trivial = 1) {
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
  for (int i = 0; i < 6; ++i) history.Add({{"//:t", Parser(2)}});
  EXPECT_TRUE(Find(history, true).empty());
}

TEST(ChangeEvents, NeedNoTwoReleases) {
  MemoryHistory history;
  EXPECT_TRUE(Find(history).empty());
  history.Add({{"//:t", Parser(2)}});
  EXPECT_TRUE(Find(history).empty());
}

TEST(ChangeEvents, ACauseIsOneEventWithWhatFollows) {
  MemoryHistory history;
  for (int i = 0; i < 8; ++i) history.Add({{"//:t", Parser(i < 5 ? 2 : 8)}});
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
  for (int i = 0; i < 7; ++i) history.Add({{"//:t", Parser(i < 3 ? 2 : i < 6 ? 4 : 8)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].at().commit(), "c6");
  EXPECT_FALSE(events[0].confirmed());
  EXPECT_EQ(events[1].at().commit(), "c3");
  EXPECT_TRUE(events[1].confirmed());
}

TEST(ChangeEvents, ASeriesThatGoesBackSaysWhen) {
  MemoryHistory history;
  for (int i = 0; i < 9; ++i) history.Add({{"//:t", Parser(i < 3 ? 2 : i < 6 ? 8 : 2)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].at().commit(), "c3");
  EXPECT_EQ(events[1].back_at().commit(), "c6");
  EXPECT_FALSE(events[0].has_back_at());
}

TEST(ChangeEvents, OneRunAtTheOldLevelOrHalfTheWayIsNotBack) {
  MemoryHistory once, half;
  for (int i = 0; i < 7; ++i) once.Add({{"//:t", Parser(i < 3 ? 2 : i < 6 ? 8 : 2)}});
  for (int i = 0; i < 9; ++i) half.Add({{"//:t", Parser(i < 3 ? 2 : i < 6 ? 8 : 5)}});
  for (MemoryHistory* history : {&once, &half}) {
    for (const v1::ChangeEvent& event : Find(*history)) EXPECT_FALSE(event.has_back_at());
  }
}

TEST(ChangeEvents, ReleasesWithoutTheTargetMakeARangeOfCommits) {
  MemoryHistory history;
  for (int i = 0; i < 4; ++i) history.Add({{"//:t", Parser(2)}});
  history.Add({});
  for (int i = 0; i < 3; ++i) history.Add({{"//:t", Parser(8)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].last_before().commit(), "c3");
  EXPECT_EQ(events[0].first_after().commit(), "c5");
  EXPECT_EQ(events[0].commits(), 2u);
}

TEST(ChangeEvents, WhatTheBuildFoundUnchangedIsNotInTheRange) {
  MemoryHistory history;
  for (int i = 0; i < 4; ++i) history.Add({{"//:t", Parser(2)}});
  history.Add({}, /*unchanged=*/true);
  for (int i = 0; i < 3; ++i) history.Add({{"//:t", Parser(8)}});
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].last_before().commit(), "c4");
  EXPECT_EQ(events[0].commits(), 1u);
}

TEST(ChangeEvents, ATimeThatChangedAloneIsAnEvent) {
  MemoryHistory history;
  for (int i = 0; i < 20; ++i) {
    history.Add({{"//:t", Parser(2, (i < 11 ? 1000 : 1500) + i % 3)}});
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
    history.Add({{"//:t", Parser(i < 11 ? 2 : 4, (i < 11 ? 1000 : 2000) + i % 3)}});
  }
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].cause().metric(), v1::Finding::CALLS);
  EXPECT_EQ(events[0].cause().function(), "next");
}

TEST(ChangeEvents, ASlowMachineIsNone) {
  MemoryHistory history;
  for (int i = 0; i < 20; ++i) {
    profile::ComputedProfile profile = Parser(2, 1000 + i % 3);
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
    profile::ComputedProfile profile = Parser(2, 1000 + i % 3);
    if (i >= 8) {
      for (profile::FunctionCost& function : profile.functions) function.self_samples = 0;
    }
    history.Add({{"//:t", profile}});
  }
  EXPECT_TRUE(Find(history).empty());
}

TEST(ChangeEvents, WhatIsNotMaterialIsSaidSo) {
  MemoryHistory history;
  for (int i = 0; i < 6; ++i) history.Add({{"//:t", Parser(2, 0, i < 3 ? 1 : 2)}});
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
    history.Add({{"//:t", Parser(i < 3 ? 2 : 8)}, {"//:u", Parser(i < 3 ? 2 : 16)}});
  }
  const auto events = Find(history);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events[0].targets(), testing::ElementsAre("//:t", "//:u"));
  EXPECT_EQ(events[0].cause().target(), "//:u") << "where it stands for most";
}

}  // namespace
}  // namespace gprofhub::reporter
