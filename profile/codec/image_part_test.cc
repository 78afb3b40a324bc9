#include "profile/codec/image_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/codec/recording.h"
#include "profile/recording/reader.h"
#include "profile/testing/recording_file.h"
#include "profile/testing/sample_profile.h"
#include "profile/testing/small_profile.h"

namespace gprofhub::profile {
namespace {

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
  EXPECT_THAT(part.status().message(), HasSubstr("app.recording: has nothing of "));
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

}  // namespace
}  // namespace gprofhub::profile
