#include "store/shelving/box_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"

namespace gprofhub::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string BoxOf(const std::vector<std::string>& texts) {
  BoxFiller filler;
  for (const std::string& text : texts) filler.Add(base::Sha256Hex(text), text);
  return filler.Finish();
}

TEST(BoxFormatTest, ABoxSaysItselfWhatLiesWhere) {
  const std::string box = BoxOf({"first", "", "third\n"});
  const auto blobs = ReadBoxList(box);
  ASSERT_TRUE(blobs.ok()) << blobs.status();
  EXPECT_THAT(*blobs, ElementsAre(BoxedBlob{base::Sha256Hex("first"), 8, 5},
                                  BoxedBlob{base::Sha256Hex(""), 13, 0},
                                  BoxedBlob{base::Sha256Hex("third\n"), 13, 6}));
  EXPECT_EQ(box.substr((*blobs)[2].first_byte, (*blobs)[2].length), "third\n");
  EXPECT_THAT(*ReadBoxList(BoxOf({})), IsEmpty());
}

TEST(BoxFormatTest, TheFillerKnowsThePlacesBefore) {
  BoxFiller filler;
  filler.Add(base::Sha256Hex("first"), "first");
  EXPECT_THAT(filler.blobs(), ElementsAre(BoxedBlob{base::Sha256Hex("first"), 8, 5}));
  EXPECT_EQ(filler.blob_bytes(), 5u);
}

TEST(BoxFormatTest, WhatWasCutOffOrChangedIsNoBox) {
  const std::string box = BoxOf({"first", "second"});
  for (size_t size = 0; size < box.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(ReadBoxList(box.substr(0, size)).status())) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(ReadBoxList(box + ".").status()));
  EXPECT_TRUE(absl::IsDataLoss(ReadBoxList(" " + box).status()));
  // Every byte except those of the blobs and of their names.
  const size_t list = 8 + 5 + 6;
  for (size_t at = 0; at < box.size(); ++at) {
    const bool is_free = (at >= 8 && at < list) || (at >= list && at < list + 32) ||
                         (at >= list + 48 && at < list + 80);
    std::string changed = box;
    changed[at] = static_cast<char>(changed[at] ^ 0x80);
    EXPECT_EQ(ReadBoxList(changed).ok(), is_free) << at;
  }
}

}  // namespace
}  // namespace gprofhub::store
