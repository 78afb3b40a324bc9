#include "store/testing/object_store_contract.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gprofhub::store {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

// Pseudo-random bytes, equal at each call.
std::string MadeBytes(size_t size) {
  std::mt19937_64 random(size);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

}  // namespace

// An executable without an implementation has no instance of the suite.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ObjectStoreContract);

void ObjectStoreContract::SetUp() {
  const std::string whole = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string name = whole.substr(0, whole.find('/'));
  if (GetParam().left_out.count(name) > 0) GTEST_SKIP() << "the server is wrong there";
  objects_ = GetParam().make();
  ASSERT_NE(objects_, nullptr);
}

std::vector<std::string> ObjectStoreContract::Keys(absl::string_view prefix,
                                                   absl::string_view after) {
  const absl::StatusOr<ObjectPage> page = objects_->List(prefix, after);
  EXPECT_TRUE(page.ok()) << page.status();
  std::vector<std::string> keys;
  if (!page.ok()) return keys;
  for (const ObjectInfo& object : page->objects) keys.push_back(object.key);
  return keys;
}

TEST_P(ObjectStoreContract, WhatIsPutIsReadInParts) {
  ASSERT_TRUE(objects_->Put("segments/one", "0123456789").ok());
  EXPECT_EQ(*objects_->Read("segments/one", 0, 10), "0123456789");
  EXPECT_EQ(*objects_->Read("segments/one", 3, 4), "3456");
  EXPECT_EQ(*objects_->Read("segments/one", 9, 1), "9");
  EXPECT_EQ(*objects_->Read("segments/one", 4, 0), "");
  EXPECT_EQ(*objects_->Read("segments/one", 10, 0), "");
}

TEST_P(ObjectStoreContract, AnObjectMayBeEmptyOrHoldAnyBytes) {
  ASSERT_TRUE(objects_->Put("empty", "").ok());
  EXPECT_EQ(*objects_->Read("empty", 0, 0), "");
  EXPECT_TRUE(objects_->Put("empty", "").ok()) << "the same";
  EXPECT_TRUE(absl::IsAlreadyExists(objects_->Put("empty", "x")));
  std::string all(256, '\0');
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i);
  ASSERT_TRUE(objects_->Put("all", all).ok());
  EXPECT_EQ(*objects_->Read("all", 0, 256), all);
}

TEST_P(ObjectStoreContract, AnEmptyObjectHasNoFirstByte) {
  ASSERT_TRUE(objects_->Put("empty", "").ok());
  EXPECT_TRUE(absl::IsOutOfRange(objects_->Read("empty", 0, 1).status()));
  EXPECT_TRUE(absl::IsOutOfRange(objects_->Read("empty", 1, 0).status()));
}

TEST_P(ObjectStoreContract, TheFirstByteIsReadAlone) {
  ASSERT_TRUE(objects_->Put("segments/one", "0123456789").ok());
  EXPECT_EQ(*objects_->Read("segments/one", 0, 1), "0");
}

TEST_P(ObjectStoreContract, WhatIsNotThereOrShorterIsTold) {
  EXPECT_TRUE(absl::IsNotFound(objects_->Read("none", 0, 1).status()));
  EXPECT_TRUE(absl::IsNotFound(objects_->Read("none", 0, 0).status()));
  ASSERT_TRUE(objects_->Put("segments/one", "0123456789").ok());
  EXPECT_TRUE(absl::IsNotFound(objects_->Read("segments", 0, 1).status()));
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  EXPECT_TRUE(absl::IsOutOfRange(objects_->Read("segments/one", 0, 11).status()));
  EXPECT_TRUE(absl::IsOutOfRange(objects_->Read("segments/one", 9, 2).status()));
  EXPECT_TRUE(absl::IsOutOfRange(objects_->Read("segments/one", 10, 1).status()));
  EXPECT_TRUE(absl::IsOutOfRange(objects_->Read("segments/one", 11, 0).status()));
  EXPECT_TRUE(absl::IsOutOfRange(objects_->Read("segments/one", 1, kMost).status()));
  EXPECT_TRUE(absl::IsOutOfRange(objects_->Read("segments/one", kMost, 1).status()));
}

