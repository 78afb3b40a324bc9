#include "cli/admin/time_options.h"

#include <gtest/gtest.h>

namespace gprofhub::cli {

namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

TEST(TimeOptions, SpansHaveAUnit) {
  EXPECT_EQ(*ParseSpan("--overlap", "30m"), absl::Minutes(30));
  EXPECT_EQ(*ParseSpan("--overlap", "12h"), absl::Hours(12));
  EXPECT_EQ(*ParseSpan("--overlap", "7d"), absl::Hours(168));
  EXPECT_EQ(*ParseSpan("--overlap", "4w"), absl::Hours(672));
  EXPECT_EQ(*ParseSpan("--overlap", "0d"), absl::ZeroDuration());
  for (const char* text :
       {"", "d", "7", "7x", "-7d", "+7d", " 7d", "7 d", "1.5d", "7dd", "99999w"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseSpan("--overlap", text).status())) << text;
  }
}

TEST(TimeOptions, MomentsAreSpansOrDays) {
  EXPECT_EQ(*ParseEnd("--expires", "7d", kNow), kNow + absl::Hours(168));
  EXPECT_EQ(*ParseBeginning("--since", "7d", kNow), kNow - absl::Hours(168));
  const absl::Time day = absl::FromUnixSeconds(1'801'353'600);
  EXPECT_EQ(*ParseEnd("--expires", "2027-01-31", kNow), day);
  EXPECT_EQ(*ParseBeginning("--since", "2027-01-31T01:00:00Z", kNow), day + absl::Hours(1));
  for (const char* text : {"2027-13-01", "2027-01", "31.1.2027", "soon", "", "2027-01-31 01:00"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseEnd("--expires", text, kNow).status())) << text;
  }
}

}  // namespace

}  // namespace gprofhub::cli
