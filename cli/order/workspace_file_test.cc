#include "cli/order/workspace_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/output/write_file.h"
#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

TEST(PathOfLabel, IsBelowTheNearestWorkspaceAbove) {
  const fs::path folder = EmptyTestFolder();
  fs::create_directories(folder / "inner/deep");
  for (const char* marker : {"WORKSPACE", "inner/MODULE.bazel"}) {
    ASSERT_TRUE(WriteFile((folder / marker).string(), "").ok());
  }
  EXPECT_EQ(PathOfLabel("//a/b:c.order", (folder / "inner/deep").string()).value(),
            (folder / "inner/a/b/c.order").string());
  EXPECT_EQ(PathOfLabel("//:c.order", folder.string()).value(), (folder / "c.order").string());
}

TEST(PathOfLabel, LeadsOutOfNoWorkspace) {
  const std::string folder = EmptyTestFolder().string();
  for (const char* label : {"a/b:c", "//a/b", "//a/b:", "//../a:c", "//a:../../c", "@r//a:c", ""}) {
    EXPECT_EQ(PathOfLabel(label, folder).status().code(), absl::StatusCode::kInvalidArgument)
        << label;
  }
  EXPECT_EQ(PathOfLabel("//a:b", "/").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gprofhub::cli
