#include "store/archive/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "store/testing/engines.h"

namespace gprofhub::store {

namespace {

TEST(ObservedArchive, TellsOfEachUseWithWhatBecameOfIt) {
  std::vector<std::string> uses;
  const auto objects = std::make_shared<MemoryObjects>();
  const std::shared_ptr<ObjectStore> archive = Observed(objects, [&](const StoreCall& call) {
    uses.push_back(
        absl::StrCat(call.part, " ", call.operation, " ", absl::StatusCodeToString(call.code)));
  });
  EXPECT_TRUE(archive->Put("segment", "bytes").ok());
  EXPECT_EQ(*archive->Read("segment", 1, 2), "yt");
  EXPECT_EQ(archive->List("", "")->objects.size(), 1u);
  EXPECT_TRUE(archive->Delete("segment").ok());
  EXPECT_TRUE(absl::IsNotFound(archive->Read("segment", 0, 1).status()));
  objects->before = [](absl::string_view, absl::string_view) {
    return absl::UnavailableError("nobody answers");
  };
  EXPECT_TRUE(absl::IsUnavailable(archive->Put("segment", "bytes")));
  EXPECT_EQ(uses, (std::vector<std::string>{"archive put OK", "archive read OK", "archive list OK",
                                            "archive delete OK", "archive read NOT_FOUND",
                                            "archive put UNAVAILABLE"}));
}

TEST(ObservedArchive, IsTheArchiveItselfIfNobodyListens) {
  const auto objects = std::make_shared<MemoryObjects>();
  EXPECT_EQ(Observed(objects, nullptr), objects);
  EXPECT_EQ(Observed(nullptr, [](const StoreCall&) {}), nullptr);
}

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
