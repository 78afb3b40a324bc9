#include "base/memory_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace gprofhub::base {

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kTotal = 256 * kMiB;

TEST(MemoryBudgetTest, IsNeverUsedTwice) {
  MemoryBudget budget(100 * kMiB, absl::Minutes(10));
  std::atomic<uint64_t> used = 0;
  std::atomic<uint64_t> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        DecodingCall call(budget, std::to_string(i), nullptr);
        ASSERT_TRUE(call.Take(40 * kMiB).ok());
        const uint64_t now = used += 40;
        for (uint64_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        used -= 40;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 80u);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryBudgetTest, AnOwnerLeavesHalfOfItToOthers) {
  MemoryBudget budget(kTotal, absl::ZeroDuration());
  DecodingCall first(budget, "greedy", nullptr);
  DecodingCall second(budget, "greedy", nullptr);
  DecodingCall other(budget, "other", nullptr);
  ASSERT_TRUE(first.Take(100 * kMiB).ok());
  const absl::Status refused = second.Take(100 * kMiB);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(IsShortOfDecoding(refused));
  EXPECT_TRUE(other.Take(100 * kMiB).ok());
  EXPECT_EQ(budget.refused(), 1u);
}

TEST(MemoryBudgetTest, WhatNeedsMoreThanHalfWaitsUntilNobodyHasAnything) {
  MemoryBudget budget(kTotal, absl::Minutes(10));
  auto small = std::make_unique<DecodingCall>(budget, "a", nullptr);
  ASSERT_TRUE(small->Take(kMiB).ok());
  // Cancellation is checked before the call looks for memory, and after every wait.
  int asked = 0;
  DecodingCall large(budget, "b", [&] {
    if (++asked == 2) small.reset();
    return false;
  });
  EXPECT_TRUE(large.Take(200 * kMiB).ok());
  EXPECT_EQ(asked, 2);
}

TEST(MemoryBudgetTest, NoCallHasMoreThanThereIs) {
  MemoryBudget budget(kTotal, absl::ZeroDuration());
  DecodingCall call(budget, "a", nullptr);
  const absl::Status status = call.Take(kTotal + 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(status.message(),
            "needs 257 MiB to decode; the limit for one call is 256 (the server's "
            "--decoding-memory); request less data");
}

TEST(MemoryBudgetTest, TheSumOfWhatACallTakesCounts) {
  MemoryBudget budget(kTotal, absl::ZeroDuration());
  DecodingCall call(budget, "a", nullptr);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(call.Take(32 * kMiB).ok());
  const absl::Status status = call.Take(kMiB);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_FALSE(IsShortOfDecoding(status));
}

TEST(MemoryBudgetTest, OnlyTheOldestThatHoldsSomethingWaits) {
  MemoryBudget budget(100 * kMiB, absl::Minutes(10));
  DecodingCall first(budget, "a", nullptr);
  DecodingCall second(budget, "b", nullptr);
  auto third = std::make_unique<DecodingCall>(budget, "c", nullptr);
  for (DecodingCall* const call : {&first, &second, third.get()}) {
    ASSERT_TRUE(call->Take(30 * kMiB).ok());
  }
  // Waiting would block on the oldest call, which may wait for this one.
  EXPECT_TRUE(IsShortOfDecoding(second.Take(15 * kMiB)));
  std::thread waits([&] { EXPECT_TRUE(first.Take(15 * kMiB).ok()); });
  third.reset();
  waits.join();
}

TEST(MemoryBudgetTest, StopsWaitingOnceNobodyWaitsForTheResult) {
  MemoryBudget budget(100 * kMiB, absl::Minutes(10));
  DecodingCall holder(budget, "a", nullptr);
  ASSERT_TRUE(holder.Take(90 * kMiB).ok());
  std::atomic<int> asked = 0;
  DecodingCall call(budget, "b", [&] { return ++asked > 2; });
  EXPECT_EQ(call.Take(20 * kMiB).code(), absl::StatusCode::kCancelled);
}

TEST(MemoryBudgetTest, SmallCallsHaveEnoughFromTheirBeginning) {
  MemoryBudget budget(kTotal, absl::ZeroDuration());
  std::vector<std::unique_ptr<DecodingCall>> calls;
  for (uint64_t i = 0; i < kTotal / MemoryBudget::kSeatBytes; ++i) {
    calls.push_back(std::make_unique<DecodingCall>(budget, std::to_string(i), nullptr));
    ASSERT_TRUE(calls.back()->Take(1).ok());
  }
  EXPECT_EQ(budget.used(), kTotal);
  for (auto& call : calls) EXPECT_TRUE(call->Take(MemoryBudget::kSeatBytes - 1).ok());
}

TEST(ReservationTest, GoesBackButForWhatIsLeft) {
  MemoryBudget budget(kTotal, absl::ZeroDuration());
  DecodingCall call(budget, "a", nullptr);
  const Decoding decoding(call);
  {
    absl::StatusOr<Reservation> part = decoding.Take(100 * kMiB);
    ASSERT_TRUE(part.ok());
    EXPECT_EQ(budget.used(), 100 * kMiB);
    part->Leave(60 * kMiB);
  }
  EXPECT_EQ(budget.used(), 60 * kMiB);
}

TEST(DecodingScopeTest, GivesBackWhatWasLeftMeanwhile) {
  MemoryBudget budget(kTotal, absl::ZeroDuration());
  DecodingCall call(budget, "a", nullptr);
  const Decoding decoding(call);
  decoding.Take(20 * kMiB)->Leave(20 * kMiB);
  {
    const DecodingScope scope(decoding);
    decoding.Take(50 * kMiB)->Leave(30 * kMiB);
    EXPECT_EQ(call.used(), 50 * kMiB);
  }
  EXPECT_EQ(call.used(), 20 * kMiB);
}

TEST(ReservationTest, IsAdoptedOfWhatWasLeft) {
  MemoryBudget budget(kTotal, absl::ZeroDuration());
  DecodingCall call(budget, "a", nullptr);
  const Decoding decoding(call);
  decoding.Take(20 * kMiB)->Leave(20 * kMiB);
  { const Reservation part = decoding.Adopt(5 * kMiB); }
  EXPECT_EQ(decoding.used(), 15 * kMiB);
}

TEST(GrowingMemoryTest, TakesWhatIsNewOnly) {
  MemoryBudget budget(kTotal, absl::ZeroDuration());
  DecodingCall call(budget, "a", nullptr);
  GrowingMemory value{Decoding(call)};
  EXPECT_TRUE(value.GrowTo(20 * kMiB).ok());
  EXPECT_TRUE(value.GrowTo(10 * kMiB).ok());
  EXPECT_TRUE(value.GrowTo(30 * kMiB).ok());
  EXPECT_EQ(call.used(), 30 * kMiB);
  EXPECT_FALSE(value.GrowTo(kTotal).ok());
  EXPECT_EQ(call.used(), 30 * kMiB);
}

TEST(DecodingTest, WithoutACallHasNoBound) {
  EXPECT_TRUE(Decoding().Take(UINT64_MAX).ok());
  EXPECT_TRUE(Decoding().CheckWanted().ok());
}

TEST(DecodingTest, AsksNowAndThenWhetherItIsWanted) {
  MemoryBudget budget(kTotal, absl::ZeroDuration());
  DecodingCall call(budget, "a", [] { return true; });
  const Decoding decoding(call);
  uint64_t row = 0;
  while (decoding.CheckWantedAt(row).ok()) ++row;
  EXPECT_EQ(row, 4095u);
}

}  // namespace

}  // namespace gprofhub::base
