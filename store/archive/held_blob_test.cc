#include "store/archive/held_blob.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace gprofhub::store {

namespace {

// Incompressible bytes, determined by the seed.
std::string Noise(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(ContentDeltaTest, AContentThatDiffersInAFewBytesTakesAFewBytes) {
  const std::string base = Noise(100'000, 1);
  std::string content = base;
  content[500] ^= 1;
  content.insert(70'000, "a new function");
  const std::string delta = EncodeDelta(content, base);
  EXPECT_LT(delta.size(), 200u);
  EXPECT_EQ(*DecodeDelta(delta, base), content);
}

TEST(ContentDeltaTest, LargeContentsAreComparedToTheirEnds) {
  const std::string base = Noise(9 << 20, 1);
  std::string content = base.substr(4 << 20) + base.substr(0, 4 << 20);
  const std::string delta = EncodeDelta(content, base);
  EXPECT_LT(delta.size(), 10'000u);
  EXPECT_EQ(*DecodeDelta(delta, base), content);
}

TEST(ContentDeltaTest, NothingInCommonTakesWhatTheContentTakes) {
  const std::string content = Noise(10'000, 1);
  const std::string delta = EncodeDelta(content, Noise(10'000, 2));
  EXPECT_LE(delta.size(), 10'100u);
  EXPECT_EQ(*DecodeDelta(delta, Noise(10'000, 2)), content);
}

TEST(ContentDeltaTest, EmptyContentsAndBases) {
  EXPECT_EQ(*DecodeDelta(EncodeDelta("", "base"), "base"), "");
  EXPECT_EQ(*DecodeDelta(EncodeDelta("content", ""), ""), "content");
}

TEST(ContentDeltaTest, DamageIsToldOrGivesOtherBytes) {
  const std::string base = Noise(1000, 1);
  const std::string content = base + "and more";
  const std::string delta = EncodeDelta(content, base);
  EXPECT_EQ(DecodeDelta("", base).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(DecodeDelta("no frame", base).status().code(), absl::StatusCode::kDataLoss);
  for (size_t size = 0; size < delta.size(); ++size) {
    EXPECT_EQ(DecodeDelta(delta.substr(0, size), base).status().code(), absl::StatusCode::kDataLoss)
        << size;
  }
  EXPECT_EQ(DecodeDelta(delta, Noise(1000, 2)).status().code(), absl::StatusCode::kDataLoss);
  for (size_t at = 0; at < delta.size(); ++at) {
    std::string damaged = delta;
    damaged[at] ^= 1;
    // A bit may say what nobody reads.
    EXPECT_EQ(DecodeDelta(damaged, base).value_or(content), content) << at;
  }
}

TEST(ContentDeltaTest, ABlobThatIsNoFrameIsItsOwnContent) {
  EXPECT_EQ(ContentOf("gmon\1")->bytes, "gmon\1");
  EXPECT_FALSE(ContentOf("gmon\1")->is_of_frame);
  EXPECT_EQ(ContentOf("")->bytes, "");
}

TEST(ContentDeltaTest, AFramesContentIsWhatItSays) {
  const std::string frame = FrameOf("the symbols of a program");
  EXPECT_EQ(ContentOf(frame)->bytes, "the symbols of a program");
  EXPECT_TRUE(ContentOf(frame)->is_of_frame);
}

TEST(ContentDeltaTest, FramesOfAnySizeAreFrames) {
  for (const size_t size : {0, 1, 131'071, 131'072, 131'073, 262'144, 1'000'000}) {
    const std::string content = Noise(size, 1);
    const absl::StatusOr<Content> read = ContentOf(FrameOf(content));
    ASSERT_TRUE(read.ok()) << size << read.status();
    EXPECT_EQ(read->bytes, content) << size;
  }
}

TEST(ContentDeltaTest, WhatIsNotOneWholeFrameIsRefused) {
  const std::string frame = FrameOf(Noise(1000, 1));
  for (const std::string& blob : {frame + frame, frame + "x", frame.substr(0, 500)}) {
    EXPECT_EQ(ContentOf(blob).status().code(), absl::StatusCode::kInvalidArgument);
  }
  std::string damaged = frame;
  damaged[1] ^= 1;
  EXPECT_FALSE(ContentOf(damaged)->is_of_frame) << "it no longer begins as one";
}

TEST(ContentDeltaTest, AContentThatIsTooLargeIsRefusedBeforeItIsMade) {
  const std::string frame = EncodeDelta(std::string(kLargestContent + 1, '\0'), "");
  EXPECT_LT(frame.size(), 10'000u);
  EXPECT_EQ(ContentOf(frame).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace

}  // namespace gprofhub::store
