#include "cli/gprof/traces/row_trace.h"

#include <gtest/gtest.h>

namespace gprofhub::cli {
namespace {

TEST(TraceTable, FavoursGlobalsThenFunctionsThenFewerUnderscores) {
  std::vector<TracedSymbol> table = {
      {0x20, 0x2f, "other", true, true}, {0x10, 0x1f, "_label", false, false},
      {0x10, 0x1f, "local", true, true}, {0x10, 0x1f, "__f", false, true},
      {0x10, 0x1f, "_f", false, true},
  };
  EXPECT_EQ(TraceTable(table),
            "[symtab_finalize] favor _f@TF over __f@TF (addr=10)\n"
            "[symtab_finalize] favor _f@TF over local@tF (addr=10)\n"
            "[symtab_finalize] favor _f@TF over _label@Tf (addr=10)\n"
            "[symtab_finalize]: removed 3 duplicate entries\n"
            "[symtab_finalize] 0x10-0x1f\t_f\n"
            "[symtab_finalize] 0x20-0x2f\tother\n");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0].name, "_f");
}

TEST(TraceTable, KeepsTheFirstOfEquals) {
  std::vector<TracedSymbol> table = {{0x10, 0x1f, "a", false, true},
                                     {0x10, 0x1f, "b", false, true}};
  EXPECT_EQ(TraceTable(table, 1),
            "[symtab_finalize] favor a@TF over b@TF (addr=10)\n"
            "[symtab_finalize]: removed 2 duplicate entries\n"
            "[symtab_finalize] 0x10-0x1f\ta\n");
}

}  // namespace
}  // namespace gprofhub::cli
