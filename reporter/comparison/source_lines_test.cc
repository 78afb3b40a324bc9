#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/computed.h"
#include "reporter/comparison/match_target.h"
#include "reporter/comparison/time_findings.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

struct Line {
  uint32_t line;
  uint64_t bytes;
  double samples;
  bool in_library = false;
};

constexpr char kHeader[] = "/usr/include/c++/12/bits/std_thread.h";

profile::ComputedProfile Run(const std::vector<Line>& lines, uint32_t code, uint32_t first_line,
                             const std::string& file) {
  double samples = 0;
  for (const Line& line : lines) samples += line.samples;
  profile::ComputedProfile run = ProfileBuilder()
                                     .Function("main")
                                     .Function("work", samples, 0, file, first_line)
                                     .Code(code)
                                     .Arc("main", "work", 1)
                                     .Build();
  run.strings.push_back("src/work.cc");
  run.strings.push_back(kHeader);
  const auto own = static_cast<uint32_t>(run.strings.size() - 2);
  for (const Line& line : lines) {
    run.lines.push_back({1, own + line.in_library, line.line, line.bytes, line.samples});
  }
  return run;
}

struct Sides {
  std::vector<Line> before, after;
  std::string file = "src/work.cc";
  uint32_t line_after = 10;
  bool is_edited = true;
};

// "FILE:LINE" of a changed time of work, whose first line was 10.
std::string Place(const Sides& sides, v1::Finding::Metric metric = v1::Finding::SELF_TIME) {
  const std::vector<profile::ComputedProfile> before = {Run(sides.before, 1, 10, sides.file)};
  const std::vector<profile::ComputedProfile> after = {
      Run(sides.after, sides.is_edited ? 2 : 1, sides.line_after, sides.file)};
  const MatchedTarget target = MatchTarget(before, after);
  FunctionTime time;
  time.metric = metric;
  while (target.functions[time.function].name != "work") ++time.function;
  time.test.before_exposure = time.test.after_exposure = 1000;
  time.test.effect = target.functions[time.function].after.self_samples >=
                             target.functions[time.function].before.self_samples
                         ? 0.5
                         : -0.5;
  const v1::Site site = PlaceOfTime(target, time);
  return absl::StrCat(site.file(), ":", site.line());
}

TEST(PlaceOfTime, IsTheLineWhoseSamplesRoseMost) {
  EXPECT_EQ(Place({{{12, 20, 400}, {15, 20, 100}, {19, 8, 50}},
                   {{12, 20, 420}, {15, 24, 600}, {19, 8, 55}}}),
            "src/work.cc:15");
}

TEST(PlaceOfTime, OfUnchangedCodeIsItToo) {
  EXPECT_EQ(Place({{{12, 20, 400}, {15, 20, 100}},
                   {{12, 20, 400}, {15, 20, 600}},
                   "src/work.cc",
                   10,
                   false}),
            "src/work.cc:15");
}

TEST(PlaceOfTime, OfAnImprovementIsTheLineWhoseSamplesFellMost) {
  EXPECT_EQ(Place({{{12, 20, 900}, {15, 24, 600}}, {{12, 20, 880}, {15, 20, 100}}}),
            "src/work.cc:15");
}

TEST(PlaceOfTime, FollowsLinesThatMoved) {
  EXPECT_EQ(Place({{{12, 20, 400}, {15, 36, 100}, {19, 8, 50}},
                   {{112, 20, 420}, {115, 36, 120}, {117, 16, 300}, {121, 8, 55}},
                   "src/work.cc",
                   110}),
            "src/work.cc:117");
}

TEST(PlaceOfTime, WithFewSamplesIsTheLineWhoseCodeChangedMost) {
  EXPECT_EQ(Place({{{12, 20, 4}, {15, 36, 1}, {19, 8, 0}}, {{12, 20, 5}, {15, 50, 1}, {19, 9, 0}}}),
            "src/work.cc:15");
}

TEST(PlaceOfTime, CountsCodeThatShrankAsChanged) {
  EXPECT_EQ(Place({{{12, 20, 4}, {15, 36, 1}}, {{12, 20, 5}, {15, 20, 1}}}), "src/work.cc:15");
}

TEST(PlaceOfTime, OfLibrariesIsTheChangedCode) {
  EXPECT_EQ(Place({{{12, 20, 400}, {15, 36, 100}}, {{12, 20, 900}, {15, 50, 100}}},
                  v1::Finding::LIBRARY_TIME),
            "src/work.cc:15");
}

TEST(PlaceOfTime, WithoutEvidenceIsTheFirstLine) {
  EXPECT_EQ(
      Place({{{12, 20, 4}, {15, 36, 1}}, {{12, 20, 5}, {15, 36, 1}}, "src/work.cc", 10, false}),
      "src/work.cc:10");
  EXPECT_EQ(Place({{{12, 20, 400}}, {{12, 30, 900}}}, v1::Finding::TOTAL_TIME), "src/work.cc:10");
  EXPECT_EQ(Place({}), "src/work.cc:10") << "lines are unknown";
}

TEST(PlaceOfTime, DoesNotTakeOneLineForAnotherOfTheSameSize) {
  EXPECT_EQ(Place({{{10, 18, 0}, {19, 9, 0}, {20, 24, 0}, {25, 19, 0}},
                   {{10, 20, 0}, {19, 19, 0}, {20, 25, 0}, {25, 27, 0}}},
                  v1::Finding::LIBRARY_TIME),
            "src/work.cc:19");
}

TEST(PlaceOfTime, OfALibrarysTemplateIsInTheProgramsOwnFile) {
  const Sides sides = {{{210, 8, 30, true}, {40, 20, 10}, {44, 20, 90}},
                       {{210, 8, 30, true}, {40, 20, 10}, {44, 20, 90}},
                       kHeader,
                       10,
                       false};
  EXPECT_EQ(Place(sides), "src/work.cc:44");
}

TEST(PlaceOfTime, KeepsLinesOfFilesApart) {
  EXPECT_EQ(Place({{{12, 20, 300, true}, {12, 20, 100}}, {{12, 20, 310, true}, {12, 20, 700}}}),
            "src/work.cc:12");
}

}  // namespace

}  // namespace gprofhub::reporter
