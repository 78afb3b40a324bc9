// The order of first calls is that of the program, also of a killed one, in threads and after fork.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "profile/elf/read_image.h"
#include "profile/recording/reader.h"
#include "tests/runtime/recorded_calls.h"
#include "tests/runtime/slurp.h"

namespace gprofhub::tests {
namespace {

namespace fs = std::filesystem;

constexpr int kFunctions = 300;

// The numbers of the program's functions in the order of each of its processes, by their number of
// calls.
std::map<uint64_t, std::vector<int>> OrdersOf(const std::string& program, const std::string& way) {
  const std::string image = fs::absolute("tests/runtime/" + program).string();
  const fs::path folder = fs::path(testing::TempDir()) / (program + "." + way);
  RunIn(folder, {image, way}, "0");
  const auto symbols = profile::ReadElfSymbols(image);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  std::map<uint64_t, std::vector<int>> orders;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto recording = profile::ReadRecording(Slurp(entry.path()), entry.path().string());
    EXPECT_TRUE(recording.ok()) << recording.status();
    uint64_t calls = 0;
    for (const profile::RawArc& arc : profile::FindModule(*recording, "")->profile.arcs) {
      calls += arc.count;
    }
    std::vector<int>& order = orders[calls];
    for (const profile::ModulePlace& place : recording->first_calls) {
      if (!recording->modules[place.module].is_program) continue;
      const std::string name = FunctionAt(*symbols, place.pc);
      EXPECT_EQ(name.rfind("called_", 0), 0) << name;
      order.push_back(std::stoi(name.substr(name.find('_') + 1)) - 100);
    }
  }
  return orders;
}

TEST(FirstCallsTest, AreInOrderAlsoWhenTablesGrow) {
  std::vector<int> expected;
  for (int i = 0; i < kFunctions; ++i) expected.push_back(7 * i % kFunctions);
  const auto orders = OrdersOf("first_calls_program", "scrambled");
  ASSERT_EQ(orders.size(), 1);
  EXPECT_EQ(orders.begin()->second, expected);
}

TEST(FirstCallsTest, OfThreadsAreInEachThreadsOrder) {
  const auto orders = OrdersOf("first_calls_program", "threads");
  ASSERT_EQ(orders.size(), 1);
  const std::vector<int>& order = orders.begin()->second;
  ASSERT_EQ(order.size(), kFunctions);
  std::map<int, int> last;  // by thread
  for (const int function : order) {
    const auto [before, is_first] = last.try_emplace(function % 8, function);
    EXPECT_TRUE(is_first || before->second < function) << function;
    before->second = function;
  }
}

TEST(FirstCallsTest, OfAForkedChildBeginWithTheFork) {
  std::vector<int> of_parent, of_child;
  for (int i = 0; i < 10; ++i) of_parent.push_back(i);
  for (int i = 20; i > 5; --i) of_child.push_back(i);
  for (int i = 0; i < 6; ++i) of_child.push_back(i);
  for (int i = 21; i < kFunctions; ++i) of_child.push_back(i);
  const auto orders = OrdersOf("first_calls_program", "fork");
  ASSERT_EQ(orders.size(), 2);
  EXPECT_EQ(orders.begin()->second, of_parent);
  EXPECT_EQ(orders.rbegin()->second, of_child);
}

TEST(FirstCallsTest, AreNotKnownWithCountersInTheText) {
  const auto orders = OrdersOf("first_calls_counted", "scrambled");
  ASSERT_EQ(orders.size(), 1);
  EXPECT_GE(orders.begin()->first, 2 * kFunctions);
  EXPECT_EQ(orders.begin()->second, std::vector<int>());
}

}  // namespace
}  // namespace gprofhub::tests
