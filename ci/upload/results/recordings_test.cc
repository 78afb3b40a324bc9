#include "ci/upload/results/recordings.h"

#include <gtest/gtest.h>

#include "profile/codec/recording.h"
#include "profile/recording/reader.h"
#include "profile/testing/recording_file.h"

namespace gprofhub::ci {
namespace {

TEST(PackRecordings, RecordingIsPackedWithItsImages) {
  FoundProfiles found;
  found.profiles.push_back({"sub/program.7.gprofhub", "origin", "", profile::OrderlyRecording()});
  ASSERT_TRUE(PackRecordings(found).ok());
  ASSERT_EQ(found.profiles.size(), 1);
  const auto recording = profile::ReadRecording(profile::OrderlyRecording(), "recording");
  ASSERT_TRUE(recording.ok());
  const std::string program = profile::FindModule(*recording, "")->build_id;
  EXPECT_EQ(found.profiles[0].build_id, program);
  ASSERT_FALSE(found.profiles[0].images.empty());
  EXPECT_EQ(found.profiles[0].images[0].build_id, program);
  EXPECT_TRUE(found.profiles[0].images[0].is_wanted);
  const auto unpacked = profile::UnpackRecording(found.profiles[0].bytes, "packed");
  ASSERT_TRUE(unpacked.ok()) << unpacked.status();
  EXPECT_EQ(unpacked->stacks.size(), recording->stacks.size());
}

TEST(PackRecordings, GmonFileOfTheSameProcessIsDropped) {
  const auto recording = profile::ReadRecording(profile::OrderlyRecording(), "recording");
  ASSERT_TRUE(recording.ok());
  const std::string gmon = "sub/program." + profile::FindModule(*recording, "")->build_id +
                           ".gmon." + std::to_string(recording->pid);
  FoundProfiles found;
  found.profiles.push_back({gmon, "origin", "", "gmon bytes"});
  found.profiles.push_back({"sub/other.gmon.1", "origin", "", "gmon bytes"});
  found.profiles.push_back({"sub/program.7.gprofhub", "origin", "", profile::OrderlyRecording()});
  ASSERT_TRUE(PackRecordings(found).ok());
  ASSERT_EQ(found.profiles.size(), 2);
  EXPECT_EQ(found.profiles[0].name, "sub/other.gmon.1");
  EXPECT_EQ(found.profiles[1].name, "sub/program.7.gprofhub");
}

TEST(PackRecordings, DamagedRecordingIsAProblem) {
  FoundProfiles found;
  found.profiles.push_back({"program.7.gprofhub", "origin", "", "gprofhub, cut"});
  ASSERT_TRUE(PackRecordings(found).ok());
  EXPECT_TRUE(found.profiles.empty());
  EXPECT_EQ(found.problems.size(), 1);
}

}  // namespace
}  // namespace gprofhub::ci
