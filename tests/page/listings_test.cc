// gprof's listings of profiles that went the whole way through a store.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/query.pb.h"
#include "server/queries/served_listing.h"
#include "store/open_store.h"
#include "store/testing/temp_store.h"
#include "tests/page/made_store.h"

namespace gprofhub::cli {
namespace {

using Kind = v1::GetListingRequest;

class ListingsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new std::string(store::MakeTempDir());
    ASSERT_TRUE(tests::MakeSmallStore(*folder_).ok());
  }

  ListingsTest() : store_(*store::OpenStore(*folder_, store::OpenMode::kExisting)) {}

  absl::StatusOr<std::string> List(Kind::Kind kind, bool by_line = false,
                                   const std::string& project = "acme",
                                   const std::string& target = "//db:query_test") {
    v1::GetListingRequest request;
    request.set_project(project);
    request.set_run("latest");
    request.set_target(target);
    request.set_kind(kind);
    request.set_by_line(by_line);
    request.set_brief(true);
    return server::ListingText(store_.reading, store_.blobs, read_source_, request);
  }

  static const std::string* folder_;
  const store::Store store_;
  server::ReadSource read_source_ = nullptr;
};
const std::string* ListingsTest::folder_ = nullptr;

TEST_F(ListingsTest, FlatProfileAndCallGraphAreOfFunctionsOrOfLines) {
  const std::string flat = *List(Kind::FLAT);
  EXPECT_TRUE(absl::StrContains(flat, "db::JsonWriter::Append(char)")) << flat;
  EXPECT_TRUE(absl::StrContains(flat, "239477")) << flat;
  const std::string lines = *List(Kind::FLAT, true);
  EXPECT_TRUE(absl::StrContains(lines, "db::JsonWriter::Append(char) (json.cc:60")) << lines;
  const std::string graph = *List(Kind::CALL_GRAPH);
  EXPECT_TRUE(absl::StrContains(graph, "<cycle 1 as a whole>")) << graph;
}

TEST_F(ListingsTest, ExecutionCountsNameFileLineAndFunction) {
  const std::string counts = *List(Kind::EXECUTION_COUNTS);
  EXPECT_TRUE(absl::StrContains(counts, "db/json.cc:60: (_ZN2db10JsonWriter6AppendEc:")) << counts;
  EXPECT_TRUE(absl::StrContains(counts, ") 239477 executions")) << counts;
}

TEST_F(ListingsTest, SourceIsAnnotatedWithCounts) {
  std::string asked;
  read_source_ =
      server::KeepSources([&asked](const std::string& project, const std::string& commit,
                                   const std::string& path) -> absl::StatusOr<std::string> {
        absl::StrAppend(&asked, project, " ", commit.size(), " ", path, "\n");
        if (path != "db/json.cc") return absl::NotFoundError("not there");
        std::string text;
        for (int line = 1; line <= 200; ++line) absl::StrAppend(&text, "line ", line, "\n");
        return text;
      });
  const std::string source = *List(Kind::ANNOTATED_SOURCE);
  EXPECT_TRUE(absl::StrContains(source, "*** File db/json.cc:")) << source;
  EXPECT_TRUE(absl::StrContains(source, "239477 -> line 60\n")) << source;
  EXPECT_FALSE(absl::StrContains(source, "db/memory.cc")) << "of that there is no source";
  EXPECT_TRUE(absl::StrContains(asked, "acme 40 db/json.cc\n")) << asked;
  asked.clear();
  EXPECT_TRUE(List(Kind::ANNOTATED_SOURCE).ok());
  EXPECT_FALSE(absl::StrContains(asked, "db/json.cc")) << "a file of a commit never changes";
}

TEST_F(ListingsTest, WithoutSourceItIsSaidWhatIsMissing) {
  EXPECT_TRUE(
      absl::StrContains(List(Kind::ANNOTATED_SOURCE).status().message(), "--source-checkout"));
  int asked = 0;
  read_source_ = [&asked](const auto&, const auto&, const auto&) {
    ++asked;
    return absl::StatusOr<server::SourceText>(absl::UnavailableError("the forge is away"));
  };
  const absl::Status status = List(Kind::ANNOTATED_SOURCE).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "the forge is away"));
  EXPECT_EQ(asked, 1) << "who is away is not asked for each file";
}

TEST_F(ListingsTest, NamesOfAttackersMakeNoLinesOfTheirOwn) {
  for (const auto kind : {Kind::FLAT, Kind::CALL_GRAPH, Kind::EXECUTION_COUNTS}) {
    const absl::StatusOr<std::string> text = List(kind, false, "hostile", "//plain:test");
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_FALSE(absl::StrContains(*text, "\n# heading")) << *text;
    EXPECT_FALSE(absl::StrContains(*text, "\x1b")) << *text;
  }
}

}  // namespace
}  // namespace gprofhub::cli
