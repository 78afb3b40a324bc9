#include "cli/order/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <nlohmann/json.hpp>

#include "cli/client/output.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Drifts(const std::vector<std::string>& limits,
                                const analyzer::ReplayMetrics& current,
                                const analyzer::ReplayMetrics& renewed) {
  const auto parsed = ParseDriftLimits(limits);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return DriftsBeyond(*parsed, "old.order", current, "new.order", renewed);
}

TEST(OrderDrift, AnOrderMayNeedSoMuchMoreAndNoMore) {
  EXPECT_THAT(Drifts({"pages=5"}, {.pages = 105}, {.pages = 100}), IsEmpty());
  EXPECT_THAT(Drifts({"pages=5"}, {.pages = 106}, {.pages = 100}),
              ElementsAre("pages: old.order has 106, new.order has 100: more than 5% higher"));
  EXPECT_THAT(Drifts({"pages=5"}, {.pages = 50}, {.pages = 100}), IsEmpty()) << "it is better";
  EXPECT_THAT(Drifts({"pages=5"}, {.pages = 1}, {.pages = 0}), testing::SizeIs(1));
  EXPECT_THAT(Drifts({}, {.pages = 106}, {.pages = 100}), IsEmpty());
}

TEST(OrderDrift, EachMetricHasALimitOfItsOwn) {
  const analyzer::ReplayMetrics current = {.startup_pages = 20,
                                           .pages = 20,
                                           .itlb_misses_16 = 20,
                                           .itlb_misses_64 = 20,
                                           .l1i_misses = 9};
  const analyzer::ReplayMetrics renewed = {.startup_pages = 10,
                                           .pages = 15,
                                           .itlb_misses_16 = 19,
                                           .itlb_misses_64 = 20,
                                           .l1i_misses = 9};
  EXPECT_THAT(Drifts({"startup_pages=50", "pages=50", "itlb_misses_16=0", "itlb_misses_64=0",
                      "l1i_misses=0.5"},
                     current, renewed),
              ElementsAre(HasSubstr("startup_pages: old.order has 20"),
                          HasSubstr("itlb_misses_16: old.order has 20, new.order has 19")));
}

TEST(OrderDrift, WhatIsNoLimitIsRefusedWithTheMetricsThereAre) {
  for (const std::string text : {"5", "pages", "pages=", "pages=-1", "pages=nan", "pags=5", "=5"}) {
    const absl::Status status = ParseDriftLimits({text}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("--max-drift=" + text + ": must be"));
    EXPECT_THAT(std::string(status.message()), HasSubstr("startup_pages, pages, itlb_misses_64"));
  }
}

using ::testing::HasSubstr;

constexpr uint32_t kUntouched = 0xe8e8e8;
constexpr uint32_t kLater = 0xf0a860;
constexpr uint32_t kStartup = 0xa03020;
constexpr uint32_t kWhite = 0xffffff;

std::vector<PageStrip> TwoStrips() {
  std::vector<analyzer::PageTouch> pages(65, analyzer::PageTouch::kNever);
  pages[1] = analyzer::PageTouch::kLater;
  pages[64] = analyzer::PageTouch::kStartup;
  return {{"before <1>", pages}, {"after", {analyzer::PageTouch::kStartup}}};
}

struct Picture {
  png_image image = {};
  std::vector<uint8_t> bytes;  // three of each pixel

  uint32_t At(size_t x, size_t y) const {
    const uint8_t* pixel = &bytes[3 * (y * image.width + x)];
    return uint32_t{pixel[0]} << 16 | uint32_t{pixel[1]} << 8 | pixel[2];
  }
};

Picture Decode(const std::string& png) {
  Picture picture;
  picture.image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&picture.image, png.data(), png.size()), 0);
  picture.image.format = PNG_FORMAT_RGB;
  picture.bytes.resize(PNG_IMAGE_SIZE(picture.image));
  EXPECT_NE(png_image_finish_read(&picture.image, nullptr, picture.bytes.data(), 0, nullptr), 0);
  return picture;
}

TEST(PagesAsPng, HasASquareForEachPage) {
  const absl::StatusOr<std::string> png = PagesAsPng(TwoStrips());
  ASSERT_TRUE(png.ok()) << png.status();
  const Picture picture = Decode(*png);
  EXPECT_EQ(picture.image.width, 660u);
  EXPECT_EQ(picture.image.height, 60u);
  EXPECT_EQ(picture.At(0, 0), kWhite);
  EXPECT_EQ(picture.At(10, 10), kUntouched);
  EXPECT_EQ(picture.At(18, 18), kUntouched);
  EXPECT_EQ(picture.At(19, 19), kWhite) << "the gap between squares";
  EXPECT_EQ(picture.At(20, 10), kLater);
  EXPECT_EQ(picture.At(10, 20), kStartup) << "the second row";
  EXPECT_EQ(picture.At(20, 20), kWhite) << "no page";
  EXPECT_EQ(picture.At(10, 40), kStartup) << "the second strip";
}

TEST(PagesAsSvg, NamesStripsAndCountsTheirPages) {
  const std::string svg = PagesAsSvg(TwoStrips());
  EXPECT_THAT(svg, HasSubstr("before &lt;1&gt;: 1 pages at start-up, 2 in total"));
  EXPECT_THAT(svg, HasSubstr("after: 1 pages at start-up, 1 in total"));
}

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
  EXPECT_THAT(verified->text, HasSubstr(" of 1 functions are in order"));
  EXPECT_THAT(verified->text, HasSubstr("1 of the ordering are not in the program\n"));
  EXPECT_FALSE(VerifyOrder("cli/testdata/shop", {"absent"})->all_placed);
}

}  // namespace

}  // namespace gprofhub::cli
