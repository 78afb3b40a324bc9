#include "cli/gprof/options/source_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SourcePlaces, GnuGprofsComeFirst) {
  const SourceSearch search = {.path_map = {}, .directories = {"a", "b"}, .bazel_roots = {"/ws"}};
  EXPECT_THAT(SourcePlaces("/proc/self/cwd/lib/x.cc", search),
              ElementsAre("/proc/self/cwd/lib/x.cc", "a/x.cc", "b/x.cc", "/ws/lib/x.cc"));
  EXPECT_THAT(SourcePlaces("/src/x.cc", search), ElementsAre("/src/x.cc", "a/x.cc", "b/x.cc"));
}

TEST(SourcePlaces, AMappingMovesWhatIsBelowItsFolder) {
  const SourceSearch search = {
      .path_map = {{"/build", "/home/me"}, {"/build/", "here/"}, {"/", "/sysroot"}},
      .directories = {},
      .bazel_roots = {}};
  EXPECT_THAT(SourcePlaces("/build/lib/x.cc", search),
              ElementsAre("/build/lib/x.cc", "/home/me/lib/x.cc", "here/lib/x.cc",
                          "/sysroot/build/lib/x.cc"));
  EXPECT_THAT(SourcePlaces("/builder/x.cc", search),
              ElementsAre("/builder/x.cc", "/sysroot/builder/x.cc"));
}

TEST(BazelRoots, AreTheWorkspaceAndTheExecutionRootOfTheImage) {
  const fs::path base = fs::canonical(testing::TempDir()) / "output_base";
  const fs::path bin = base / "execroot/my_repo/bazel-out/k8-fastbuild/bin/lib";
  fs::create_directories(bin);
  std::ofstream(bin / "app") << "x";
  const fs::path link = base / "link";
  fs::remove(link);
  fs::create_symlink(bin, link);
  EXPECT_THAT(BazelRoots(link / "app", "/ws"),
              ElementsAre("/ws", (base / "execroot/my_repo").string()));
  EXPECT_THAT(BazelRoots(link / "app", nullptr), ElementsAre((base / "execroot/my_repo").string()));
}

TEST(BazelRoots, AreNoneOfAnotherProgram) {
  EXPECT_THAT(BazelRoots("/proc/self/exe.no", nullptr), IsEmpty());
  EXPECT_THAT(BazelRoots("/", ""), IsEmpty());
}

}  // namespace
}  // namespace gprofhub::cli
