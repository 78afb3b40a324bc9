#include "store/archive/segment_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"

namespace gprofhub::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string SegmentOf(const std::vector<std::string>& texts) {
  SegmentWriter writer;
  for (const std::string& text : texts) writer.Add(base::Sha256Hex(text), text);
  return writer.Finish();
}

TEST(SegmentFormatTest, ASegmentSaysItselfWhatLiesWhere) {
  const std::string segment = SegmentOf({"first", "", "third\n"});
  const auto blobs = ReadSegmentIndex(segment);
  ASSERT_TRUE(blobs.ok()) << blobs.status();
  EXPECT_THAT(*blobs, ElementsAre(SegmentBlob{base::Sha256Hex("first"), 8, 5},
                                  SegmentBlob{base::Sha256Hex(""), 13, 0},
                                  SegmentBlob{base::Sha256Hex("third\n"), 13, 6}));
  EXPECT_EQ(segment.substr((*blobs)[2].first_byte, (*blobs)[2].length), "third\n");
  EXPECT_THAT(*ReadSegmentIndex(SegmentOf({})), IsEmpty());
}

TEST(SegmentFormatTest, TheFillerKnowsThePlacesBefore) {
  SegmentWriter writer;
  writer.Add(base::Sha256Hex("first"), "first");
  EXPECT_THAT(writer.blobs(), ElementsAre(SegmentBlob{base::Sha256Hex("first"), 8, 5}));
  EXPECT_EQ(writer.blob_bytes(), 5u);
}

TEST(SegmentFormatTest, TruncatedOrChangedSegmentIsDataLoss) {
  const std::string segment = SegmentOf({"first", "second"});
  for (size_t size = 0; size < segment.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(ReadSegmentIndex(segment.substr(0, size)).status())) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(ReadSegmentIndex(segment + ".").status()));
  EXPECT_TRUE(absl::IsDataLoss(ReadSegmentIndex(" " + segment).status()));
  // Each byte but those of the blobs and of their names.
  const size_t list = 8 + 5 + 6;
  for (size_t at = 0; at < segment.size(); ++at) {
    const bool is_free = (at >= 8 && at < list) || (at >= list && at < list + 32) ||
                         (at >= list + 48 && at < list + 80);
    std::string changed = segment;
    changed[at] = static_cast<char>(changed[at] ^ 0x80);
    EXPECT_EQ(ReadSegmentIndex(changed).ok(), is_free) << at;
  }
}

}  // namespace
}  // namespace gprofhub::store
