#include "cli/command/start_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

using ::testing::ElementsAre;

TEST(StartCommandsTest, AProgramOfTheSystemIsStartedItself) {
  const std::string folder = EmptyTestFolder().string() + "/";
  EXPECT_THAT(StartCommands(folder, "gprofhub"), ElementsAre(folder + "gprofhub_commands"));
}

TEST(StartCommandsTest, AProgramWithLibrariesOfItsOwnIsStartedByTheirLoader) {
  const std::filesystem::path folder = EmptyTestFolder();
  const std::string loader = (folder / "lib/ld-linux-x86-64.so.2").string();
  std::filesystem::create_directories(folder / "lib");
  std::ofstream{loader};
  const std::string prefix = folder.string() + "/";
  EXPECT_THAT(StartCommands(prefix, "x"), ElementsAre(prefix + "gprofhub_commands"))
      << "a loader that cannot be started is none";
  std::filesystem::permissions(loader, std::filesystem::perms::owner_all);
  EXPECT_THAT(StartCommands(prefix, "x"),
              ElementsAre(prefix + "lib/ld-linux-x86-64.so.2", "--inhibit-cache", "--library-path",
                          prefix + "lib", "--argv0", "x", prefix + "gprofhub_commands"));
}

TEST(StartCommandsTest, ThisProgramIsStartedAgainByItsFile) {
  EXPECT_THAT(StartThisAgain(), ElementsAre("/proc/self/exe"));
}

}  // namespace
}  // namespace gprofhub::cli
