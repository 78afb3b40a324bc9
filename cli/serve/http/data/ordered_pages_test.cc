#include "cli/serve/http/data/ordered_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "reporter/testing/profile_builder.h"

namespace gprofhub::cli {
namespace {

profile::SymbolTable Program(uint64_t size) {
  profile::SymbolTable program;
  for (const char* const name : {"main", "idle"}) {
    profile::FunctionSymbol& function = program.functions.emplace_back();
    function.address = 0x1000 + (program.functions.size() - 1) * size;
    function.size = size;
    function.name = name;
    function.is_function = true;
  }
  return program;
}

profile::ComputedProfile OnlyMain() {
  reporter::ProfileBuilder builder;
  builder.Function("main", 1, 50).Arc("", "main", 1);
  return builder.Build();
}

// What is charged before a replay is no less than what the replay makes of it: 16 bytes of a
// function that ran are an address of eight, and a number of its block, and of its line, of four.
TEST(ReplayMemoryTest, GrowsWithWhatFunctionsAreSaidToHave) {
  const profile::ComputedProfile profile = OnlyMain();
  const uint64_t small = ReplayMemory(Program(16), profile);
  const uint64_t large = ReplayMemory(Program(16 << 20), profile);
  EXPECT_LT(small, 4096u);
  EXPECT_GE(large, uint64_t{1 << 20} * (8 + 4 + 4 + 4 + 4));
  EXPECT_LE(large, uint64_t{1 << 20} * 64);
}

TEST(ReplayMemoryTest, DoesNotWrap) {
  const uint64_t bytes = ReplayMemory(Program(UINT64_MAX), OnlyMain());
  EXPECT_GE(bytes, uint64_t{1} << 36);
}

}  // namespace
}  // namespace gprofhub::cli
