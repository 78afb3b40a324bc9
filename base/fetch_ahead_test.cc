#include "base/fetch_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gprofhub::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ForEachFetched, FetchesBeforeItVisitsAndNotBehindTheEnd) {
  std::vector<std::string> calls;
  ForEachFetched(
      4, 7, [&](size_t i) { calls.push_back("visit " + std::to_string(i)); },
      FetchAhead{2, [&](size_t i) { calls.push_back("far " + std::to_string(i)); }},
      FetchAhead{1, [&](size_t i) { calls.push_back("near " + std::to_string(i)); }});
  EXPECT_THAT(calls, ElementsAre("far 6", "near 5", "visit 4", "near 6", "visit 5", "visit 6"));
}

TEST(ForEachFetched, DoesNothingWithoutItems) {
  std::vector<size_t> visited;
  ForEachFetched(
      3, 3, [&](size_t i) { visited.push_back(i); }, FetchAhead{1, [](size_t) { FAIL(); }});
  EXPECT_THAT(visited, IsEmpty());
}

}  // namespace
}  // namespace gprofhub::base
