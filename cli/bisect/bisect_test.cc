#include "cli/bisect/bisect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace gprofhub::cli {

namespace {

TEST(NearerLevel, IsTheOneThatTheCountEquals) {
  // Nearer to 10 as a ratio, but equal to neither by chance.
  EXPECT_EQ(NearerLevel({10, 11}, 10), Level::kOld);
  EXPECT_EQ(NearerLevel({10, 11}, 11), Level::kNew);
}

TEST(NearerLevel, ComparesRatios) {
  EXPECT_EQ(NearerLevel({10, 1000}, 90), Level::kOld);
  EXPECT_EQ(NearerLevel({10, 1000}, 120), Level::kNew);
  // A fall is judged as a rise is.
  EXPECT_EQ(NearerLevel({1000, 10}, 120), Level::kOld);
}

TEST(NearerLevel, HasAPlaceForZero) {
  EXPECT_EQ(NearerLevel({0, 8}, 1), Level::kOld);
  EXPECT_EQ(NearerLevel({0, 8}, 3), Level::kNew);
}

TEST(LevelsOf, AreTheMediansOfTheEnds) {
  const auto levels = LevelsOf({9, 10, 12}, {79, 80});
  ASSERT_TRUE(levels.ok());
  EXPECT_EQ(levels->before, 10);
  EXPECT_EQ(levels->after, 79.5);
}

TEST(LevelsOf, RefusesEndsWithTheSameCount) {
  const auto levels = LevelsOf({1234567, 1234567}, {1234567});
  ASSERT_FALSE(levels.ok());
  EXPECT_NE(levels.status().message().find("is 1234567 at both ends"), std::string::npos);
}

TEST(LevelsOf, RefusesCountsThatOverlap) {
  const auto levels = LevelsOf({10, 50, 12}, {60, 11, 70});
  ASSERT_FALSE(levels.ok());
  EXPECT_NE(levels.status().message().find("10 to 50 at the base, 11 to 70 at the head"),
            std::string::npos)
      << levels.status();
}

TEST(LevelOf, RefusesCountsOfBothLevels) {
  EXPECT_EQ(*LevelOf({10, 80}, {11, 14}), Level::kOld);
  EXPECT_FALSE(LevelOf({10, 80}, {11, 70}).ok());
}

// A line of `size` commits, of which only the ends are tested.
std::vector<Tested> Line(size_t size) {
  std::vector<Tested> line(size, Tested::kNot);
  line.front() = Tested::kOld;
  line.back() = Tested::kNew;
  return line;
}

TEST(NextToTest, IsNothingWhereTheEndsAreNeighbours) {
  EXPECT_EQ(NextToTest(Line(2)), std::nullopt);
  EXPECT_TRUE(Narrow(Line(2)).IsOne());
}

TEST(NextToTest, FindsEachChangeInAsManyStepsAsTheLogarithm) {
  for (size_t size = 3; size < 70; ++size) {
    for (size_t change = 1; change < size; ++change) {
      std::vector<Tested> line = Line(size);
      size_t steps = 0;
      while (const std::optional<size_t> next = NextToTest(line)) {
        line[*next] = *next < change ? Tested::kOld : Tested::kNew;
        ++steps;
      }
      ASSERT_EQ(Narrow(line).first_new, change) << size;
      ASSERT_TRUE(Narrow(line).IsOne());
      EXPECT_LE(steps, std::ceil(std::log2(size - 1))) << size;
    }
  }
}

TEST(NextToTest, KeepsAwayFromSkippedCommits) {
  std::vector<Tested> line = Line(17);
  EXPECT_EQ(NextToTest(line), 8u);
  for (const size_t skipped : {7, 8, 9}) line[skipped] = Tested::kSkipped;
  // 1 to 6 and 10 to 15 are left.
  EXPECT_EQ(NextToTest(line), 4u);
}

TEST(NextToTest, LeavesARangeWhereOnlySkippedCommitsAreLeft) {
  std::vector<Tested> line = Line(6);
  line[1] = Tested::kOld;
  line[2] = line[3] = Tested::kSkipped;
  line[4] = Tested::kNew;
  EXPECT_EQ(NextToTest(line), std::nullopt);
  const Narrowed range = Narrow(line);
  EXPECT_EQ(range.last_old, 1u);
  EXPECT_EQ(range.first_new, 4u);
  EXPECT_FALSE(range.IsOne());
}

// A repository that builds in no time: each commit has its counts, one per run of the test.
class FakeRepository {
 public:
  // `size` commits; from `change` on the count is 80, before it is 10.
  FakeRepository(size_t size, size_t change) {
    for (size_t i = 0; i < size; ++i) {
      line.push_back(std::to_string(i));
      counts[line.back()] = {i < change ? 10.0 : 80.0};
    }
  }

  Measure Build() {
    return [this](const std::string& commit, uint32_t runs) -> absl::StatusOr<Measurement> {
      if (built.size() == budget) return absl::ResourceExhaustedError("enough");
      built.emplace_back(commit, runs);
      if (skipped.contains(commit)) return Measurement{{}, skipped[commit]};
      Measurement measurement;
      for (uint32_t run = 0; run < runs; ++run) {
        measurement.counts.push_back(counts[commit][run % counts[commit].size()]);
      }
      return measurement;
    };
  }

