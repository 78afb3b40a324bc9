#include "base/public_message.h"

#include <gtest/gtest.h>

#include "base/status_context.h"

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

}  // namespace
}  // namespace gprofhub::base
