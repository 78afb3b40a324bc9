#include "reporter/findings/finding_kinds.h"

#include <gmock/gmock.h>

#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;

TEST(FindingKinds, AFunctionMattersAsItsArcsDoAndFollowersAsTheirCauseDoes) {
  v1::Finding arc = Calls("f", "main"), small = Calls("g", "main");
  arc.add_follows("below");
  small.set_material(false);
  small.add_follows("below_small");
  EXPECT_THAT(
      FindingKinds({arc, Calls("f"), Calls("below"), small, Calls("g"), Calls("below_small")}),
      ElementsAre(FindingKind::kCause, FindingKind::kCause, FindingKind::kFollower,
                  FindingKind::kMinor, FindingKind::kMinor, FindingKind::kMinor));
}

TEST(FindingKinds, TimesAreCausesTotalsOrExplained) {
  v1::Finding explained = MakeFinding("f", v1::Finding::SELF_TIME);
  explained.set_explained(true);
  v1::Finding moved = MakeFinding("f", v1::Finding::SELF_TIME);
  moved.set_verdict(v1::Finding::SHIFTED);
  EXPECT_THAT(FindingKinds({MakeFinding("f", v1::Finding::SELF_TIME), explained, moved,
                            MakeFinding("f", v1::Finding::TOTAL_TIME)}),
              ElementsAre(FindingKind::kCause, FindingKind::kFollower, FindingKind::kShifted,
                          FindingKind::kTotalTime));
  EXPECT_THAT(FindingKinds({explained}), ElementsAre(FindingKind::kMinor))
      << "nothing explains it here";
}

}  // namespace
}  // namespace gprofhub::reporter
