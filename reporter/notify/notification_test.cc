#include "reporter/notify/notification.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::reporter {

namespace {

Notification Example() {
  Notification notification;
  notification.project = "db";
  notification.branch = "main";
  notification.configuration = "k8-opt";
  notification.status = NotificationStatus::kRecovered;
  notification.reason = "back at the old level since 3fa41c2";
  notification.owners = {"@db"};
  notification.event.mutable_last_before()->set_commit("aaa");
  notification.event.mutable_at()->set_commit("bbb");
  notification.event.mutable_first_after()->set_commit("bbb");
  notification.event.mutable_at()->set_unix_ms(1700000000123);
  notification.event.set_confirmed(true);
  notification.event.add_targets("//db:query_test");
  v1::Finding& cause = *notification.event.mutable_cause();
  cause.set_function("_Z5parsei");
  cause.set_before(10);
  cause.set_after(1.0 / 3);
  cause.set_verdict(v1::Finding::REGRESSED);
  return notification;
}

TEST(EncodeNotification, IsReadBack) {
  const Notification given = Example();
  const auto read = DecodeNotification(EncodeNotification(given));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->project, given.project);
  EXPECT_EQ(read->branch, given.branch);
  EXPECT_EQ(read->configuration, given.configuration);
  EXPECT_EQ(read->status, given.status);
  EXPECT_EQ(read->reason, given.reason);
  EXPECT_EQ(read->owners, given.owners);
  EXPECT_EQ(read->event.SerializeAsString(), given.event.SerializeAsString());
  EXPECT_EQ(EncodeNotification(*read), EncodeNotification(given));
}

TEST(DecodeNotification, WhatIsNoneIsAnInvalidArgument) {
  std::string unknown = EncodeNotification(Example());
  unknown.replace(unknown.find("recovered"), 9, "recoverex");
  for (const std::string& text : {std::string(""), std::string("{}"), std::string("[1]"), unknown,
                                  std::string(R"({"project": 1})")}) {
    EXPECT_EQ(DecodeNotification(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(DecodeDigest(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(KeyOf, IsProjectSeriesRangeAndCause) {
  const std::string key = KeyOf(Example());
  EXPECT_EQ(key.size(), 64u);
  Notification same = Example();
  same.status = NotificationStatus::kOpen;
  same.event.mutable_cause()->set_after(21);
  EXPECT_EQ(KeyOf(same), key);
  Notification project = Example(), branch = Example(), configuration = Example(),
               before = Example(), after = Example(), cause = Example();
  project.project = "other";
  branch.branch = "release";
  configuration.configuration = "arm";
  before.event.mutable_last_before()->set_commit("aa");
  after.event.mutable_first_after()->set_commit("ccc");
  cause.event.mutable_cause()->set_function("g");
  for (const Notification& other : {project, branch, configuration, before, after, cause}) {
    EXPECT_NE(KeyOf(other), key);
  }
}

TEST(SaysTheSame, WhatEachRunChangesALittleIsNoNews) {
  const Notification told = Example();
  Notification noise = told;
  v1::Finding& cause = *noise.event.mutable_cause();
  cause.set_before(10.1);
  cause.set_interval_low_percent(3);
  cause.set_standard_error(0.1);
  EXPECT_TRUE(SaysTheSame(told, noise));
  Notification status = told, level = told, share = told, site = told, targets = told;
  status.status = NotificationStatus::kOpen;
  level.event.mutable_cause()->set_before(11);
  share.event.mutable_cause()->set_impact(0.2);
  site.event.mutable_cause()->mutable_site()->set_line(7);
  targets.event.add_targets("//db:other_test");
  for (const Notification& other : {status, level, share, site, targets}) {
    EXPECT_FALSE(SaysTheSame(told, other));
  }
}

TEST(Bounded, LongNamesAreCutBetweenCharacters) {
  v1::ChangeEvent event;
  std::string name(399, 'x');
  for (int i = 0; i < 1000; ++i) name += "€";
  event.mutable_cause()->set_function(name);
  event.mutable_cause()->add_follows("f");
  for (int i = 0; i < 100; ++i) event.add_targets("//:t");
  const v1::ChangeEvent bounded = Bounded(event);
  EXPECT_EQ(bounded.cause().function(), std::string(399, 'x') + "…");
  EXPECT_EQ(bounded.cause().follows_size(), 0);
  EXPECT_EQ(bounded.targets_size(), 20);
}

TEST(EncodeDigest, WhatHasNoRoomIsCounted) {
  Digest digest;
  digest.project = "db";
  digest.week = "2026-11-16 to 2026-11-22";
  digest.changes.assign(300, Example());
  const std::string text = EncodeDigest(digest);
  EXPECT_LE(text.size(), size_t{64} << 10);
  const auto read = DecodeDigest(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->week, digest.week);
  EXPECT_GT(read->changes.size(), 20u);
  EXPECT_EQ(read->changes.size() + read->left_out, 300u);
}

}  // namespace

}  // namespace gprofhub::reporter
