#include "cli/order/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/output/write_file.h"
#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Three functions of testdata/shop, in valgrind's output format.
ReplayArguments ShopTrace(const std::filesystem::path& folder) {
  ReplayArguments arguments;
  arguments.binary = "cli/testdata/shop";
  arguments.trace = (folder / "trace").string();
  EXPECT_TRUE(WriteFile(arguments.trace, "I  109550,4\nI  1094c0,4\nI  1094e0,4\n").ok());
  return arguments;
}

TEST(ReplayOrders, GivesTheMetricsOfEachOrderAsJson) {
  const std::filesystem::path folder = EmptyTestFolder();
  ReplayArguments arguments = ShopTrace(folder);
  const std::string order = (folder / "app.order").string();
  ASSERT_TRUE(WriteFile(order, "_ZN4shop5NeverEv\n").ok());
  arguments.orders = {order, arguments.binary};
  const auto report = ReplayOrders(arguments, "");
  ASSERT_TRUE(report.ok()) << report.status();
  const auto json = nlohmann::json::parse(report->text);
  EXPECT_EQ(json["instructions"], 3);
  EXPECT_GT(json["as_linked"]["pages"], 0);
  ASSERT_EQ(json["orders"].size(), 2u);
  EXPECT_EQ(json["orders"][0]["order"], order);
  EXPECT_GT(json["orders"][1]["l1i_misses"], 0);
}

TEST(ReplayOrders, AReportIsATableAndTwoPictures) {
  const std::filesystem::path folder = EmptyTestFolder();
  const ReplayArguments arguments = ShopTrace(folder);
  const auto report = ReplayOrders(arguments, (folder / "pages").string());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->text, HasSubstr("over 3 instructions of cli/testdata/shop\n"));
  EXPECT_THAT(report->text, HasSubstr("\nas linked "));
  EXPECT_THAT(ReadTestFile((folder / "pages.svg").string()), StartsWith("<svg "));
  EXPECT_THAT(ReadTestFile((folder / "pages.png").string()), StartsWith("\x89PNG"));
  EXPECT_FALSE(ReplayOrders(arguments, "/nonexistent/pages").ok());
}

TEST(ReplayOrders, TheBiasIsHexadecimal) {
  ReplayArguments arguments = ShopTrace(EmptyTestFolder());
  arguments.load_bias = "zero";
  EXPECT_EQ(ReplayOrders(arguments, "").status().code(), absl::StatusCode::kInvalidArgument);
  arguments.load_bias = "108000";
  EXPECT_TRUE(ReplayOrders(arguments, "").ok());
}

TEST(StoreTrace, AStoredTraceReplaysLikeTheText) {
  const std::filesystem::path folder = EmptyTestFolder();
  ReplayArguments arguments = ShopTrace(folder);
  const std::string stored = (folder / "stored").string();
  const auto line = StoreTrace(arguments, stored);
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(*line, StartsWith(stored + ": 3 instructions in "));
  const auto from_text = ReplayOrders(arguments, "");
  arguments.trace = stored;
  const auto from_stored = ReplayOrders(arguments, "");
  ASSERT_TRUE(from_stored.ok()) << from_stored.status();
  EXPECT_EQ(nlohmann::json::parse(from_text->text)["as_linked"],
            nlohmann::json::parse(from_stored->text)["as_linked"]);
}

TEST(VerifyOrder, SaysWhichFunctionsStandElsewhere) {
  const auto verified = VerifyOrder("cli/testdata/shop", {"_ZN4shop5NeverEv", "absent"});
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_THAT(verified->text, HasSubstr(" of 1 functions stand as ordered"));
  EXPECT_THAT(verified->text, HasSubstr("1 of the ordering's are not in it\n"));
  EXPECT_FALSE(VerifyOrder("cli/testdata/shop", {"absent"})->all_placed);
}

}  // namespace
}  // namespace gprofhub::cli
