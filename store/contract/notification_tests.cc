// Contract tests: notifications of channels.
#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "store/contract/helpers.h"

namespace gprofhub::store {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = NotificationOutcome::Kind;

NotificationRecord MakeNotification(const std::string& key = "event 1",
                                    const std::string& channel = "chat") {
  NotificationRecord record;
  record.key = key;
  record.channel = channel;
  record.project = "sqlite";
  record.series = "main k8-opt";
  record.content = R"({"status": "open", "why": "'quoted' €"})";
  return record;
}

std::optional<NotificationRecord> ClaimNotification(const Store& store, absl::Time now = kNow,
                                                    absl::string_view worker = "reporter",
                                                    absl::string_view channel = "chat") {
  auto claimed = store.notifications.Claim(channel, worker, now, kLease);
  EXPECT_TRUE(claimed.ok()) << claimed.status();
  return claimed.ok() ? *claimed : std::nullopt;
}

NotificationOutcome Told(const std::string& reference = "") {
  return {Kind::kTold, reference, "", kNow};
}

TEST_P(StoreContractTest, EachChannelHasAQueueOfItsOwn) {
  EXPECT_OK(store_->notifications.Put(
      {MakeNotification("event 1", "chat"), MakeNotification("event 1", "mail")},
      /*deliver=*/true, kNow));
  const auto mail = ClaimNotification(*store_, kNow, "reporter", "mail");
  ASSERT_TRUE(mail.has_value());
  EXPECT_EQ(mail->channel, "mail");
  EXPECT_FALSE(ClaimNotification(*store_, kNow, "reporter", "mail").has_value());
  EXPECT_TRUE(ClaimNotification(*store_, kNow, "reporter", "chat").has_value());
  EXPECT_EQ(Code(store_->notifications.Claim("", "reporter", kNow, kLease)),
            absl::StatusCode::kInvalidArgument);
}

TEST_P(StoreContractTest, WhatAChannelThatHasGoneWasToBeToldIsDropped) {
  EXPECT_OK(store_->notifications.Put(
      {MakeNotification("event 1", "chat"), MakeNotification("event 1", "mail"),
       MakeNotification("event 2", "mail")},
      /*deliver=*/true, kNow));
  const auto under_way = ClaimNotification(*store_, kNow, "reporter", "mail");
  ASSERT_TRUE(under_way.has_value());
  EXPECT_OK(store_->notifications.DropOthers({"chat", "'"}));
  EXPECT_FALSE(ClaimNotification(*store_, kNow, "reporter", "mail").has_value());
  EXPECT_TRUE(ClaimNotification(*store_, kNow, "reporter", "chat").has_value());
  EXPECT_OK(store_->notifications.Finish(*under_way, Told(), kNow)) << "it was on its way";
}

TEST_P(StoreContractTest, WhatIsToBeToldIsGivenOnceWithAllFields) {
  const NotificationRecord given = MakeNotification();
  EXPECT_OK(store_->notifications.Put({given}, /*deliver=*/true, kNow));
  const auto claimed = ClaimNotification(*store_);
  ASSERT_TRUE(claimed.has_value());
  EXPECT_EQ(claimed->key, given.key);
  EXPECT_EQ(claimed->channel, given.channel);
  EXPECT_EQ(claimed->project, given.project);
  EXPECT_EQ(claimed->series, given.series);
  EXPECT_EQ(claimed->content, given.content);
  EXPECT_EQ(claimed->told, "");
  EXPECT_EQ(claimed->opened, kNow);
  EXPECT_EQ(claimed->changed, kNow);
  EXPECT_EQ(claimed->attempts, 1u);
  EXPECT_FALSE(ClaimNotification(*store_).has_value());
  EXPECT_OK(store_->notifications.Finish(*claimed, Told("42"), kNow));
  EXPECT_FALSE(ClaimNotification(*store_, kNow + absl::Hours(1)).has_value());
  const auto kept = store_->notifications.List("sqlite");
  ASSERT_TRUE(kept.ok()) << kept.status();
  ASSERT_THAT(*kept, SizeIs(1));
  EXPECT_EQ(kept->front().told, given.content);
  EXPECT_EQ(kept->front().reference, "42");
  EXPECT_THAT(*store_->notifications.List("other"), IsEmpty());
  EXPECT_THAT(*store_->notifications.ListProjects(), ElementsAre("sqlite"));
}

TEST_P(StoreContractTest, TheSameContentIsToldOnceWhoeverPutsIt) {
  EXPECT_OK(store_->notifications.Put({MakeNotification()}, true, kNow));
  EXPECT_OK(store_->notifications.Finish(*ClaimNotification(*store_), Told(), kNow));
  std::optional<Store> other = OpenAgain();
  ASSERT_TRUE(other.has_value());
  EXPECT_OK(other->notifications.Put({MakeNotification()}, true, kNow + absl::Hours(1)));
  EXPECT_FALSE(ClaimNotification(*other, kNow + absl::Hours(2)).has_value());
  EXPECT_EQ(store_->notifications.List("sqlite")->front().changed, kNow);
}

TEST_P(StoreContractTest, EachChannelIsToldForItself) {
  EXPECT_OK(store_->notifications.Put(
      {MakeNotification(), MakeNotification("event 1", "mail"), MakeNotification("event 2")}, true,
      kNow));
  EXPECT_TRUE(ClaimNotification(*store_).has_value());
  EXPECT_TRUE(ClaimNotification(*store_, kNow, "reporter", "mail").has_value());
  EXPECT_TRUE(ClaimNotification(*store_).has_value());
  EXPECT_FALSE(ClaimNotification(*store_).has_value());
  EXPECT_FALSE(ClaimNotification(*store_, kNow, "reporter", "mail").has_value());
}

TEST_P(StoreContractTest, AMessageFromTheFutureIsNotWaitedFor) {
  EXPECT_OK(store_->notifications.Put({MakeNotification()}, true, kNow + absl::Hours(3)));
  EXPECT_FALSE(ClaimNotification(*store_, kNow).has_value()) << "at first it is only found out";
  EXPECT_TRUE(ClaimNotification(*store_, kNow + absl::Seconds(1)).has_value());
}

TEST_P(StoreContractTest, OtherContentIsToldAgainAndKnowsWhatWasTold) {
  NotificationRecord record = MakeNotification();
  EXPECT_OK(store_->notifications.Put({record}, true, kNow));
  EXPECT_OK(store_->notifications.Finish(*ClaimNotification(*store_), Told("42"), kNow));
  const std::string before = record.content;
  record.content = "recovered";
  EXPECT_OK(store_->notifications.Put({record}, true, kNow + absl::Hours(1)));
  const auto claimed = ClaimNotification(*store_, kNow + absl::Hours(1));
  ASSERT_TRUE(claimed.has_value());
  EXPECT_EQ(claimed->content, "recovered");
  EXPECT_EQ(claimed->told, before);
  EXPECT_EQ(claimed->reference, "42");
  EXPECT_EQ(claimed->opened, kNow);
  EXPECT_EQ(claimed->changed, kNow + absl::Hours(1));
}

TEST_P(StoreContractTest, ContentThatComesWhileAMessageIsSentIsToldAfterwards) {
  NotificationRecord record = MakeNotification();
  EXPECT_OK(store_->notifications.Put({record}, true, kNow));
  const auto claimed = ClaimNotification(*store_);
  record.content = "newer";
  EXPECT_OK(store_->notifications.Put({record}, true, kNow));
  EXPECT_FALSE(ClaimNotification(*store_).has_value());
  EXPECT_OK(store_->notifications.Finish(*claimed, Told(), kNow));
  const auto again = ClaimNotification(*store_);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->content, "newer");
  EXPECT_EQ(again->told, MakeNotification().content);
}

