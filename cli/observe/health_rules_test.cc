#include "cli/observe/health_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gprofhub::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
constexpr ServedRoles kAll = {true, true, true, true};

StoreView Good() {
  StoreView view;
  view.disk = {uint64_t{100} << 30, uint64_t{50} << 30};
  return view;
}

// The services that are not serving.
std::vector<std::string> Out(const StoreView& view, const ServedRoles& roles = kAll) {
  std::vector<std::string> out;
  for (const auto& [service, health] : JudgeHealth(view, roles, {}, kNow)) {
    EXPECT_EQ(health.serving, health.why.empty()) << service << ": " << health.why;
    if (!health.serving) out.push_back(service);
  }
  return out;
}

StoreView WithQueue(absl::string_view kind, absl::Duration age, absl::Duration same_for) {
  StoreView view = Good();
  store::QueueCondition queue;
  queue.kind = kind;
  queue.waiting = 3;
  queue.oldest_id = 17;
  queue.oldest = kNow - age;
  view.queues = {queue};
  view.same_oldest_since[std::string(kind)] = kNow - same_for;
  return view;
}

TEST(JudgeHealth, AGoodStoreServesAllThatTheProcessHas) {
  EXPECT_THAT(Out(Good()), IsEmpty());
  EXPECT_EQ(JudgeHealth(Good(), kAll, {}, kNow).size(), 5u);
  const auto query = JudgeHealth(Good(), {false, true, false, false}, {}, kNow);
  EXPECT_EQ(query.size(), 2u);
  EXPECT_TRUE(query.contains(kQueryHealth));
  EXPECT_TRUE(query.contains(kWholeHealth));
}

TEST(JudgeHealth, WithoutTheDatabaseNothingIsServing) {
  StoreView view = Good();
  view.status = absl::UnavailableError("connection refused");
  EXPECT_THAT(Out(view), UnorderedElementsAre("", kCollectorHealth, kQueryHealth, kReporterHealth,
                                              kWorkerHealth));
  EXPECT_THAT(JudgeHealth(view, kAll, {}, kNow).at("").why, HasSubstr("connection refused"));
}

TEST(JudgeHealth, ADatabaseThatSaysNothingIsGoneAfterAWhile) {
  StoreView view = Good();
  view.asked = kNow - absl::Seconds(9);
  EXPECT_THAT(Out(view), IsEmpty());
  view.asked = kNow - absl::Seconds(11);
  EXPECT_EQ(Out(view).size(), 5u);
}

TEST(JudgeHealth, AFullDiskStopsUploadsOnly) {
  StoreView view = Good();
  view.disk.free = 200 << 20;
  EXPECT_THAT(Out(view), ElementsAre("", kCollectorHealth));
  EXPECT_THAT(Out(view, {false, true, true, true}), IsEmpty());
  view.disk = {};  // not on this machine
  EXPECT_THAT(Out(view), IsEmpty());
}

TEST(JudgeHealth, AnUploadThatFoundNoRoomIsRememberedForAMinute) {
  StoreView view = Good();
  view.no_room = kNow - absl::Seconds(50);
  EXPECT_THAT(Out(view), ElementsAre("", kCollectorHealth));
  view.no_room = kNow - absl::Seconds(70);
  EXPECT_THAT(Out(view), IsEmpty());
}

TEST(JudgeHealth, AQueueWhoseHeadStaysIsStuck) {
  const absl::Duration old = absl::Minutes(30);
  EXPECT_THAT(Out(WithQueue("analysis", old, old)), ElementsAre(kWorkerHealth))
      << "uploads can be taken all the same";
  EXPECT_THAT(Out(WithQueue("report", old, old)), ElementsAre(kReporterHealth));
  EXPECT_THAT(Out(WithQueue("notification", old, old)), ElementsAre(kReporterHealth));
  EXPECT_THAT(Out(WithQueue("analysis", old, absl::Minutes(1))), IsEmpty())
      << "it is long, but it moves";
  EXPECT_THAT(Out(WithQueue("analysis", absl::Minutes(1), old)), IsEmpty())
      << "the job came back and is young again";
}

TEST(JudgeHealth, WhereNothingTakesCallsTheWholeIsTheWork) {
  const absl::Duration old = absl::Minutes(30);
  EXPECT_THAT(Out(WithQueue("analysis", old, old), {false, false, true, false}),
              ElementsAre("", kWorkerHealth));
}

}  // namespace
}  // namespace gprofhub::cli
