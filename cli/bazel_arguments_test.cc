#include "cli/bazel_arguments.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace gprofhub::cli {

namespace {

std::string Arguments(const std::vector<std::pair<std::string, uint32_t>>& targets) {
  std::vector<v1::Rerun> reruns;
  for (const auto& [target, runs] : targets) {
    v1::Rerun& rerun = reruns.emplace_back();
    rerun.set_target(target);
    rerun.set_runs(runs);
  }
  return BazelArguments(reruns);
}

TEST(BazelArguments, NameTestsAndHowOften) {
  EXPECT_EQ(Arguments({}), "");
  EXPECT_EQ(Arguments({{"//b:test", 3}, {"//a:test", 1}}),
            "--runs_per_test=^//b:test$@3\n--\n//b:test\n//a:test\n");
  EXPECT_EQ(Arguments({{"//a:x+y", 2}}), "--runs_per_test=^//a:x\\+y$@2\n--\n//a:x+y\n");
}

TEST(BazelArguments, NameATestOnceForAllOfItsParts) {
  EXPECT_EQ(Arguments({{"//a:bench#BM_Insert/8", 1},
                       {"//a:bench#BM_Insert/64", 3},
                       {"//a:bench#BM_Find", 2},
                       {"//a:test", 1}}),
            "--runs_per_test=^//a:bench$@3\n--\n//a:bench\n//a:test\n");
}

TEST(BazelArguments, LeaveOutWhatCannotBePrinted) {
  EXPECT_EQ(Arguments({{"//a:t\n--config=x", 1}}), "");
}

}  // namespace

}  // namespace gprofhub::cli
