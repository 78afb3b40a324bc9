#include "reporter/findings/find_finding.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/ascii.h"
#include "reporter/findings/finding_id.h"
#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

using ::testing::HasSubstr;

TEST(FindFinding, TakesAnIdOrABeginningThatIsItsAlone) {
  const v1::Report report = MakeReport({Calls("f", "main"), Calls("g", "main")});
  const std::string id = FindingId(report.findings(1));
  for (const std::string& asked : {id, absl::AsciiStrToUpper(id), id.substr(0, 6)}) {
    const auto found = FindFinding(report, asked);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->function(), "g");
  }
}

TEST(FindFinding, SaysHowToGetAnId) {
  const v1::Report report = MakeReport({Calls("f", "main")});
  for (const char* asked : {"", "f(int)", "\x1b[2J", "0000000000", "ffffffffffff"}) {
    const absl::Status status = FindFinding(report, asked).status();
    EXPECT_FALSE(status.ok()) << asked;
    EXPECT_THAT(std::string(status.message()), HasSubstr("gprofhub report --all"));
    EXPECT_EQ(status.message().find('\x1b'), absl::string_view::npos);
  }
}

TEST(FindFinding, NamesThoseThatBeginSo) {
  std::vector<v1::Finding> findings;
  for (int i = 0; i < 40; ++i) findings.push_back(Calls("f" + std::to_string(i)));
  const v1::Report report = MakeReport(findings);
  const std::string id = FindingId(report.findings(0));
  size_t same = 0;
  for (const v1::Finding& finding : report.findings()) same += FindingId(finding)[0] == id[0];
  ASSERT_GT(same, 1u) << "40 ids begin with 16 digits";
  const absl::Status status = FindFinding(report, id.substr(0, 1)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(std::to_string(same) + " findings have an id that begins with"));
}

}  // namespace
}  // namespace gprofhub::reporter
