#include "cli/order/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/write_file.h"
#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

using ::testing::HasSubstr;

TEST(ParseWeights, TakesAFactorBehindTheLastEqualsSign) {
  const auto weights = ParseWeights({"//db:*=2", "a=b/=0.5", "none=0"});
  ASSERT_TRUE(weights.ok()) << weights.status();
  ASSERT_EQ(weights->size(), 3u);
  EXPECT_EQ((*weights)[0].target, "//db:*");
  EXPECT_EQ((*weights)[0].weight, 2);
  EXPECT_EQ((*weights)[1].target, "a=b") << "a folder's slash does not count";
  EXPECT_EQ((*weights)[1].weight, 0.5);
  EXPECT_EQ((*weights)[2].weight, 0);
}

TEST(ParseWeights, RefusesWhatIsNoFactor) {
  for (const std::string text : {"x", "x=", "x=-1", "x=nan", "x=1e7", "x=y"}) {
    const absl::Status status = ParseWeights({text}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("--weight=" + text));
  }
}

TEST(FormatOrdering, HasAFormatForEachLinkerAndForPeople) {
  const std::vector<std::string> names = {"_Z5parsev", "main"};
  EXPECT_EQ(FormatOrdering(names, "text", "").value(), "1\tparse()\n2\tmain\n");
  EXPECT_THAT(FormatOrdering(names, "lld", "").value(), HasSubstr("\n_Z5parsev\nmain\n"));
  EXPECT_THAT(FormatOrdering(names, "gold", "").value(), HasSubstr(".text._Z5parsev\n"));
  EXPECT_THAT(FormatOrdering(names, "gnu-ld", "").value(), HasSubstr("*(.text._Z5parsev"));
  EXPECT_FALSE(FormatOrdering(names, "lld", "/nonexistent/program").ok());
}

TEST(FormatObjectFiles, OrdersFilesByTheirFirstFunction) {
  const std::string map = (EmptyTestFolder() / "map").string();
  ASSERT_TRUE(WriteFile(map,
                        "a.o:00000000 T first\nb.o:00000000 T second\n"
                        "c.o:00000000 T unused\n")
                  .ok());
  EXPECT_EQ(FormatObjectFiles({"second", "first"}, map).value(), "b.o\na.o\nc.o\n");
  EXPECT_EQ(FormatObjectFiles({}, "/nonexistent/map").status().code(), absl::StatusCode::kNotFound);
}

TEST(ReadOrdering, DoesNotMixFoldersWithAServersRuns) {
  OrderSource source;
  source.sources = {EmptyTestFolder().string(), "latest"};
  const absl::Status status = ReadOrdering(source).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot be ordered together with local"));
}

}  // namespace
}  // namespace gprofhub::cli
