#include "server/signals.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "base/stop_token.h"

namespace gprofhub::server {

namespace {

TEST(EndWithinTest, EndsWhatHangs) {
  const auto hang = [] {
    const EndWithin end(absl::Milliseconds(10));
    (void)base::StopToken().WaitFor(absl::InfiniteDuration());
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(1), "");
}

TEST(EndWithinTest, LeavesWhatEndsByItself) { const EndWithin end(absl::InfiniteDuration()); }

}  // namespace

}  // namespace gprofhub::server
