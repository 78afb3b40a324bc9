#include "base/memory/kept_values.h"

#include <gtest/gtest.h>

#include <thread>

#include "absl/synchronization/notification.h"

namespace gprofhub::base {
namespace {

// The size of a text is its length.
class KeptValuesTest : public testing::Test {
 protected:
  // Makes a value, and counts the calls.
  std::string Get(const std::string& name, const std::string& text) {
    const auto value = kept_.Get(name, [&]() -> absl::StatusOr<std::string> {
      ++made_;
      return text;
    });
    return value.ok() ? **value : std::string(value.status().message());
  }

  KeptValues<std::string> kept_{10, [](const std::string& text) { return text.size(); }};
  int made_ = 0;
};

TEST_F(KeptValuesTest, AValueIsMadeOnce) {
  EXPECT_EQ(Get("a", "12345"), "12345");
  EXPECT_EQ(Get("a", "other"), "12345");
  EXPECT_EQ(made_, 1);
}

TEST_F(KeptValuesTest, ThoseThatWereNotAskedForLongestGo) {
  Get("a", "1234");
  Get("b", "1234");
  Get("a", "");
  Get("c", "1234");
  EXPECT_EQ(Get("a", "new"), "1234");
  EXPECT_EQ(Get("b", "new"), "new");
  EXPECT_EQ(made_, 4);
}

TEST_F(KeptValuesTest, WhatIsLargerThanAllIsNotKept) {
  Get("small", "1234");
  Get("large", "12345678901");
  EXPECT_EQ(Get("large", "again"), "again");
  EXPECT_EQ(Get("small", "new"), "1234");
}

TEST_F(KeptValuesTest, ErrorsAreNotKept) {
  const auto fails = [] { return absl::StatusOr<std::string>(absl::UnavailableError("away")); };
  EXPECT_EQ(kept_.Get("a", fails).status().message(), "away");
  EXPECT_EQ(Get("a", "there"), "there");
}

TEST_F(KeptValuesTest, WhoWantsWhatIsBeingMadeWaitsForIt) {
  absl::Notification begun, go_on;
  std::thread other([&] {
    (void)kept_.Get("a", [&]() -> absl::StatusOr<std::string> {
      begun.Notify();
      go_on.WaitForNotification();
      return std::string("first");
    });
  });
  begun.WaitForNotification();
  std::thread third([&] { EXPECT_EQ(Get("a", "second"), "first"); });
  EXPECT_EQ(Get("b", "beside"), "beside") << "others are not held up";
  go_on.Notify();
  other.join();
  third.join();
  EXPECT_EQ(made_, 1);
}

}  // namespace
}  // namespace gprofhub::base
