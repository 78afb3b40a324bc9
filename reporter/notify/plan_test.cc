#include "reporter/notify/plan.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

// An event of commit number `at`; commits are one hour apart.
v1::ChangeEvent Event(int at, const std::string& function = "parse") {
  const auto release = [](int number, v1::Release& made) {
    made.set_commit(std::string(7, static_cast<char>('a' + number)));
    made.set_unix_ms(absl::ToUnixMillis(kNow - absl::Hours(20 - number)));
  };
  v1::ChangeEvent event;
  release(at - 1, *event.mutable_last_before());
  release(at, *event.mutable_at());
  release(at, *event.mutable_first_after());
  event.set_confirmed(true);
  event.add_targets("//db:query_test");
  v1::Finding& cause = *event.mutable_cause();
  cause.set_function(function);
  cause.set_target("//db:query_test");
  cause.set_verdict(v1::Finding::REGRESSED);
  cause.set_metric(v1::Finding::CALLS);
  cause.set_impact(0.1);
  cause.mutable_site()->set_file("db/parse.cc");
  return event;
}

class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    input_.project = "db";
    input_.changes.set_branch("main");
    input_.changes.set_configuration("k8-opt");
    input_.now = kNow;
    ChannelConfig chat;
    chat.name = "chat";
    config_.channels = {chat};
    RouteConfig all;
    all.channels = {"chat"};
    all.verdicts = {v1::Finding::REGRESSED};
    config_.routes = {all};
  }

  Plan Make() const { return PlanNotifications(input_, config_, OwnersFrom(config_)); }

  // Applies the plan: its notifications become known.
  void Tell(const Plan& plan) { input_.told = plan.tell; }

  static NotificationStatus StatusOf(const store::NotificationRecord& record) {
    return DecodeNotification(record.content)->status;
  }

  PlanInput input_;
  NotifyConfig config_;
};

TEST_F(PlanTest, WhatIsNewConfirmedAndLargeIsTold) {
  *input_.changes.add_events() = Event(5);
  const Plan plan = Make();
  ASSERT_THAT(plan.tell, SizeIs(1));
  EXPECT_EQ(plan.tell[0].channel, "chat");
  EXPECT_EQ(plan.tell[0].project, "db");
  EXPECT_EQ(plan.tell[0].series, "main\nk8-opt");
  EXPECT_EQ(plan.tell[0].key, KeyOf(*DecodeNotification(plan.tell[0].content)));
  EXPECT_EQ(StatusOf(plan.tell[0]), NotificationStatus::kOpen);
}

TEST_F(PlanTest, WhatIsUnconfirmedSmallOldOfTheTestOrOverIsNot) {
  std::vector<v1::ChangeEvent> events(6, Event(5));
  events[0].set_confirmed(false);
  events[1].mutable_cause()->set_impact(0.009);
  events[2].mutable_at()->set_unix_ms(absl::ToUnixMillis(kNow - absl::Hours(24 * 15)));
  events[3].mutable_cause()->set_in_test(true);
  *events[4].mutable_back_at() = Event(7).at();
  events[5].mutable_cause()->set_share_of_calls(0.9);
  for (const v1::ChangeEvent& event : events) {
    input_.changes.clear_events();
    *input_.changes.add_events() = event;
    EXPECT_THAT(Make().tell, IsEmpty()) << event.ShortDebugString();
  }
  config_.routes[0].min_calls_percent = 90;
  EXPECT_THAT(Make().tell, SizeIs(1)) << "where no CPU was sampled calls count, if asked for";
}

TEST_F(PlanTest, RoutesChooseByEveryField) {
  *input_.changes.add_events() = Event(5);
  config_.owners = {{{"db/*"}, {"@db", "@sql"}}, {{"*"}, {"@all"}}};
  RouteConfig& route = config_.routes[0];
  const RouteConfig any = route;
  const auto told = [this] { return !Make().tell.empty(); };
  for (const auto& [field, good, bad] : {std::tuple(&RouteConfig::projects, "d?", "db2"),
                                         std::tuple(&RouteConfig::targets, "//db:*", "//sql:*"),
                                         std::tuple(&RouteConfig::functions, "parse", "parsed"),
                                         std::tuple(&RouteConfig::files, "db/*", "sql/*"),
                                         std::tuple(&RouteConfig::owners, "@sql", "@all")}) {
    route = any;
    route.*field = {bad, good};
    EXPECT_TRUE(told()) << good;
    route.*field = {bad};
    EXPECT_FALSE(told()) << bad;
  }
  route = any;
  route.verdicts = {v1::Finding::IMPROVED};
  EXPECT_FALSE(told());
}

TEST_F(PlanTest, EachChannelIsToldOnceHoweverManyRoutesLeadToIt) {
  *input_.changes.add_events() = Event(5);
  config_.routes.push_back(config_.routes[0]);
  ChannelConfig weekly;
  weekly.name = "weekly";
  weekly.events = false;
  config_.channels.push_back(weekly);
  config_.routes[1].channels = {"weekly", "chat"};
  const Plan plan = Make();
  EXPECT_THAT(plan.tell, SizeIs(1));
  ASSERT_THAT(plan.keep, SizeIs(1));
  EXPECT_EQ(plan.keep[0].channel, "weekly");
}

