#include "reporter/findings/finding_id.h"

#include <gtest/gtest.h>

#include <set>

#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

// printf '//a:test\0calls\0callee\0caller' | sha256sum
TEST(FindingId, IsThatOfItsNames) { EXPECT_EQ(FindingId(Calls("callee", "caller")), "dec12ed952"); }

TEST(FindingId, StaysWhereOnlyTheNumbersChange) {
  v1::Finding later = Calls("callee", "caller");
  later.set_after(7);
  later.set_verdict(v1::Finding::IMPROVED);
  later.mutable_site()->set_line(9);
  EXPECT_EQ(FindingId(later), FindingId(Calls("callee", "caller")));
}

TEST(FindingId, DiffersByEachName) {
  const std::set<std::string> ids = {
      FindingId(Calls("f", "g")),
      FindingId(Calls("g", "f")),
      FindingId(Calls("fg")),
      FindingId(Calls("f")),
      FindingId(MakeFinding("f", v1::Finding::SELF_TIME)),
      FindingId(MakeFinding("f", v1::Finding::CALLS, "", "//another:test")),
  };
  EXPECT_EQ(ids.size(), 6u);
}

}  // namespace
}  // namespace gprofhub::reporter