TEST_P(StoreContractTest, WhatIsOnlyKeptIsNotGivenOut) {
  EXPECT_OK(store_->notifications.Put({MakeNotification()}, /*deliver=*/false, kNow));
  EXPECT_FALSE(ClaimNotification(*store_, kNow + absl::Hours(1)).has_value());
  EXPECT_THAT(*store_->notifications.List("sqlite"), SizeIs(1));
}

TEST_P(StoreContractTest, AMessageThatDidNotArriveComesBackWhenItIsDue) {
  EXPECT_OK(store_->notifications.Put({MakeNotification()}, true, kNow));
  const absl::Time later = kNow + absl::Minutes(5);
  EXPECT_OK(store_->notifications.Finish(*ClaimNotification(*store_),
                                         {Kind::kAgain, "", "no answer", later}, kNow));
  EXPECT_FALSE(ClaimNotification(*store_, later - absl::Seconds(1)).has_value());
  const auto again = ClaimNotification(*store_, later);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->attempts, 2u);
  EXPECT_EQ(again->told, "");
  EXPECT_OK(store_->notifications.Finish(*again, {Kind::kFailed, "", "refused", later}, later));
  EXPECT_FALSE(ClaimNotification(*store_, later + absl::Hours(1)).has_value());
}

TEST_P(StoreContractTest, AMessageWhoseLeaseRanOutIsGivenToAnother) {
  EXPECT_OK(store_->notifications.Put({MakeNotification()}, true, kNow));
  const auto lost = ClaimNotification(*store_, kNow, "lost");
  EXPECT_OK(store_->notifications.ExtendLease(*lost, kNow + absl::Seconds(30), kLease));
  EXPECT_FALSE(ClaimNotification(*store_, kNow + kLease, "next").has_value());
  const auto next = ClaimNotification(*store_, kNow + 2 * kLease, "next");
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(Code(store_->notifications.Finish(*lost, Told(), kNow)),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Code(store_->notifications.ExtendLease(*lost, kNow, kLease)),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_OK(store_->notifications.Finish(*next, Told(), kNow));
}

TEST_P(StoreContractTest, WorkersAtOnceGetEachMessageOnce) {
  constexpr int kMessages = 12;
  std::vector<NotificationRecord> records;
  for (int i = 0; i < kMessages; ++i)
    records.push_back(MakeNotification(std::string(1, static_cast<char>('a' + i))));
  EXPECT_OK(store_->notifications.Put(records, true, kNow));
  std::vector<int> got(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < got.size(); ++i) {
    threads.emplace_back([this, i, &got] {
      while (ClaimNotification(*store_, kNow, std::string(1, static_cast<char>('A' + i)))) ++got[i];
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(got[0] + got[1] + got[2] + got[3], kMessages);
}

TEST_P(StoreContractTest, ANotificationThatCannotBeStoredIsAnInvalidArgument) {
  NotificationRecord without_key = MakeNotification(""), long_one = MakeNotification();
  long_one.content = std::string((64 << 10) + 1, 'x');
  EXPECT_EQ(Code(store_->notifications.Put({without_key}, true, kNow)),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Code(store_->notifications.Put({long_one}, true, kNow)),
            absl::StatusCode::kInvalidArgument);
  long_one.content.pop_back();
  EXPECT_OK(store_->notifications.Put({long_one}, true, kNow));
}

}  // namespace

}  // namespace gprofhub::store
