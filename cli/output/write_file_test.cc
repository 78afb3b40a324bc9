#include "cli/output/write_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

using ::testing::HasSubstr;

TEST(WriteFile, TakesThePlaceOfWhatTheFileHeld) {
  const std::string path = (EmptyTestFolder() / "file").string();
  ASSERT_TRUE(WriteFile(path, "a longer text").ok());
  ASSERT_TRUE(WriteFile(path, absl::string_view("a\0b", 3)).ok());
  EXPECT_EQ(ReadTestFile(path), std::string("a\0b", 3));
}

TEST(WriteFile, SaysWhichFileAndWhyNot) {
  const absl::Status status = WriteFile("/nonexistent/file", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/nonexistent/file cannot be written: No such file"));
  EXPECT_EQ(WriteFile("/dev/full", "x").code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace gprofhub::cli
