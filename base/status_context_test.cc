#include "base/status_context.h"

#include <gtest/gtest.h>

namespace gprofhub::base {
namespace {

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
