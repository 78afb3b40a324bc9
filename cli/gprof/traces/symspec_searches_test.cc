#include "cli/gprof/traces/symspec_searches.h"

#include <gtest/gtest.h>

namespace gprofhub::cli {
namespace {

TracedSymbol At(uint64_t address, uint64_t last) { return {address, last, "f", false, true}; }

TEST(SymspecSearches, SayNothingOfWhatIsNotFound) {
  SymspecSearches searches;
  EXPECT_FALSE(searches.HasTables(analyzer::Choice::kFlat));
  EXPECT_EQ(searches.Trace(analyzer::Choice::kFlat, 0x10, false), "");
  searches.SetTable(SymspecTable::kExcludeFlat, {At(0x10, 0x1f), At(0x40, 0x4f)});
  EXPECT_TRUE(searches.HasTables(analyzer::Choice::kFlat));
  EXPECT_FALSE(searches.HasTables(analyzer::Choice::kGraph));
  for (const uint64_t address : {0x00, 0x20, 0x50}) {
    EXPECT_EQ(searches.Trace(analyzer::Choice::kFlat, address, false), "");
  }
}

TEST(SymspecSearches, AskForWhatIsExcludedUnlessWhatIsIncludedDecides) {
  constexpr char kFound[] = "[sym_lookup] 0 (0) probes, fall off\n";
  SymspecSearches searches;
  searches.SetTable(SymspecTable::kIncludeGraph, {At(0x10, 0x1f)});
  searches.SetTable(SymspecTable::kExcludeGraph, {At(0x20, 0x2f)});
  EXPECT_EQ(searches.Trace(analyzer::Choice::kGraph, 0x10, true), kFound);
  EXPECT_EQ(searches.Trace(analyzer::Choice::kGraph, 0x20, true), kFound);
  EXPECT_EQ(searches.Trace(analyzer::Choice::kGraph, 0x20, false), "");
}

}  // namespace
}  // namespace gprofhub::cli
