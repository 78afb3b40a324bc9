#include "reporter/posting/code_quality.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reporter/posting/posting.h"

namespace gprofhub::reporter {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

v1::Finding Finding() {
  v1::Finding finding;
  finding.set_verdict(v1::Finding::REGRESSED);
  finding.set_metric(v1::Finding::CALLS);
  finding.set_function("jsonAppendChar");
  finding.set_function_display("jsonAppendChar");
  finding.set_caller("jsonPrintf");
  finding.set_caller_display("jsonPrintf");
  finding.set_target("//db:query_test");
  finding.mutable_site()->set_file("src/json.c");
  finding.mutable_site()->set_line(42);
  finding.set_before(155620);
  finding.set_after(239477);
  finding.set_effect_percent(54);
  finding.set_impact(0.1);
  finding.set_exact(true);
  return finding;
}

// The entries of one gated finding: one, or none if it is left out.
nlohmann::json EntriesOf(const v1::Finding& finding, const std::string& rule = "calls") {
  GateResult gate;
  gate.gated.push_back({&finding, rule, std::nullopt});
  return nlohmann::json::parse(RenderCodeQuality(gate));
}

std::string FingerprintOf(const v1::Finding& finding, const std::string& rule = "calls") {
  return EntriesOf(finding, rule).at(0).at("fingerprint");
}

TEST(RenderCodeQuality, HasAllThatGitLabAsksFor) {
  const v1::Finding finding = Finding();
  const nlohmann::json entries = EntriesOf(finding);
  ASSERT_THAT(entries, SizeIs(1));
  const nlohmann::json& entry = entries[0];
  EXPECT_EQ(entry.at("type"), "issue");
  EXPECT_EQ(entry.at("check_name"), "gprofhub/calls");
  EXPECT_EQ(entry.at("description"), DescribeFinding(finding));
  EXPECT_THAT(entry.at("description").get<std::string>(), HasSubstr("jsonAppendChar"));
  EXPECT_EQ(entry.at("severity"), "major");
  EXPECT_EQ(entry.at("location").at("path"), "src/json.c");
  EXPECT_EQ(entry.at("location").at("lines").at("begin"), 42);
  EXPECT_FALSE(entry.at("fingerprint").get<std::string>().empty());
}

TEST(RenderCodeQuality, WithoutAGatedFindingTheListIsEmpty) {
  EXPECT_EQ(RenderCodeQuality({}), "[]\n");
}

TEST(RenderCodeQuality, EntriesStandInTheReportsOrder) {
  std::vector<v1::Finding> findings(3, Finding());
  GateResult gate;
  for (size_t i = 0; i < findings.size(); ++i) {
    findings[i].mutable_site()->set_line(static_cast<uint32_t>(30 - i));
    gate.gated.push_back({&findings[i], "calls", std::nullopt});
  }
  const nlohmann::json entries = nlohmann::json::parse(RenderCodeQuality(gate));
  ASSERT_THAT(entries, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(entries[i]["location"]["lines"]["begin"], 30 - i);
}

TEST(RenderCodeQuality, AnAcknowledgedFindingIsLeftOut) {
  const v1::Finding finding = Finding();
  GateResult gate;
  gate.gated.push_back({&finding, "calls", store::AcknowledgementRecord()});
  EXPECT_EQ(RenderCodeQuality(gate), "[]\n");
}

TEST(RenderCodeQuality, AFindingWhoseSiteIsNotInTheRepositoryIsLeftOut) {
  for (const char* file : {"", "/usr/include/c++/12/vector", "../other/a.c", "a\nb.c", "./a.c"}) {
    v1::Finding finding = Finding();
    finding.mutable_site()->set_file(file);
    EXPECT_THAT(EntriesOf(finding), SizeIs(0)) << file;
  }
  v1::Finding unknown_line = Finding();
  unknown_line.mutable_site()->set_line(0);
  EXPECT_THAT(EntriesOf(unknown_line), SizeIs(0));
  v1::Finding nowhere = Finding();
  nowhere.clear_site();
  EXPECT_THAT(EntriesOf(nowhere), SizeIs(0));
}

TEST(RenderCodeQuality, AFingerprintStaysWhileTheFindingIsTheSame) {
  v1::Finding later = Finding();
  later.mutable_site()->set_line(50);
  later.set_after(300000);
  later.set_effect_percent(93);
  later.set_impact(0.2);
  EXPECT_EQ(FingerprintOf(later), FingerprintOf(Finding()));
}

TEST(RenderCodeQuality, FindingsOfAnotherRuleTargetFunctionCallerOrMetricHaveAnother) {
  std::vector<v1::Finding> findings(5, Finding());
  findings[1].set_target("//db:other_test");
  findings[2].set_function("jsonGrow");
  findings[3].set_caller("main");
  findings[4].set_metric(v1::Finding::SELF_TIME);
  std::set<std::string> fingerprints;
  for (const v1::Finding& finding : findings) fingerprints.insert(FingerprintOf(finding));
  fingerprints.insert(FingerprintOf(findings[0], "times"));
  EXPECT_THAT(fingerprints, SizeIs(6));
}

TEST(RenderCodeQuality, AnyNameMakesValidJsonOfAscii) {
  v1::Finding finding = Finding();
  finding.set_function_display("f\"\\\n</script>\u202E\u00e9");
  GateResult gate;
  gate.gated.push_back({&finding, "a\"b", std::nullopt});
  const std::string text = RenderCodeQuality(gate);
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  const nlohmann::json entries = nlohmann::json::parse(text);
  EXPECT_EQ(entries.at(0).at("check_name"), "gprofhub/a\"b");
}

}  // namespace
}  // namespace gprofhub::reporter
