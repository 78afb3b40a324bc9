#include "base/lru_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "absl/synchronization/notification.h"

namespace gprofhub::base {

namespace {

TEST(ConsumedMemory, WhatWasReadIsGivenBackAndWhatComesAfterIsNot) {
  constexpr size_t kSize = size_t{4} << 20;
  std::string array(kSize, 'x');
  ConsumedMemory read(array.data() + 1);
  read.ReadUpTo(array.data() + 100);  // too small for a batch
  EXPECT_EQ(std::count(array.begin(), array.end(), 'x'), kSize);
  for (const size_t end : {kSize / 2, kSize - 1}) {
    read.ReadUpTo(array.data() + end);
    EXPECT_EQ(array[0], 'x');  // outside the array
    EXPECT_EQ(array[end / 2], '\0');
    EXPECT_EQ(std::count(array.begin() + end, array.end(), 'x'), kSize - end);
  }
  array[kSize / 2] = 'y';  // released memory is writable
  EXPECT_EQ(array[kSize / 2], 'y');
}

// The size of a text is its length.
class LruCacheTest : public testing::Test {
 protected:
  // Makes a value, and counts the calls.
  std::string Get(const std::string& name, const std::string& text) {
    const auto value = kept_.Get(name, [&]() -> absl::StatusOr<std::string> {
      ++made_;
      return text;
    });
    return value.ok() ? **value : std::string(value.status().message());
  }

  LruCache<std::string> kept_{10, [](const std::string& text) { return text.size(); }};
  int made_ = 0;
};

TEST_F(LruCacheTest, AValueIsMadeOnce) {
  EXPECT_EQ(Get("a", "12345"), "12345");
  EXPECT_EQ(Get("a", "other"), "12345");
  EXPECT_EQ(made_, 1);
}

TEST_F(LruCacheTest, ThoseThatWereNotAskedForLongestGo) {
  Get("a", "1234");
  Get("b", "1234");
  Get("a", "");
  Get("c", "1234");
  EXPECT_EQ(Get("a", "new"), "1234");
  EXPECT_EQ(Get("b", "new"), "new");
  EXPECT_EQ(made_, 4);
}

TEST_F(LruCacheTest, WhatIsLargerThanAllIsNotKept) {
  Get("small", "1234");
  Get("large", "12345678901");
  EXPECT_EQ(Get("large", "again"), "again");
  EXPECT_EQ(Get("small", "new"), "1234");
}

TEST_F(LruCacheTest, ErrorsAreNotKept) {
  const auto fails = [] { return absl::StatusOr<std::string>(absl::UnavailableError("away")); };
  EXPECT_EQ(kept_.Get("a", fails).status().message(), "away");
  EXPECT_EQ(Get("a", "there"), "there");
}

TEST_F(LruCacheTest, WhoWantsWhatIsBeingMadeWaitsForIt) {
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
