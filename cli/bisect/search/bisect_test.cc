#include "cli/bisect/search/bisect.h"

#include <gtest/gtest.h>

#include <map>

namespace gprofhub::cli {
namespace {

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
  EXPECT_NE(found.status().message().find("cannot be told apart"), std::string::npos);
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
