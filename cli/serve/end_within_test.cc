#include "cli/serve/end_within.h"

#include <gtest/gtest.h>

namespace gprofhub::cli {
namespace {

TEST(EndWithinTest, EndsWhatHangs) {
  const auto hang = [] {
    const EndWithin end(absl::Milliseconds(10));
    absl::Notification().WaitForNotification();
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(1), "");
}

TEST(EndWithinTest, LeavesWhatEndsByItself) { const EndWithin end(absl::InfiniteDuration()); }

}  // namespace
}  // namespace gprofhub::cli