  std::vector<std::string> line;
  std::map<std::string, std::vector<double>> counts;
  std::map<std::string, std::string> skipped;
  std::vector<std::pair<std::string, uint32_t>> built;  // commit and runs
  size_t budget = 1000;
};

TEST(Bisect, RunsTheEndsTwiceAndTheOthersOnce) {
  FakeRepository repository(17, 5);
  const auto found = Bisect(repository.line, repository.Build(), {});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->range.first_new, 5u);
  EXPECT_TRUE(found->range.IsOne());
  EXPECT_FALSE(found->varies);
  EXPECT_EQ(found->levels.before, 10);
  EXPECT_EQ(found->levels.after, 80);
  ASSERT_EQ(repository.built.size(), 6u);
  EXPECT_EQ(repository.built[0], (std::pair<std::string, uint32_t>("0", 2)));
  EXPECT_EQ(repository.built[1], (std::pair<std::string, uint32_t>("16", 2)));
  EXPECT_EQ(repository.built[2], (std::pair<std::string, uint32_t>("8", 1)));
  ASSERT_EQ(found->tested.size(), 6u);
  EXPECT_EQ(found->tested.front().index, 0u);
  EXPECT_EQ(found->tested.back().index, 16u);
}

TEST(Bisect, GoesRoundCommitsThatDoNotBuild) {
  FakeRepository repository(17, 5);
  repository.skipped = {{"8", "it does not build"}, {"9", "it does not build"}};
  const auto found = Bisect(repository.line, repository.Build(), {});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->range.first_new, 5u);
  EXPECT_TRUE(found->range.IsOne());
}

TEST(Bisect, GivesARangeWhereTheCulpritDoesNotBuild) {
  FakeRepository repository(17, 5);
  repository.skipped = {{"5", "it does not build"}, {"6", "its test fails"}};
  const auto found = Bisect(repository.line, repository.Build(), {});
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->finished);
  EXPECT_EQ(found->range.last_old, 4u);
  EXPECT_EQ(found->range.first_new, 7u);
}

TEST(Bisect, RefusesAnEndThatDoesNotBuild) {
  FakeRepository repository(4, 2);
  repository.skipped = {{"3", "it does not build: x.cc:1"}};
  const auto found = Bisect(repository.line, repository.Build(), {});
  ASSERT_TRUE(absl::IsFailedPrecondition(found.status()));
  EXPECT_NE(found.status().message().find("the head, 3, cannot be measured: it does not build: "
                                          "x.cc:1"),
            std::string::npos);
}

TEST(Bisect, RepeatsACountThatVaries) {
  FakeRepository repository(9, 6);
  for (auto& [commit, counts] : repository.counts) {
    counts = counts[0] == 10 ? std::vector<double>{10, 14, 9} : std::vector<double>{80, 70, 95};
  }
  const auto found = Bisect(repository.line, repository.Build(), {.repeat = 3});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->varies);
  EXPECT_EQ(found->range.first_new, 6u);
  for (size_t i = 2; i < repository.built.size(); ++i) EXPECT_EQ(repository.built[i].second, 3u);
}

TEST(Bisect, RefusesACountThatVariesTooMuch) {
  FakeRepository repository(9, 6);
  repository.counts["0"] = {10, 90};
  const auto found = Bisect(repository.line, repository.Build(), {.repeat = 3});
  ASSERT_TRUE(absl::IsFailedPrecondition(found.status()));
  EXPECT_NE(found.status().message().find("cannot be distinguished"), std::string::npos);
  // Before the refusal both ends had as many runs as are allowed, and nothing else was built.
  EXPECT_EQ(repository.built.size(), 4u);
}

TEST(Bisect, SkipsACommitWhoseCountsAreOfBothLevels) {
  FakeRepository repository(5, 3);
  repository.counts["0"] = {10, 11};
  repository.counts["2"] = {10, 80};
  const auto found = Bisect(repository.line, repository.Build(), {.repeat = 2});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->range.first_new, 3u);
  EXPECT_EQ(found->range.last_old, 1u);
}

TEST(Bisect, SaysHowFarItCameWithinItsBudget) {
  FakeRepository repository(17, 5);
  repository.budget = 3;
  const auto found = Bisect(repository.line, repository.Build(), {});
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->finished);
  EXPECT_EQ(found->range.last_old, 0u);
  EXPECT_EQ(found->range.first_new, 8u);
}

TEST(Bisect, HasNothingToSayBeforeBothEndsAreMeasured) {
  FakeRepository repository(17, 5);
  repository.budget = 1;
  EXPECT_TRUE(absl::IsResourceExhausted(Bisect(repository.line, repository.Build(), {}).status()));
}

TEST(Bisect, PassesAnErrorOfTheMachineOn) {
  const Measure broken = [](const std::string&, uint32_t) -> absl::StatusOr<Measurement> {
    return absl::UnavailableError("disk full");
  };
  EXPECT_TRUE(absl::IsUnavailable(Bisect({"0", "1"}, broken, {}).status()));
}

}  // namespace

}  // namespace gprofhub::cli
