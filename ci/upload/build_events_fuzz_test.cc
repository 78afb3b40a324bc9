// Feeds the reader of build events with the real files and thousands of damaged
// copies of them. Whatever comes in, it answers with a status: no crash, no read
// beyond the bytes (run it with --config=asan), no name from nowhere.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ci/upload/build_events.h"
#include "ci/upload/test_files.h"

namespace gprofhub {
namespace {

// One input; the entry point has libFuzzer's shape.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<BuildLog> log = ParseBuildEvents(bytes, "fuzz.bep");
  if (log.ok()) {
    EXPECT_FALSE(log->invocation_id.empty());
    for (const TestAttempt& attempt : log->attempts) {
      EXPECT_GE(attempt.run, 1u);
      EXPECT_GE(attempt.shard, 1u);
      EXPECT_GE(attempt.attempt, 1u);
      EXPECT_FALSE(attempt.status.empty());
    }
  } else {
    EXPECT_EQ(log.status().message().substr(0, 8), "fuzz.bep");
  }
  return 0;
}

void Feed(const std::string& bytes) {
  // A copy of the exact size, so that a read beyond it is noticed.
  const std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(copy.data(), copy.size());
}

class BuildEventsFuzz : public testing::TestWithParam<const char*> {};

TEST_P(BuildEventsFuzz, DamagedFilesGetAnAnswer) {
  const std::string original = ReadTestFile(GetParam());
  Feed(original);
  std::mt19937 random(20210817);  // the same inputs in every run
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = original;
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < changes; ++i) {
      const size_t position = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[position] = static_cast<char>(random());
          break;
        case 1:
          bytes[position] = static_cast<char>(0xff);
          break;
        case 2:
          bytes.erase(position, random() % 16);
          break;
        default:
          bytes.insert(position, bytes.substr(random() % bytes.size(), random() % 16));
      }
      if (bytes.empty()) break;
    }
    Feed(bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, BuildEventsFuzz,
                         testing::Values("sharded_and_flaky.bep", "runs_per_test.bep",
                                         "all_cached.bep"));

}  // namespace
}  // namespace gprofhub
