#include "cli/gprof/options/symspec_arguments.h"

#include <gtest/gtest.h>

namespace gprofhub::cli {
namespace {

TEST(SymspecArguments, AreKeptAsTheyWereGiven) {
  SymspecArguments arguments;
  EXPECT_TRUE(arguments.All().empty());
  arguments.Add(SymspecTable::kExcludeCounts, "");
  arguments.Add(SymspecTable::kIncludeGraph, "main/work");
  const std::vector<SymspecArgument> all = arguments.All();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].table, SymspecTable::kExcludeCounts);
  EXPECT_EQ(all[0].text, "");
  EXPECT_EQ(all[1].table, SymspecTable::kIncludeGraph);
  EXPECT_EQ(all[1].text, "main/work");
}

TEST(SymspecArguments, ChooseForWhatTheirTableIs) {
  SymspecArguments arguments;
  arguments.Add(SymspecTable::kIncludeTime, "main/work");
  arguments.Add(SymspecTable::kExcludeFlat, "a.c:");
  arguments.Add(SymspecTable::kIncludeArcs, "main/work");
  arguments.Add(SymspecTable::kExcludeArcs, "main/7");
  arguments.Add(SymspecTable::kExcludeArcs, "main");  // of no calls
  const analyzer::SymspecLists lists = arguments.Lists();
  ASSERT_EQ(lists.include[static_cast<size_t>(analyzer::Choice::kTime)].size(), 1u);
  EXPECT_EQ(lists.include[static_cast<size_t>(analyzer::Choice::kTime)][0].function, "main");
  ASSERT_EQ(lists.exclude[static_cast<size_t>(analyzer::Choice::kFlat)].size(), 1u);
  EXPECT_EQ(lists.exclude[static_cast<size_t>(analyzer::Choice::kFlat)][0].file, "a.c");
  ASSERT_EQ(lists.included_arcs.size(), 1u);
  EXPECT_EQ(lists.included_arcs[0].second.function, "work");
  ASSERT_EQ(lists.excluded_arcs.size(), 1u);
  EXPECT_EQ(lists.excluded_arcs[0].second.line, 7u);
}

TEST(SymspecArguments, NamePlacesBehindASlashToo) {
  SymspecArguments arguments;
  arguments.Add(SymspecTable::kIncludeFlat, "main/work");
  EXPECT_FALSE(arguments.NamePlaces());
  arguments.Add(SymspecTable::kExcludeArcs, "main/a.c:");
  EXPECT_TRUE(arguments.NamePlaces());
}

}  // namespace
}  // namespace gprofhub::cli
