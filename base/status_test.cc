#include "base/status.h"

#include <gtest/gtest.h>

namespace gprofhub::base {

namespace {

TEST(PublicMessageTest, IsTheMessageUnlessThereIsAnother) {
  const absl::Status plain = absl::NotFoundError("there is no run 17");
  EXPECT_EQ(PublicMessageOf(plain), "there is no run 17");
  const absl::Status hidden =
      WithPublicMessage(absl::InternalError("/srv/hub.db: damaged"), "the store is damaged");
  EXPECT_EQ(PublicMessageOf(hidden), "the store is damaged");
  EXPECT_EQ(hidden.message(), "/srv/hub.db: damaged");
}

TEST(PublicMessageTest, StaysWhenAnErrorIsExplained) {
  const absl::Status hidden =
      WithPublicMessage(absl::InternalError("/srv/hub.db: damaged"), "the store is damaged");
  EXPECT_EQ(PublicMessageOf(WithContext(hidden, "image b1d1")), "the store is damaged");
}

TEST(WithContext, SaysWhereBeforeWhat) {
  const absl::Status status = WithContext(absl::DataLossError("ends early"), "gmon.out");
  EXPECT_EQ(status, absl::DataLossError("gmon.out: ends early"));
}

TEST(WithContext, LeavesOkAlone) { EXPECT_TRUE(WithContext(absl::OkStatus(), "gmon.out").ok()); }

TEST(WithContext, KeepsPayloads) {
  absl::Status status = absl::UnavailableError("busy");
  status.SetPayload("retry", absl::Cord("soon"));
  EXPECT_EQ(WithContext(status, "server").GetPayload("retry"), absl::Cord("soon"));
}

}  // namespace

}  // namespace gprofhub::base
