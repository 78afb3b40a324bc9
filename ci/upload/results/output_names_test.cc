#include "ci/upload/results/output_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gprofhub::ci {

namespace {

constexpr char kBuildId[] = "0123456789abcdef0123456789abcdef01234567";

TEST(ApparentLabel, IsTheSameForEveryVersionOfBazel) {
  const std::pair<std::string, std::vector<std::string>> kCases[] = {
      {"//pkg:t", {"//pkg:t", "@//pkg:t", "@@//pkg:t"}},
      {"//:a/b.c", {"//:a/b.c", "@@//:a/b.c"}},
      {"@name//pkg:t",
       {"@name//pkg:t", "@@name//pkg:t", "@@name~//pkg:t", "@@name~1.2.3-rc1//pkg:t",
        "@@name+//pkg:t", "@@name+1.2.3//pkg:t"}},
      {"@@rules_foo++ext+repo//pkg:t",
       {"@@rules_foo++ext+repo//pkg:t", "@@rules_foo+1.2+ext+repo//pkg:t",
        "@@rules_foo~~ext~repo//pkg:t", "@@rules_foo~1.2~ext~repo//pkg:t"}},
      {"@@+ext+repo//pkg:t", {"@@+ext+repo//pkg:t", "@@_main~ext~repo//pkg:t"}},
      {"@@+_repo_rules+repo//:t", {"@@+_repo_rules+repo//:t", "@@_main~_repo_rules~repo//:t"}},
      {"@@a++b+c+d//:t", {"@@a++b+c+d//:t", "@@a~1~b~c~d//:t"}},
  };
  for (const auto& [apparent, labels] : kCases) {
    for (const std::string& label : labels) EXPECT_EQ(ApparentLabel(label), apparent) << label;
  }
}

TEST(ApparentLabel, IsItsOwn) {
  for (const std::string label : {"@@@x//:t", "@@a~+//:t", "@+//:t", "@@~//:t", "@@_main~1~e~n//:t",
                                  "@@a+b~c//:t", "@@+~+~//:t", "@_main//:t"}) {
    const std::string apparent = ApparentLabel(label);
    EXPECT_EQ(ApparentLabel(apparent), apparent) << label;
  }
}

TEST(ApparentLabel, TextThatIsNoLabelIsUnchanged) {
  for (const std::string text : {"", "@", "@@", "@name", "name//pkg:t", "@+//pkg:t", "pkg:t"}) {
    EXPECT_EQ(ApparentLabel(text), text);
  }
}

TEST(FolderOfLabel, IsThatOfTheCanonicalName) {
  EXPECT_EQ(FolderOfLabel("//pkg/sub:name"), "pkg/sub/name");
  EXPECT_EQ(FolderOfLabel("@@//:name"), "name");
  EXPECT_EQ(FolderOfLabel("@@name+//pkg:t"), "external/name+/pkg/t");
  EXPECT_EQ(FolderOfLabel("@@foo~~ext~repo//:a/t"), "external/foo~~ext~repo/a/t");
}

TEST(LabelOfFolder, IsTheLabelOfTheEvents) {
  EXPECT_EQ(LabelOfFolder({"pkg", "sub", "name"}), "//pkg/sub:name");
  EXPECT_EQ(LabelOfFolder({"external", "name~1.2", "pkg", "t"}), "@name//pkg:t");
  EXPECT_EQ(LabelOfFolder({"external", "foo~~ext~repo", "t"}), "@@foo++ext+repo//:t");
}

TEST(OutputNames, ArchiveFolderAndFilesAreToldFromOtherOutputs) {
  for (const char* all : {"test.outputs", "test.outputs__outputs.zip"}) {
    EXPECT_TRUE(IsAllOutputs(all)) << all;
    EXPECT_EQ(OutputOf(all), "") << all;
  }
  EXPECT_EQ(OutputOf("test.outputs/gmon.out"), "gmon.out");
  EXPECT_EQ(OutputOf("test.outputs/gprofhub.cases/A%2F8/x.1.gprofhub"),
            "gprofhub.cases/A%2F8/x.1.gprofhub");
  for (const char* other :
       {"test.log", "test.xml", "test.outputs_manifest__MANIFEST", "test.outputs/",
        "test.outputs_manifest__ANNOTATIONS", "test.outputs__other", ""}) {
    EXPECT_FALSE(IsAllOutputs(other)) << other;
    EXPECT_EQ(OutputOf(other), "") << other;
  }
}

TEST(ParseProfileName, KnowsTheNamesThatProfilesHave) {
  const struct {
    std::string name;
    bool is_profile;
    std::string build_id;
  } kCases[] = {
      {"gmon.out", true, ""},
      {"gmon.out.12", true, ""},
      {"gmon.12", true, ""},
      {std::string("db_test.") + kBuildId + ".gmon.12", true, kBuildId},
      {std::string("my.tool.") + kBuildId + ".gmon.12", true, kBuildId},
      {"db_test.unknown.gmon.12", true, ""},
      {"gmon", false, ""},
      {"gmon.", false, ""},
      {"gmon.12a", false, ""},
      {"test.log", false, ""},
      {"core.12", false, ""},
      {"gmon.out.txt", false, ""},
      {"db_test.XYZ.gmon.12", false, ""},
      {".gmon.12", false, ""},
      {"", false, ""},
  };
  for (const auto& c : kCases) {
    const auto name = ParseProfileName(c.name);
    EXPECT_EQ(name.has_value(), c.is_profile) << c.name;
    EXPECT_EQ(name.value_or(ProfileName()).build_id, c.build_id) << c.name;
  }
  EXPECT_EQ(ParseProfileName(std::string("my.tool.") + kBuildId + ".gmon.12")->program, "my.tool");
}

}  // namespace

}  // namespace gprofhub::ci
