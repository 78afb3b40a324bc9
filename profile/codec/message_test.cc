#include "profile/codec/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <string>

#include "base/memory_budget.h"
#include "profile/recording/reader.h"
#include "profile/testing/sample_profile.h"
#include "proto/collector.pb.h"
#include "proto/symbols.pb.h"

namespace gprofhub::profile {

namespace {

TEST(RecordingBlob, ComesBackAsItWas) {
  const std::string packed = PackRecording(OrderlyRecording());
  EXPECT_TRUE(IsPackedRecording(packed));
  EXPECT_LT(packed.size(), OrderlyRecording().size() / 4);
  const auto before = ReadRecording(OrderlyRecording(), "file");
  const auto after = UnpackRecording(packed, "blob");
  ASSERT_TRUE(before.ok() && after.ok()) << after.status();
  EXPECT_EQ(after->program, before->program);
  EXPECT_EQ(after->stacks.size(), before->stacks.size());
  EXPECT_EQ(after->modules.size(), before->modules.size());
}

TEST(RecordingBlob, TooLargeIsRefused) {
  // Incompressible content larger than the limit of any frame.
  std::string content;
  for (uint32_t i = 0; content.size() <= (64 << 20); i = i * 1664525 + 1013904223) {
    content.append(1000, static_cast<char>(i >> 24));
  }
  const auto recording = UnpackRecording(Compress(content), "blob");
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(RecordingBlob, CutIsRefused) {
  const std::string packed = PackRecording(OrderlyRecording());
  for (size_t size = 0; size < packed.size(); size += 37) {
    EXPECT_FALSE(UnpackRecording(packed.substr(0, size), "blob").ok()) << size;
  }
}

TEST(RecordingBlob, LeavesWithItsCallWhatItTakes) {
  base::MemoryBudget budget(uint64_t{256} << 20);
  base::DecodingCall call(budget, "a", nullptr);
  const auto recording =
      UnpackRecording(PackRecording(OrderlyRecording()), "blob", base::Decoding(call));
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_GE(call.used(), MemoryOf(*recording));
  EXPECT_LE(call.used(), MemoryOf(*recording) + MemoryOf(*recording) / 10);
}

TEST(RecordingBlob, IsNotReadBeyondItsBudget) {
  // Enough memory for the file, but not for the decoded recording.
  base::MemoryBudget budget(OrderlyRecording().size() * 5 / 4);
  base::DecodingCall call(budget, "a", nullptr);
  const auto recording =
      UnpackRecording(PackRecording(OrderlyRecording()), "blob", base::Decoding(call));
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(call.used(), 0u);
}

TEST(RecordingBlob, GmonIsNone) { EXPECT_FALSE(IsPackedRecording("gmon")); }

using ::testing::HasSubstr;

// The image with this build-id.
SymbolTable ImageOf(const std::string& build_id) {
  SymbolTable image = SampleSymbols(1);
  image.build_id = build_id;
  return image;
}

Recording ReadOrderlyRecording() {
  auto recording = ReadRecording(OrderlyRecording(), "file");
  EXPECT_TRUE(recording.ok()) << recording.status();
  return *std::move(recording);
}

TEST(ReadImagePart, OfAGmonFileIsAllOfIt) {
  const auto part = ReadImagePart(SampleGmon(7), "gmon.out", SampleSymbols(1));
  ASSERT_TRUE(part.ok()) << part.status();
  ExpectEqualProfiles(*part, SampleProfile(7));
}

TEST(ReadImagePart, OfARecordingIsTheModuleOfTheBuildIdWithItsStacks) {
  const Recording recording = ReadOrderlyRecording();
  size_t stacks = 0;
  for (size_t m = 0; m < recording.modules.size(); ++m) {
    const SymbolTable image = ImageOf(recording.modules[m].build_id);
    if (image.build_id.empty()) continue;
    for (const std::string& bytes : {OrderlyRecording(), PackRecording(OrderlyRecording())}) {
      const auto part = ReadImagePart(bytes, "profile", image);
      ASSERT_TRUE(part.ok()) << part.status();
      ExpectEqualProfiles(*part, recording.modules[m].profile);
      stacks += part->stacks.size();
    }
  }
  EXPECT_GT(stacks, 0u);
}

TEST(ReadImagePart, OfARecordingForAnImageWithoutBuildIdIsTheProgram) {
  const auto part = ReadImagePart(OrderlyRecording(), "profile", ImageOf(""));
  ASSERT_TRUE(part.ok()) << part.status();
  ExpectEqualProfiles(*part, FindModule(ReadOrderlyRecording(), "")->profile);
}

TEST(ReadImagePart, ARecordingWithoutTheImageIsAnError) {
  const auto part = ReadImagePart(OrderlyRecording(), "app.recording", ImageOf("0123456789"));
  EXPECT_EQ(part.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(part.status().message(), HasSubstr("app.recording: contains no data for "));
  EXPECT_THAT(part.status().message(), HasSubstr("0123456789"));
}

TEST(ReadImagePart, AnUnknownArchitectureIsAnErrorOfAGmonFile) {
  SymbolTable image = SampleSymbols(1);
  image.architecture = "vax";
  const auto part = ReadImagePart(SampleGmon(7), "gmon.out", image);
  EXPECT_EQ(part.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(part.status().message(), HasSubstr("vax"));
}

TEST(ReadImagePart, WhatIsNoProfileIsAnError) {
  EXPECT_FALSE(ReadImagePart("", "empty", SampleSymbols(1)).ok());
  EXPECT_FALSE(ReadImagePart("text", "text", SampleSymbols(1)).ok());
  EXPECT_FALSE(ReadImagePart("\x28\xb5\x2f\xfd", "cut", SampleSymbols(1)).ok());
  EXPECT_FALSE(ReadImagePart("gprofhub", "cut", SampleSymbols(1)).ok());
}

constexpr uint64_t kNoBound = uint64_t{1} << 40;

std::string Repeated(const std::string& bytes, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += bytes;
  return all;
}

// Actual heap memory of parsing.
template <typename Message>
uint64_t Taken(const std::string& bytes) {
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  const auto message = std::make_unique<Message>();
  EXPECT_TRUE(message->ParseFromString(bytes));
  return mallinfo2().uordblks + mallinfo2().hblkhd - before;
}

template <typename Message>
void ExpectIsABound(const std::string& bytes) {
  const absl::StatusOr<uint64_t> bound = ParsedSize(bytes, *Message::descriptor(), kNoBound);
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_GE(*bound, Taken<Message>(bytes));
}

TEST(ParsedSizeTest, BoundsEmptyMessages) {
  ExpectIsABound<v1::UploadHeader>(Repeated(std::string("\x1a\x00", 2), 100'000));
}

TEST(ParsedSizeTest, BoundsShortStrings) {
  ExpectIsABound<v1::SymbolBundle>(Repeated(std::string("\x32\x01x", 3), 100'000));
}

TEST(ParsedSizeTest, BoundsUnknownFields) {
  ExpectIsABound<v1::SymbolBundle>(Repeated(std::string("\xf8\x07\x01", 3), 100'000));
  ExpectIsABound<v1::SymbolBundle>(Repeated(std::string("\xfa\x07\x01x", 4), 100'000));
}

TEST(ParsedSizeTest, BoundsPackedNumbers) {
  v1::SymbolBundle bundle;
  for (int i = 0; i < 100'000; ++i) bundle.mutable_lines()->add_address_delta(1);
  ExpectIsABound<v1::SymbolBundle>(bundle.SerializeAsString());
}

TEST(ParsedSizeTest, StopsBeyondTheBound) {
  const std::string bytes = Repeated(std::string("\x1a\x00", 2), 100'000) + "\xff";  // then bad
  const absl::StatusOr<uint64_t> size = ParsedSize(bytes, *v1::UploadHeader::descriptor(), 1000);
  ASSERT_TRUE(size.ok()) << size.status();
  EXPECT_GT(*size, 1000u);
}

TEST(ParsedSizeTest, RefusesWhatIsCut) {
  EXPECT_FALSE(ParsedSize("\x0a\x05gone", *v1::UploadHeader::descriptor(), kNoBound).ok());
}

}  // namespace

}  // namespace gprofhub::profile
