#include "reporter/comparison/environments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profile/environment.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/findings/findings.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

profile::Environment Usual() { return {"x86_64", "", "GenuineIntel Xeon", "AVX AVX2", "", 2}; }

std::vector<profile::ComputedProfile> RunsIn(
    const std::vector<std::vector<profile::Environment>>& environments) {
  std::vector<profile::ComputedProfile> runs(environments.size());
  for (size_t i = 0; i < runs.size(); ++i) runs[i].environments = environments[i];
  return runs;
}

EnvironmentComparison Compare(const profile::Environment& before,
                              const profile::Environment& after) {
  return CompareEnvironments(RunsIn({{before}}), RunsIn({{after}}));
}

std::string WordsOf(const EnvironmentComparison& comparison) {
  EXPECT_EQ(comparison.incomparable, "");
  return EnvironmentWords(comparison.differences);
}

TEST(CompareEnvironments, EqualAndUnknownOnesDoNotDiffer) {
  EXPECT_EQ(WordsOf(Compare(Usual(), Usual())), "");
  EXPECT_EQ(WordsOf(CompareEnvironments(RunsIn({{}}), RunsIn({{Usual()}}))), "");
  profile::Environment partly_known = Usual();
  partly_known.processors = 0;
  partly_known.features = "";
  EXPECT_EQ(WordsOf(Compare(partly_known, Usual())), "");
}

TEST(CompareEnvironments, AnotherModelAloneIsNoReason) {
  profile::Environment other = Usual();
  other.processor = "AuthenticAMD EPYC";
  EXPECT_EQ(WordsOf(Compare(Usual(), other)), "");
  other.features = "AVX ERMS";
  EXPECT_EQ(WordsOf(Compare(Usual(), other)),
            "with the processor features ERMS, without the processor features AVX2, the processor "
            "AuthenticAMD EPYC instead of GenuineIntel Xeon");
}

TEST(CompareEnvironments, NamesProcessorsAndTunables) {
  profile::Environment other = Usual();
  other.processors = 1;
  EXPECT_EQ(WordsOf(Compare(Usual(), other)), "1 processor instead of 2");
  other = Usual();
  other.tunables = "glibc.cpu.hwcaps=-AVX2";
  EXPECT_EQ(WordsOf(Compare(Usual(), other)),
            "GLIBC_TUNABLES glibc.cpu.hwcaps=-AVX2 instead of none");
  EXPECT_EQ(WordsOf(Compare(other, Usual())),
            "GLIBC_TUNABLES none instead of glibc.cpu.hwcaps=-AVX2");
}

TEST(CompareEnvironments, ComparesTheSetsOfAllProcesses) {
  profile::Environment one = Usual();
  one.processors = 1;
  EXPECT_EQ(WordsOf(CompareEnvironments(RunsIn({{one, Usual()}}), RunsIn({{Usual()}, {one}}))), "");
  EXPECT_EQ(WordsOf(CompareEnvironments(RunsIn({{one, Usual()}}), RunsIn({{Usual()}, {}}))),
            "2 processors instead of 1 or 2");
}

TEST(CompareEnvironments, AnotherArchitectureOrAnEmulatorOnOneSideIsNotComparable) {
  profile::Environment other = Usual();
  other.emulator = "qemu-x86_64";
  EXPECT_EQ(Compare(Usual(), other).incomparable,
            "the base ran without an emulator, the head under qemu-x86_64");
  EXPECT_EQ(CompareEnvironments(RunsIn({{Usual(), other}}), RunsIn({{other}})).incomparable,
            "the base ran partly under qemu-x86_64, the head under qemu-x86_64");
  EXPECT_EQ(WordsOf(Compare(other, other)), "");
  other.architecture = "aarch64";
  EXPECT_EQ(Compare(Usual(), other).incomparable, "the base ran on x86_64, the head on aarch64");
}

