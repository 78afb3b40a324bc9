#include "cli/gprof/options.h"

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

TEST(SymspecArguments, AreKeptAsTheyWereGiven) {
  SymspecArguments arguments;
  EXPECT_TRUE(arguments.All().empty());
  arguments.Add(SymspecTable::kExcludeCounts, "");
  arguments.Add(SymspecTable::kIncludeGraph, "main/work");
  const std::vector<SymspecArgument> all = arguments.All();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].table, SymspecTable::kExcludeCounts);
  EXPECT_EQ(all[0].text, "");
  EXPECT_EQ(all[1].table, SymspecTable::kIncludeGraph);
  EXPECT_EQ(all[1].text, "main/work");
}

TEST(SymspecArguments, ChooseForWhatTheirTableIs) {
  SymspecArguments arguments;
  arguments.Add(SymspecTable::kIncludeTime, "main/work");
  arguments.Add(SymspecTable::kExcludeFlat, "a.c:");
  arguments.Add(SymspecTable::kIncludeArcs, "main/work");
  arguments.Add(SymspecTable::kExcludeArcs, "main/7");
  arguments.Add(SymspecTable::kExcludeArcs, "main");  // of no calls
  const analyzer::SymspecLists lists = arguments.Lists();
  ASSERT_EQ(lists.include[static_cast<size_t>(analyzer::Choice::kTime)].size(), 1u);
  EXPECT_EQ(lists.include[static_cast<size_t>(analyzer::Choice::kTime)][0].function, "main");
  ASSERT_EQ(lists.exclude[static_cast<size_t>(analyzer::Choice::kFlat)].size(), 1u);
  EXPECT_EQ(lists.exclude[static_cast<size_t>(analyzer::Choice::kFlat)][0].file, "a.c");
  ASSERT_EQ(lists.included_arcs.size(), 1u);
  EXPECT_EQ(lists.included_arcs[0].second.function, "work");
  ASSERT_EQ(lists.excluded_arcs.size(), 1u);
  EXPECT_EQ(lists.excluded_arcs[0].second.line, 7u);
}

TEST(SymspecArguments, NamePlacesBehindASlashToo) {
  SymspecArguments arguments;
  arguments.Add(SymspecTable::kIncludeFlat, "main/work");
  EXPECT_FALSE(arguments.NamePlaces());
  arguments.Add(SymspecTable::kExcludeArcs, "main/a.c:");
  EXPECT_TRUE(arguments.NamePlaces());
}

}  // namespace

}  // namespace gprofhub::cli
