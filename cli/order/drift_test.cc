#include "cli/order/drift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
              ElementsAre("pages: old.order has 106, new.order has 100: more than 5% behind"));
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

}  // namespace
}  // namespace gprofhub::cli
