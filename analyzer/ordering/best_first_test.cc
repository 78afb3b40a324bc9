#include "analyzer/ordering/best_first.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace gprofhub::analyzer {
namespace {

struct Named {
  double gain = 0;
  uint32_t name = 0;
  bool operator<(const Named& other) const {
    return gain != other.gain ? gain < other.gain : name > other.name;
  }
};

bool Never(const Named&) { return false; }
void NoFetch(const Named&, size_t) {}

TEST(BestFirst, IsEmptyAtFirst) {
  EXPECT_FALSE(BestFirst<Named>().Take(Never, NoFetch).has_value());
}

TEST(BestFirst, GivesWhatASortedSetWouldWhileMoreComesIn) {
  std::mt19937_64 random(1);
  BestFirst<Named> queue;
  std::set<Named> expected;
  uint32_t name = 0;
  const auto push = [&] {
    // Of all magnitudes, many of them equal.
    const Named added = {std::ldexp(1 + static_cast<double>(random() % 100) / 100,
                                    static_cast<int>(random() % 80) - 40),
                         ++name};
    queue.Push(added);
    expected.insert(added);
  };
  for (int i = 0; i < 3000; ++i) push();
  for (int i = 0; i < 9000; ++i) {
    if (random() % 4 == 0) push();
    const std::optional<Named> best = queue.Take(Never, NoFetch);
    ASSERT_EQ(best.has_value(), !expected.empty());
    if (!best.has_value()) continue;
    EXPECT_EQ(best->name, std::prev(expected.end())->name);
    expected.erase(std::prev(expected.end()));
  }
}

TEST(BestFirst, TakesTheSmallestAndTheLargestGains) {
  BestFirst<Named> queue;
  queue.Push({5e-324, 1});
  queue.Push({1.7e308, 2});
  queue.Push({1, 3});
  for (const uint32_t expected : {2u, 3u, 1u})
    EXPECT_EQ(queue.Take(Never, NoFetch)->name, expected);
  EXPECT_FALSE(queue.Take(Never, NoFetch).has_value());
}

TEST(BestFirst, PassesOverWhatIsOver) {
  BestFirst<Named> queue;
  for (uint32_t name = 1; name <= 10; ++name) queue.Push({static_cast<double>(name), name});
  const auto is_odd = [](const Named& candidate) { return candidate.name % 2 == 1; };
  uint32_t given = 0;
  while (queue.Take(is_odd, NoFetch).has_value()) ++given;
  EXPECT_EQ(given, 5u);
}

TEST(BestFirst, GivesWhatWasPushedInThePlaceOfOneThatIsOver) {
  BestFirst<Named> queue;
  queue.Push({8, 1});
  queue.Push({7, 2});
  const auto is_over = [&](const Named& candidate) {
    if (candidate.name != 1) return false;
    queue.Push({2, 3});
    return true;
  };
  EXPECT_EQ(queue.Take(is_over, NoFetch)->name, 2u);
  EXPECT_EQ(queue.Take(is_over, NoFetch)->name, 3u);
  EXPECT_FALSE(queue.Take(is_over, NoFetch).has_value());
}

TEST(BestFirst, TellsOfCandidatesBeforeTheyAreGiven) {
  BestFirst<Named> queue;
  constexpr uint32_t kCount = 100;
  for (uint32_t name = 1; name <= kCount; ++name) queue.Push({1 + name * 1e-5, name});
  std::set<uint32_t> told;
  const auto fetch = [&](const Named& candidate, size_t turns) {
    if (turns == BestFirst<Named>::kNear) told.insert(candidate.name);
  };
  queue.Take(Never, fetch);
  told.clear();  // reported while the bucket was opened
  for (uint32_t name = kCount - 1; name > BestFirst<Named>::kNear + 1; --name) {
    EXPECT_EQ(queue.Take(Never, fetch)->name, name);
    EXPECT_TRUE(told.contains(name - BestFirst<Named>::kNear)) << name;
  }
}

}  // namespace
}  // namespace gprofhub::analyzer
