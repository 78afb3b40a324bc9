// gprof's listings of profiles that went the whole way through a store.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/serve/http/data/target_data.h"
#include "store/open_store.h"
#include "store/testing/temp_dir.h"
#include "tests/page/made_store.h"

namespace gprofhub::cli {
namespace {

using Kind = GprofListing::Kind;

class ListingsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new std::string(store::MakeTempDir());
    ASSERT_TRUE(tests::MakeSmallStore(*folder_).ok());
  }

  ListingsTest()
      : store_(*store::OpenStore(*folder_)),
        sources_{{store_.reading, store_.blobs, store_.gate, store_.invocations}, {}} {}

  absl::StatusOr<std::string> List(const GprofListing& listing, const std::string& project = "acme",
                                   const std::string& target = "//db:query_test") {
    const absl::StatusOr<TargetOfRun> found =
        FindTargetOfRun(sources_.store, project, "latest", target);
    if (!found.ok()) return found.status();
    return ListingOf(sources_, project, *found, listing);
  }

  static const std::string* folder_;
  const store::Store store_;
  PageSources sources_;
};
const std::string* ListingsTest::folder_ = nullptr;

TEST_F(ListingsTest, FlatProfileAndCallGraphAreOfFunctionsOrOfLines) {
  const std::string flat = *List({Kind::kFlat, false, false});
  EXPECT_TRUE(absl::StrContains(flat, "db::JsonWriter::Append(char)")) << flat;
  EXPECT_TRUE(absl::StrContains(flat, "239477")) << flat;
  const std::string lines = *List({Kind::kFlat, true, false});
  EXPECT_TRUE(absl::StrContains(lines, "db::JsonWriter::Append(char) (json.cc:60")) << lines;
  const std::string graph = *List({Kind::kGraph, false, false});
  EXPECT_TRUE(absl::StrContains(graph, "<cycle 1 as a whole>")) << graph;
}

TEST_F(ListingsTest, ExecutionCountsNameFileLineAndFunction) {
  const std::string counts = *List({Kind::kCounts, false, false});
  EXPECT_TRUE(absl::StrContains(counts, "db/json.cc:60: (_ZN2db10JsonWriter6AppendEc:")) << counts;
  EXPECT_TRUE(absl::StrContains(counts, ") 239477 executions")) << counts;
}

TEST_F(ListingsTest, SourceIsAnnotatedWithCounts) {
  std::string asked;
  sources_.read_source = [&asked](const std::string& project, const std::string& commit,
                                  const std::string& path) -> absl::StatusOr<std::string> {
    absl::StrAppend(&asked, project, " ", commit.size(), " ", path, "\n");
    if (path != "db/json.cc") return absl::NotFoundError("not there");
    std::string text;
    for (int line = 1; line <= 200; ++line) absl::StrAppend(&text, "line ", line, "\n");
    return text;
  };
  const std::string source = *List({Kind::kSource, false, false});
  EXPECT_TRUE(absl::StrContains(source, "*** File db/json.cc:")) << source;
  EXPECT_TRUE(absl::StrContains(source, "239477 -> line 60\n")) << source;
  EXPECT_FALSE(absl::StrContains(source, "db/memory.cc")) << "of that there is no source";
  EXPECT_TRUE(absl::StrContains(asked, "acme 40 db/json.cc\n")) << asked;
  asked.clear();
  EXPECT_TRUE(List({Kind::kSource, false, true}).ok());
  EXPECT_FALSE(absl::StrContains(asked, "db/json.cc")) << "a file of a commit never changes";
}

TEST_F(ListingsTest, WithoutSourceItIsSaidWhatIsMissing) {
  EXPECT_TRUE(absl::StrContains(List({Kind::kSource, false, false}).status().message(),
                                "--source-checkout"));
  sources_.read_source = [](const auto&, const auto&, const auto&) {
    return absl::StatusOr<std::string>(absl::UnavailableError("the forge is away"));
  };
  EXPECT_TRUE(absl::StrContains(List({Kind::kSource, false, false}).status().message(),
                                "the forge is away"));
}

TEST_F(ListingsTest, NamesOfAttackersMakeNoLinesOfTheirOwn) {
  for (const Kind kind : {Kind::kFlat, Kind::kGraph, Kind::kCounts}) {
    const absl::StatusOr<std::string> text = List({kind, false, false}, "hostile", "//plain:test");
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_FALSE(absl::StrContains(*text, "\n# heading")) << *text;
    EXPECT_FALSE(absl::StrContains(*text, "\x1b")) << *text;
  }
}

}  // namespace
}  // namespace gprofhub::cli
