#include "profile/codec/recording.h"

#include <gtest/gtest.h>

#include "profile/codec/message.h"
#include "profile/recording/reader.h"
#include "profile/testing/recording_file.h"

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
  // Content that does not compress beyond what any frame may.
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

TEST(RecordingBlob, GmonIsNone) { EXPECT_FALSE(IsPackedRecording("gmon")); }

}  // namespace
}  // namespace gprofhub::profile
