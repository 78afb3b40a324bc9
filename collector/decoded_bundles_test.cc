#include "collector/decoded_bundles.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace gprofhub::collector {
namespace {

profile::SymbolTable TableOf(size_t functions) {
  profile::SymbolTable table;
  table.functions.resize(functions);
  return table;
}

TEST(DecodedBundlesTest, DecodesOnce) {
  DecodedBundles bundles(1 << 20);
  std::atomic<int> decoded = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto image = bundles.Get("a", [&]() -> absl::StatusOr<profile::SymbolTable> {
        ++decoded;
        return TableOf(3);
      });
      EXPECT_EQ((*image)->functions.size(), 3u);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(decoded, 1);
}

TEST(DecodedBundlesTest, ForgetsTheOldestAndWhatFailed) {
  DecodedBundles bundles(10 * sizeof(profile::FunctionSymbol) + 100);
  int decoded = 0;
  const auto get = [&](const char* name) {
    return bundles.Get(name, [&]() -> absl::StatusOr<profile::SymbolTable> {
      ++decoded;
      return TableOf(6);
    });
  };
  ASSERT_TRUE(get("a").ok());
  ASSERT_TRUE(get("b").ok());
  ASSERT_TRUE(get("b").ok());
  EXPECT_EQ(decoded, 2);
  ASSERT_TRUE(get("a").ok());
  EXPECT_EQ(decoded, 3);
  const auto bad = [] { return absl::StatusOr<profile::SymbolTable>(absl::DataLossError("bad")); };
  EXPECT_FALSE(bundles.Get("c", bad).ok());
  EXPECT_TRUE(get("c").ok());
}

}  // namespace
}  // namespace gprofhub::collector
