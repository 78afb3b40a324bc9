#include "profile/codec/recording.h"

#include <gtest/gtest.h>

#include "base/decoding/budget.h"
#include "base/decoding/decoding.h"
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
  base::DecodingBudget budget(uint64_t{256} << 20);
  base::DecodingCall call(budget, "a", nullptr);
  const auto recording =
      UnpackRecording(PackRecording(OrderlyRecording()), "blob", base::Decoding(call));
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_GE(call.used(), MemoryOf(*recording));
  EXPECT_LE(call.used(), MemoryOf(*recording) + MemoryOf(*recording) / 10);
}

TEST(RecordingBlob, IsNotReadBeyondItsBudget) {
  // Enough memory for the file, but not for the decoded recording.
  base::DecodingBudget budget(OrderlyRecording().size() * 5 / 4);
  base::DecodingCall call(budget, "a", nullptr);
  const auto recording =
      UnpackRecording(PackRecording(OrderlyRecording()), "blob", base::Decoding(call));
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(call.used(), 0u);
}

TEST(RecordingBlob, GmonIsNone) { EXPECT_FALSE(IsPackedRecording("gmon")); }

}  // namespace
}  // namespace gprofhub::profile
