#include "reporter/forge/http/retry.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

using Kind = RetryDecision::Kind;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

RetryDecision Decide(const absl::StatusOr<base::HttpResponse>& answer, bool idempotent = true,
                     int attempt = 1) {
  return DecideRetry(answer, idempotent, attempt, kNow, RetryPolicy());
}

TEST(DecideRetryTest, WhatWasAnsweredStands) {
  for (const int status : {200, 201, 204, 301, 400, 401, 403, 404, 409, 422}) {
    EXPECT_EQ(Decide(base::HttpResponse{status, {}, ""}).kind, Kind::kDone) << status;
  }
}

TEST(DecideRetryTest, ServerErrorsAndSilenceAreTriedAgainLaterAndLater) {
  for (const absl::StatusOr<base::HttpResponse>& answer :
       {absl::StatusOr<base::HttpResponse>(base::HttpResponse{502, {}, ""}),
        absl::StatusOr<base::HttpResponse>(absl::UnavailableError("refused"))}) {
    EXPECT_EQ(Decide(answer).kind, Kind::kWait);
    EXPECT_EQ(Decide(answer).wait, absl::Seconds(1));
    EXPECT_EQ(Decide(answer, true, 3).wait, absl::Seconds(4));
    EXPECT_EQ(Decide(answer, true, 4).kind, Kind::kGiveUp);
  }
}

TEST(DecideRetryTest, AServerThatHangsIsLeftToTheJob) {
  EXPECT_EQ(Decide(absl::DeadlineExceededError("slow")).kind, Kind::kGiveUp);
  EXPECT_EQ(Decide(absl::CancelledError("stopping")).kind, Kind::kDone);
}

TEST(DecideRetryTest, WhatMayHaveBeenDoneIsNotDoneTwice) {
  EXPECT_EQ(Decide(base::HttpResponse{502, {}, ""}, /*idempotent=*/false).kind, Kind::kGiveUp);
  EXPECT_EQ(Decide(absl::UnavailableError("cut"), /*idempotent=*/false).kind, Kind::kGiveUp);
}

TEST(DecideRetryTest, RetryAfterIsHonouredForEveryMethod) {
  for (const int status : {403, 429}) {
    const base::HttpResponse limited{status, {{"retry-after", "7"}}, ""};
    EXPECT_EQ(Decide(limited, false).kind, Kind::kWait);
    EXPECT_EQ(Decide(limited, false).wait, absl::Seconds(7));
  }
  const base::HttpResponse dated{429, {{"retry-after", "Tue, 14 Nov 2023 22:13:32 GMT"}}, ""};
  EXPECT_EQ(Decide(dated).wait, absl::Seconds(12));
}

TEST(DecideRetryTest, ALongWaitIsLeftToTheJob) {
  const RetryDecision decision = Decide(base::HttpResponse{429, {{"retry-after", "1800"}}, ""});
  EXPECT_EQ(decision.kind, Kind::kGiveUp);
  EXPECT_EQ(decision.wait, absl::Minutes(30));
  const base::HttpResponse absurd{429, {{"retry-after", "4000000000"}}, ""};
  EXPECT_EQ(Decide(absurd).wait, absl::Hours(1));
}

TEST(DecideRetryTest, AUsedUpLimitIsWaitedForUntilItsReset) {
  const base::HttpResponse used_up{
      403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1700000009"}}, ""};
  EXPECT_EQ(Decide(used_up).kind, Kind::kWait);
  EXPECT_EQ(Decide(used_up).wait, absl::Seconds(10));
  const base::HttpResponse silent{429, {}, ""};
  EXPECT_EQ(Decide(silent).wait, absl::Minutes(1)) << "what GitHub asks for";
}

TEST(RetryAfterTest, TravelsWithTheStatus) {
  EXPECT_EQ(RetryAfterOf(WithRetryAfter(absl::UnavailableError("x"), absl::Seconds(90))),
            absl::Seconds(90));
  EXPECT_EQ(RetryAfterOf(absl::UnavailableError("x")), std::nullopt);
}

}  // namespace
}  // namespace gprofhub::reporter