TEST_P(ObjectStoreContract, AnObjectIsNeverReplaced) {
  ASSERT_TRUE(objects_->Put("one", "bytes").ok());
  EXPECT_TRUE(objects_->Put("one", "bytes").ok()) << "the same";
  EXPECT_TRUE(absl::IsAlreadyExists(objects_->Put("one", "other")));
  EXPECT_TRUE(absl::IsAlreadyExists(objects_->Put("one", "byte")));
  EXPECT_TRUE(absl::IsAlreadyExists(objects_->Put("one", "bytes and more")));
  EXPECT_EQ(*objects_->Read("one", 0, 5), "bytes");
}

TEST_P(ObjectStoreContract, AnObjectMayHaveManyMegabytes) {
  const std::string bytes = MadeBytes((20 << 20) + 7);
  ASSERT_TRUE(objects_->Put("segments/large", bytes).ok());
  for (const size_t offset : {size_t{0}, size_t{8 << 20} - 3, size_t{20 << 20}}) {
    EXPECT_EQ(*objects_->Read("segments/large", offset, 7), bytes.substr(offset, 7));
  }
  // Not EXPECT_EQ, which would print them.
  EXPECT_TRUE(*objects_->Read("segments/large", 0, bytes.size()) == bytes);
  EXPECT_TRUE(objects_->Put("segments/large", bytes).ok()) << "the same";
  std::string other = bytes;
  other.back() ^= 1;
  EXPECT_TRUE(absl::IsAlreadyExists(objects_->Put("segments/large", other)));
  EXPECT_EQ(objects_->List("segments/", "")->objects.at(0).size, bytes.size());
}

TEST_P(ObjectStoreContract, ObjectAboveTheLimitIsRefused) {
  // Zeros whose pages are never touched: only the size matters.
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  const std::unique_ptr<char, Free> zeros(static_cast<char*>(std::calloc(kMostObjectBytes + 1, 1)));
  ASSERT_NE(zeros, nullptr);
  const absl::Status status =
      objects_->Put("segments/large", absl::string_view(zeros.get(), kMostObjectBytes + 1));
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_EQ(status.message(), "object too large: 536870913 bytes, limit 536870912");
  EXPECT_TRUE(objects_->List("segments/", "")->objects.empty());
}

TEST_P(ObjectStoreContract, WhatIsDeletedHasGone) {
  ASSERT_TRUE(objects_->Put("segments/one", "bytes").ok());
  ASSERT_TRUE(objects_->Put("segments/two", "bytes").ok());
  EXPECT_TRUE(objects_->Delete("segments/one").ok());
  EXPECT_TRUE(objects_->Delete("segments/one").ok()) << "again";
  EXPECT_TRUE(absl::IsNotFound(objects_->Read("segments/one", 0, 1).status()));
  EXPECT_THAT(Keys(), ElementsAre("segments/two"));
  EXPECT_TRUE(objects_->Put("segments/one", "other").ok());
  EXPECT_EQ(*objects_->Read("segments/one", 0, 5), "other");
  EXPECT_TRUE(objects_->Delete("segments/one").ok());
  EXPECT_TRUE(objects_->Delete("segments/two").ok());
  EXPECT_THAT(Keys(), IsEmpty());
}

TEST_P(ObjectStoreContract, WhatWasNeverThereIsDeleted) {
  EXPECT_TRUE(objects_->Delete("none/at/all").ok());
}