TEST_F(PlanTest, LookingOnceMoreGivesTheSame) {
  *input_.changes.add_events() = Event(5);
  *input_.changes.add_events() = Event(9, "lex");
  const Plan first = Make();
  Tell(first);
  const Plan second = Make();
  ASSERT_THAT(second.tell, SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(second.tell[i].key, first.tell[i].key);
    EXPECT_EQ(second.tell[i].content, first.tell[i].content);
  }
}

TEST_F(PlanTest, ANarrowerRangeOrAnotherCauseIsTheSameEvent) {
  v1::ChangeEvent wide = Event(5);
  *wide.mutable_first_after() = Event(8).at();
  *wide.mutable_at() = Event(8).at();
  *input_.changes.add_events() = wide;
  const Plan first = Make();
  Tell(first);
  *input_.changes.mutable_events(0) = Event(6);
  ASSERT_THAT(Make().tell, SizeIs(1));
  EXPECT_EQ(Make().tell[0].key, first.tell[0].key) << "the range is narrower";
  Tell(Make());
  *input_.changes.mutable_events(0) = Event(6, "lex");
  ASSERT_THAT(Make().tell, SizeIs(1));
  EXPECT_EQ(Make().tell[0].key, first.tell[0].key) << "the same commit";
  *input_.changes.mutable_events(0) = Event(12);
  EXPECT_NE(Make().tell[0].key, first.tell[0].key) << "elsewhere";
}

TEST_F(PlanTest, WhatWasToldRecoversEvenIfItIsSmallByNow) {
  *input_.changes.add_events() = Event(5);
  Tell(Make());
  *input_.changes.mutable_events(0)->mutable_back_at() = Event(9).at();
  input_.changes.mutable_events(0)->mutable_cause()->set_impact(0);
  const Plan plan = Make();
  ASSERT_THAT(plan.tell, SizeIs(1));
  EXPECT_EQ(StatusOf(plan.tell[0]), NotificationStatus::kRecovered);
  Tell(plan);
  EXPECT_EQ(Make().tell[0].content, plan.tell[0].content);
}

TEST_F(PlanTest, AnAcknowledgementForAllPullRequestsCoversIt) {
  *input_.changes.add_events() = Event(5);
  store::AcknowledgementRecord said;
  said.function = "pars*";
  said.author = "maintainer";
  said.reason = "needed";
  said.pull_request = "17";
  input_.acknowledged = {said};
  EXPECT_THAT(Make().tell, SizeIs(1)) << "it is of one pull request";
  Tell(Make());
  input_.acknowledged[0].pull_request = "";
  EXPECT_EQ(StatusOf(Make().tell[0]), NotificationStatus::kAcknowledged);
  input_.acknowledged[0].expires = kNow;
  EXPECT_EQ(StatusOf(Make().tell[0]), NotificationStatus::kOpen) << "it has expired";
  input_.told.clear();
  input_.acknowledged[0].expires = absl::InfiniteFuture();
  EXPECT_THAT(Make().tell, IsEmpty()) << "nobody has to be told";
}

TEST_F(PlanTest, WhatIsNotThereAnyMoreIsWithdrawnOnceIfItWouldBeSeen) {
  *input_.changes.add_events() = Event(5);
  Tell(Make());
  input_.changes.clear_events();
  input_.looked_at_from = kNow - absl::Hours(1);
  EXPECT_THAT(Make().tell, IsEmpty()) << "it is older than the runs looked at";
  input_.looked_at_from = absl::InfinitePast();
  const Plan plan = Make();
  ASSERT_THAT(plan.tell, SizeIs(1));
  EXPECT_EQ(StatusOf(plan.tell[0]), NotificationStatus::kWithdrawn);
  Tell(plan);
  EXPECT_THAT(Make().tell, IsEmpty());
}

TEST_F(PlanTest, AnotherBranchHasNoSay) {
  *input_.changes.add_events() = Event(5);
  Tell(Make());
  input_.changes.clear_events();
  input_.changes.set_branch("release");
  EXPECT_THAT(Make().tell, IsEmpty());
}

TEST_F(PlanTest, ADigestHasTheWeeksChangesOfItsChannel) {
  *input_.changes.add_events() = Event(5);
  store::NotificationRecord record = Make().tell.at(0);
  record.changed = kNow - absl::Hours(1);
  store::NotificationRecord old = record, other = record, late = record, digest = record;
  old.changed = kNow - absl::Hours(24 * 7 + 1);
  late.changed = kNow;
  other.channel = "mail";
  digest.series = "";
  const auto made = PlanDigest("db", {old, record, other, late, digest}, config_.channels[0], kNow);
  ASSERT_TRUE(made.has_value());
  EXPECT_THAT(made->changes, SizeIs(1));
  EXPECT_EQ(made->week, "2023-11-07 to 2023-11-14");
  EXPECT_FALSE(PlanDigest("db", {old}, config_.channels[0], kNow).has_value());
}

TEST(OwnersFrom, TheFirstEntryThatMatchesCounts) {
  NotifyConfig config;
  config.owners = {{{"db/*", "*.sql"}, {"@db"}}, {{"*"}, {"@all", "@rest"}}};
  const FileOwners owners = OwnersFrom(config);
  EXPECT_THAT(owners("db/parse.cc"), ElementsAre("@db"));
  EXPECT_THAT(owners("x/y.sql"), ElementsAre("@db"));
  EXPECT_THAT(owners("main.cc"), ElementsAre("@all", "@rest"));
  EXPECT_THAT(OwnersFrom(NotifyConfig())("main.cc"), IsEmpty());
}

}  // namespace

}  // namespace gprofhub::reporter
