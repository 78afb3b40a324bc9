#include "ci/upload/recordings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "profile/gmon_reader.h"
#include "profile/recording_reader.h"

namespace gprofhub {
namespace {

// Of a process that came to an orderly exit; tests/fuzz/README.md says how made.
std::string OrderlyRecording() {
  std::ifstream file("tests/fuzz/corpus/recording_reader/orderly_with_stacks", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

TEST(ReplaceRecordings, RecordingBecomesTheProgramsProfile) {
  FoundProfiles found;
  found.profiles.push_back({"sub/program.7.gprofhub", "origin", "", OrderlyRecording()});
  ReplaceRecordings(found);
  ASSERT_EQ(found.profiles.size(), 1);
  const auto recording = ReadRecording(OrderlyRecording(), "recording");
  ASSERT_TRUE(recording.ok());
  EXPECT_EQ(found.profiles[0].build_id, FindModule(*recording, "")->build_id);
  const auto profile = ReadGmon(found.profiles[0].bytes, "gmon");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->arcs.size(), FindModule(*recording, "")->profile.arcs.size());
}

TEST(ReplaceRecordings, RecordingWithItsGmonFileBesideItIsDropped) {
  const auto recording = ReadRecording(OrderlyRecording(), "recording");
  ASSERT_TRUE(recording.ok());
  const std::string gmon = "sub/program." + FindModule(*recording, "")->build_id + ".gmon." +
                           std::to_string(recording->pid);
  FoundProfiles found;
  found.profiles.push_back({gmon, "origin", "", "gmon bytes"});
  found.profiles.push_back({"sub/program.7.gprofhub", "origin", "", OrderlyRecording()});
  ReplaceRecordings(found);
  ASSERT_EQ(found.profiles.size(), 1);
  EXPECT_EQ(found.profiles[0].bytes, "gmon bytes");
}

TEST(ReplaceRecordings, DamagedRecordingIsAProblem) {
  FoundProfiles found;
  found.profiles.push_back({"program.7.gprofhub", "origin", "", "gprofhub, cut"});
  ReplaceRecordings(found);
  EXPECT_TRUE(found.profiles.empty());
  EXPECT_EQ(found.problems.size(), 1);
}

}  // namespace
}  // namespace gprofhub
