#include "reporter/times/discoveries.h"

#include <gtest/gtest.h>

#include <vector>

namespace gprofhub::reporter {
namespace {

TimeTest WithP(double p, TimeEvidence evidence = TimeEvidence::kUnknown) {
  TimeTest test;
  test.p = p;
  test.evidence = evidence;
  return test;
}

std::vector<TimeTest> Control(std::vector<TimeTest> tests, double rate = 0.01) {
  std::vector<TimeTest*> all;
  for (TimeTest& test : tests) all.push_back(&test);
  ControlFalseDiscoveries(all, rate);
  return tests;
}

TEST(ControlFalseDiscoveries, EachFoundOneLowersTheBarForTheNext) {
  std::vector<TimeTest> tests(10, WithP(0.5));
  EXPECT_DOUBLE_EQ(Control(tests)[0].p_needed, 0.01 / 10);
  tests[3] = WithP(0.0009);
  tests[7] = WithP(0.0019);
  const std::vector<TimeTest> judged = Control(tests);
  EXPECT_TRUE(judged[3].changed);
  EXPECT_TRUE(judged[7].changed);
  EXPECT_FALSE(judged[0].changed);
  EXPECT_DOUBLE_EQ(judged[0].p_needed, 0.01 * 3 / 10);
  EXPECT_DOUBLE_EQ(Control(tests, 0.05)[0].p_needed, 0.05 * 3 / 10);
}

TEST(ControlFalseDiscoveries, WhatDoesNotMatterNeitherStandsOutNorRaisesTheBar) {
  std::vector<TimeTest> tests(10, WithP(1e-9));
  for (TimeTest& test : tests) test.matters = false;
  tests[1] = WithP(0.009);
  const std::vector<TimeTest> judged = Control(tests);
  EXPECT_TRUE(judged[1].changed);
  EXPECT_FALSE(judged[0].changed);
}

TEST(ControlFalseDiscoveries, ChangedCodeGetsWhatUnchangedCodeLeaves) {
  std::vector<TimeTest> tests(100, WithP(0.5, TimeEvidence::kSame));
  tests[0] = WithP(0.5, TimeEvidence::kChanged);
  const std::vector<TimeTest> judged = Control(tests);
  EXPECT_NEAR(judged[0].p_needed, 0.01 * (1 + 99 * 0.95) / 100, 1e-12);
  EXPECT_NEAR(judged[1].p_needed, 0.01 * 0.05 / 100, 1e-12);
  tests[0].p = 0.008;
  tests[1].p = 0.0001;
  EXPECT_TRUE(Control(tests)[0].changed);
  EXPECT_FALSE(Control(tests)[1].changed);
}

TEST(ControlFalseDiscoveries, TheWeightsAreOneOnAverageOrLess) {
  for (const size_t changed : {0, 1, 3, 20}) {
    std::vector<TimeTest> tests(20, WithP(0.5, TimeEvidence::kUnknown));
    tests[5].evidence = tests[6].evidence = TimeEvidence::kSame;
    tests[7].evidence = tests[8].evidence = TimeEvidence::kReached;
    for (size_t i = 0; i < changed; ++i) tests[i].evidence = TimeEvidence::kChanged;
    double sum = 0;
    for (const TimeTest& test : Control(tests)) sum += test.p_needed;
    EXPECT_LE(sum, 0.01 * 1.0000001) << changed;
    if (changed > 0) {
      EXPECT_NEAR(sum, 0.01, 1e-12) << changed;
    }
  }
}

TEST(ControlFalseDiscoveries, WithoutChangedCodeNobodyGetsWhatUnchangedCodeLeaves) {
  const std::vector<TimeTest> judged =
      Control(std::vector<TimeTest>(10, WithP(0.5, TimeEvidence::kSame)));
  EXPECT_NEAR(judged[0].p_needed, 0.01 * 0.05 / 10, 1e-12);
}

TEST(ControlFalseDiscoveries, NoTestIsNoTrouble) { EXPECT_TRUE(Control({}).empty()); }

}  // namespace
}  // namespace gprofhub::reporter