TEST_P(ObjectStoreContract, ListsHaveWhatBeginsSoAndIsGreater) {
  for (const char* key : {"b/2", "b/10", "a/x", "a/y", "c", "b/1"}) {
    ASSERT_TRUE(objects_->Put(key, key).ok());
  }
  EXPECT_THAT(Keys(), ElementsAre("a/x", "a/y", "b/1", "b/10", "b/2", "c"));
  EXPECT_THAT(Keys("a/"), ElementsAre("a/x", "a/y"));
  EXPECT_THAT(Keys("b/1"), ElementsAre("b/1", "b/10"));
  EXPECT_THAT(Keys("", "a/y"), ElementsAre("b/1", "b/10", "b/2", "c"));
  EXPECT_THAT(Keys("b/", "b/10"), ElementsAre("b/2"));
  EXPECT_THAT(Keys("b/", "b/2"), IsEmpty());
  EXPECT_THAT(Keys("none"), IsEmpty());
  const absl::StatusOr<ObjectPage> page = objects_->List("b/10", "");
  ASSERT_TRUE(page.ok());
  EXPECT_TRUE(page->is_last);
  EXPECT_EQ(page->objects.at(0).size, 4u);
  EXPECT_NE(page->objects.at(0).changed, absl::Time());
}

TEST_P(ObjectStoreContract, ListsAreInTheOrderOfTheKeysBytes) {
  for (const char* key : {"b", "a/x", "a-b", "a.b", "a/b/c", "a0", "B"}) {
    ASSERT_TRUE(objects_->Put(key, key).ok());
  }
  EXPECT_THAT(Keys(), ElementsAre("B", "a-b", "a.b", "a/b/c", "a/x", "a0", "b"));
  EXPECT_THAT(Keys("a/"), ElementsAre("a/b/c", "a/x"));
  EXPECT_THAT(Keys("a/b"), ElementsAre("a/b/c"));
  EXPECT_THAT(Keys("", "a.b"), ElementsAre("a/b/c", "a/x", "a0", "b"));
  EXPECT_THAT(Keys("", "a/b/c"), ElementsAre("a/x", "a0", "b"));
  EXPECT_THAT(Keys("a/", "a/x"), IsEmpty());
  EXPECT_THAT(Keys("none"), IsEmpty());
  EXPECT_EQ(objects_->List("a/x", "")->objects.at(0).size, 3u);
}

TEST_P(ObjectStoreContract, LongListsComeInPages) {
  constexpr int kObjects = 2100;
  std::vector<std::string> put;
  for (int i = 0; i < kObjects; ++i) {
    put.push_back(absl::StrCat("many/", absl::StrFormat("%04d", i)));
    ASSERT_TRUE(objects_->Put(put.back(), "x").ok());
  }
  ASSERT_TRUE(objects_->Put("few/one", "x").ok());
  ASSERT_TRUE(objects_->Put("more", "x").ok());
  std::vector<std::string> listed;
  std::string after;
  for (bool is_last = false; !is_last;) {
    const absl::StatusOr<ObjectPage> page = objects_->List("many/", after);
    ASSERT_TRUE(page.ok()) << page.status();
    ASSERT_FALSE(page->objects.empty());
    EXPECT_LE(page->objects.size(), 1000u);
    for (const ObjectInfo& object : page->objects) listed.push_back(object.key);
    is_last = page->is_last;
    after = listed.back();
  }
  EXPECT_EQ(listed, put);
}

TEST_P(ObjectStoreContract, OnlyKeysAreTaken) {
  for (const char* key :
       {"", "/one", ".one", "../one", "a/../../one", "a//b", "a/./b", "a/", "a b", "a\nb", "-a"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(objects_->Put(key, "bytes"))) << key;
    EXPECT_TRUE(absl::IsInvalidArgument(objects_->Read(key, 0, 1).status())) << key;
    EXPECT_TRUE(absl::IsInvalidArgument(objects_->Delete(key))) << key;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(objects_->Put(std::string(1001, 'a'), "bytes")));
}

TEST_P(ObjectStoreContract, SeveralMayAskAtOnce) {
  ASSERT_TRUE(objects_->Put("of/all", "x").ok());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      const std::string key = absl::StrCat("of/", i);
      for (int round = 0; round < 10; ++round) {
        EXPECT_TRUE(objects_->Put(key, key).ok());
        EXPECT_EQ(objects_->Read(key, 0, key.size()).value_or(""), key);
        EXPECT_TRUE(objects_->Delete(key).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Keys(), ElementsAre("of/all"));
}

}  // namespace gprofhub::store