TEST(CompareEnvironments, TextsAreUntrusted) {
  profile::Environment other = Usual();
  other.tunables = "\xff\x1b[2J" + std::string(500, 'a');
  const std::string words = WordsOf(Compare(Usual(), other));
  EXPECT_THAT(words, HasSubstr("<0xFF><U+001B>[2J"));
  EXPECT_LT(words.size(), 200u);
}

// main → edited → work, pool → task. `edited`: the code of "edited"; a task for each processor.
profile::ComputedProfile ProgramRun(uint32_t edited, uint32_t calls_of_work, uint32_t processors) {
  profile::ComputedProfile run = ProfileBuilder()
                                     .Function("main", 1)
                                     .Code(1)
                                     .Function("edited", 10)
                                     .Code(edited)
                                     .Function("work", 200)
                                     .Code(3)
                                     .Function("pool", 10)
                                     .Code(4)
                                     .Function("task", 200)
                                     .Code(5)
                                     .Arc("", "main", 1)
                                     .Arc("main", "edited", 10)
                                     .Arc("edited", "work", calls_of_work)
                                     .Arc("main", "pool", 1)
                                     .Arc("pool", "task", processors)
                                     .Build();
  run.environments = {Usual()};
  run.environments[0].processors = processors;
  return run;
}

v1::Report CompareRuns(const profile::ComputedProfile& before,
                       const profile::ComputedProfile& after, size_t runs = 3) {
  ComparisonSide base, head;
  base.targets["//a:test"].assign(runs, before);
  head.targets["//a:test"].assign(runs, after);
  return CompareSides(base, head, {});
}

// "callee: confidence" of the material findings about calls.
std::vector<std::string> Material(const v1::Report& report) {
  std::vector<std::string> found;
  for (const v1::Finding& finding : report.findings()) {
    if (!finding.material() || finding.metric() != v1::Finding::CALLS) continue;
    if (finding.caller().empty()) continue;
    found.push_back(finding.function() + (finding.unconfirmed() ? ": unconfirmed" : ": changed"));
  }
  return found;
}

TEST(CompareSides, ChangesWithoutAnEditAreUnconfirmedInAnotherEnvironment) {
  for (const size_t runs : {1, 3}) {
    const v1::Report report = CompareRuns(ProgramRun(2, 100, 1), ProgramRun(7, 300, 2), runs);
    EXPECT_THAT(Material(report),
                testing::UnorderedElementsAre("work: changed", "task: unconfirmed"));
    ASSERT_EQ(report.findings(0).environment_size(), 1);
    EXPECT_EQ(report.findings(0).environment(0).property(), "processors");
    for (const v1::Rerun& rerun : report.reruns()) {
      EXPECT_THAT(rerun.reason(), Not(HasSubstr("task"))) << "which could not decide";
    }
    EXPECT_THAT(report.warnings(),
                testing::Contains(HasSubstr("in 1 test the head ran in another environment: 2 "
                                            "processors instead of 1;")));
  }
}

TEST(CompareSides, WithoutChangedCodeAnotherEnvironmentIsTheReason) {
  const v1::Report report = CompareRuns(ProgramRun(2, 100, 1), ProgramRun(2, 100, 2));
  EXPECT_THAT(Material(report), IsEmpty());
  for (const v1::Finding& finding : report.findings()) EXPECT_FALSE(Changed(finding));
}

TEST(CompareSides, UnderAnEmulatorNothingIsCompared) {
  profile::ComputedProfile emulated = ProgramRun(7, 300, 1);
  emulated.environments[0].emulator = "qemu-x86_64";
  const v1::Report report = CompareRuns(ProgramRun(2, 100, 1), emulated);
  EXPECT_THAT(report.findings(), IsEmpty());
  ASSERT_EQ(report.compared().not_compared_size(), 1);
  EXPECT_THAT(report.compared().not_compared(0).reason(), HasSubstr("under qemu-x86_64"));
}

}  // namespace

}  // namespace gprofhub::reporter
