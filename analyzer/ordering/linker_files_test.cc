#include "analyzer/ordering/linker_files.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gprofhub::analyzer {

namespace {

using Names = std::vector<std::string>;

std::vector<MappedFunction> Parse(absl::string_view text) {
  const auto map = ParseFileMap(text, "map");
  EXPECT_TRUE(map.ok()) << map.status();
  return map.ok() ? *map : std::vector<MappedFunction>{};
}

// The names of functions at rising addresses, after MergeIntoFiles.
Names Merge(absl::string_view text, const Names& functions) {
  std::vector<profile::FunctionSymbol> symbols;
  for (const std::string& name : functions) {
    symbols.emplace_back();
    symbols.back().name = name;
  }
  Names merged;
  for (const profile::FunctionSymbol& symbol : MergeIntoFiles(Parse(text), symbols)) {
    merged.push_back(symbol.name);
  }
  return merged;
}

TEST(FileMap, FunctionsOfOneFileBecomeOne) {
  EXPECT_EQ(Merge("a.o:00000000 T one\na.o:00000010 T two\nb.o:00000000 T three\n",
                  {"zero", "one", "two", "three"}),
            (Names{"zero", "a.o", "b.o"}));
}

TEST(FileMap, FunctionsFarApartStayApart) {
  EXPECT_EQ(Merge("a.o:0 T one\nb.o:0 T two\na.o:8 T three\n", {"one", "two", "three"}),
            (Names{"a.o", "b.o", "a.o"}));
  EXPECT_EQ(Merge("a.o:0 T one\na.o:8 T three\n", {"one", "two", "three"}),
            (Names{"a.o", "two", "a.o"}));
}

TEST(FileMap, FilesStandOnceAndThoseWithoutARowLast) {
  EXPECT_EQ(OrderFiles(Parse("a.o:0 T gone\nb.o:0 T one\nc.o:0 T two\n"),
                       {"c.o", "unmapped", "b.o", "c.o"}),
            (Names{"c.o", "b.o", "a.o"}));
}

TEST(FileMap, AFunctionIsWhereItIsDefined) {
  EXPECT_EQ(Merge("a.o:         U one\nb.o:00 T one\n", {"one"}), (Names{"b.o"}));
}

TEST(FileMap, AMemberOfAnArchiveIsTheArchive) {
  EXPECT_EQ(Merge("lib.a:m.o:0 T one", {"one"}), (Names{"lib.a"}));
}

TEST(FileMap, SaysWhichLineIsOfAnotherForm) {
  EXPECT_EQ(ParseFileMap("a.o:0 T one\n\n00 T two\n", "m").status().message(),
            "unable to parse mapping file m: line 3 has no colon after the name of an object file; "
            "create the file with `nm --extern-only --defined-only -v --print-file-name *.o`");
  EXPECT_EQ(ParseFileMap("a.o:\n", "m").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseFileMap("\n \n", "m").status().message(),
            "unable to parse mapping file m: the file is empty");
}

OrderingGraph Named(const Names& names) {
  OrderingGraph graph;
  for (const std::string& name : names) {
    graph.functions.emplace_back();
    graph.functions.back().name = name;
  }
  return graph;
}

TEST(NamesInOrder, HasEachNameOnceWhereItStandsFirst) {
  EXPECT_EQ(
      NamesInOrder(Named({"_Z3foov", "bar.part.0", "_Z3foov"}), std::vector<uint32_t>{1, 0, 2}),
      (Names{"bar.part.0", "bar", "_Z3foov"}));
}

TEST(WithClones, PutsThemBehindWhatTheyAreOfUnlessTheyHaveAPlace) {
  EXPECT_EQ(
      WithClones(Names{"f.isra.0", "g", "h.part.0", "h"},
                 Names{"g.isra.1", "g.constprop.0", "g.cold", "f.isra.3", "k.isra.0"}),
      (Names{"f.isra.0", "f", "f.isra.3", "g", "g.constprop.0", "g.isra.1", "h.part.0", "h"}));
}

TEST(NamesInOrder, LeavesOutNamesThatWouldBreakTheFileOrCannotBeMoved) {
  EXPECT_TRUE(NamesInOrder(Named({"evil\nmain", "#comment", "_init", "a b", "x*", "q\"", ""}),
                           std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6})
                  .empty());
}

TEST(SymbolFile, ReadsBackWhatItWrote) {
  const Names names = {"_Z3foov", "main"};
  const std::string text = FormatSymbolFile(names);
  EXPECT_EQ(text.substr(0, 11), "# gprofhub ");
  EXPECT_EQ(ParseSymbolFile(text), names);
  EXPECT_EQ(ParseSymbolFile("\n# c\r\nmain\r\n"), Names{"main"});
}

TEST(CallGraphFile, AddsUpTheCallSitesOfAPair) {
  OrderingGraph graph = Named({"a", "b"});
  graph.arcs = {{.caller = 0, .callee = 1, .site = 4, .count = 2, .pull = 1},
                {.caller = 0, .callee = 1, .site = 9, .count = 3, .pull = 1},
                {.caller = 1, .callee = 0, .site = 1, .count = 7, .pull = 1}};
  EXPECT_EQ(FormatCallGraphFile(graph), "a b 5\nb a 7\n");
}

bool Has(const Names& sections, const std::string& section) {
  return std::find(sections.begin(), sections.end(), section) != sections.end();
}

TEST(SectionsOf, KnowsWhereACompilerMayHavePutAFunction) {
  const Names sections = SectionsOf("main", {});
  for (const char* section : {".text.main", ".text.hot.main", ".text.startup.main",
                              ".text.exit.main", ".text.unlikely.main"}) {
    EXPECT_TRUE(Has(sections, section)) << section;
  }
}

TEST(SectionsOf, TakesAConstructorsTwoFormsForOne) {
  EXPECT_TRUE(Has(SectionsOf("_ZN1AC1Ev", {}), ".text._ZN1AC2Ev"));
  EXPECT_TRUE(Has(SectionsOf("_ZN1AC2Ev", {}), ".text._ZN1AC1Ev"));
  EXPECT_TRUE(Has(SectionsOf("_ZN1AD1Ev", {}), ".text._ZN1AD2Ev"));
  EXPECT_TRUE(Has(SectionsOf("_ZN1AC1IiEET_", {}), ".text._ZN1AC2IiEET_"));
}

TEST(SectionsOf, FindsTheColdPartUnderTheFunctionsName) {
  EXPECT_EQ(SectionsOf("parse.cold", {}), Names{".text.unlikely.parse"});
  EXPECT_FALSE(Has(SectionsOf("parse", {"parse"}), ".text.unlikely.parse"));
}

TEST(SectionsOf, OfAColdPartThatRanStandWhereItWasOrdered) {
  const std::string text = FormatGoldSections(Names{"parse", "lex", "parse.cold"});
  EXPECT_LT(text.find(".text.lex\n"), text.find(".text.unlikely.parse\n"));
  EXPECT_LT(text.find(".text.unlikely.parse\n"), text.size());
}

TEST(LinkerScript, IsInsertedInFrontOfText) {
  const std::string script = FormatLinkerScript(Names{"a", "b"});
  EXPECT_LT(script.find("*(.text.a)"), script.find("*(.text.b)"));
  EXPECT_NE(script.find("INSERT BEFORE .text;"), std::string::npos);
}

profile::SymbolTable Linked(const std::vector<std::pair<std::string, uint64_t>>& functions) {
  profile::SymbolTable table;
  for (const auto& [name, address] : functions) {
    profile::FunctionSymbol symbol;
    symbol.name = name;
    symbol.address = address;
    symbol.size = 16;
    symbol.is_function = true;
    table.functions.push_back(symbol);
  }
  return table;
}

TEST(CheckPlacement, CountsWhatStandsAsOrdered) {
  const Placement placement = CheckPlacement(
      Linked({{"a", 0x1000}, {"x", 0x1010}, {"b", 0x1020}, {"d", 0x1030}, {"c", 0x1040}}),
      Names{"a", "b", "c", "gone", "d"});
  EXPECT_EQ(placement.asked, 5u);
  EXPECT_EQ(placement.present, 4u);
  EXPECT_EQ(placement.placed, 3u);
  ASSERT_EQ(placement.missed.size(), 1u);
  EXPECT_EQ(placement.strangers, 1u);
}

TEST(CheckPlacement, WantsAllFunctionsOfOneNameInOnePlace) {
  const Names order = {"helper", "main"};
  EXPECT_EQ(CheckPlacement(Linked({{"helper", 0}, {"helper", 16}, {"main", 32}}), order).placed,
            2u);
  EXPECT_EQ(CheckPlacement(Linked({{"helper", 0}, {"main", 16}, {"helper", 32}}), order).placed,
            1u);
}

TEST(CheckPlacement, TakesTwoNamesOfOneAddressForOne) {
  const Placement placement =
      CheckPlacement(Linked({{"_ZN1AC1Ev", 0}, {"_ZN1AC2Ev", 0}, {"main", 16}}),
                     Names{"_ZN1AC1Ev", "main", "_ZN1AC2Ev"});
  EXPECT_EQ(placement.placed, 3u);
  EXPECT_TRUE(placement.missed.empty());
}

TEST(CheckPlacement, ColdPartsMayBeAnywhere) {
  const Placement placement =
      CheckPlacement(Linked({{"b.cold", 0}, {"a", 16}, {"a.cold", 32}, {"b", 48}}),
                     Names{"a", "b", "b.cold", "a.cold", "gone.cold"});
  EXPECT_EQ(placement.asked, 2u);
  EXPECT_EQ(placement.present, 2u);
  EXPECT_EQ(placement.placed, 2u);
  EXPECT_TRUE(placement.missed.empty());
  EXPECT_EQ(placement.strangers, 1u);
}

std::vector<bool> Excluded(const std::string& name, const std::string& file,
                           const ExcludeOptions& options) {
  profile::ComputedProfile profile;
  profile.strings = {"", name, file};
  profile.functions.resize(1);
  profile.functions[0].name = 1;
  profile.functions[0].file = 2;
  MatchingLimit unlimited;
  return *ExcludedFunctions(profile, options, unlimited);
}

TEST(ExcludedFunctions, AreTestFrameworksAndTestFiles) {
  const ExcludeOptions options;
  EXPECT_TRUE(Excluded("_ZN7testing8internal8RunTestsEv", "gtest.cc", options)[0]);
  EXPECT_TRUE(Excluded("_ZN13Db_Opens_Test8TestBodyEv", "x.cc", options)[0]);
  EXPECT_TRUE(Excluded("helper", "db/query_test.cc", options)[0]);
  EXPECT_FALSE(Excluded("latest", "db/latest.cc", options)[0]);
  EXPECT_FALSE(Excluded("main", "tests/app.cc", options)[0]);
  EXPECT_FALSE(Excluded("helper", "db/query_test.cc", {.tests = false, .patterns = {}})[0]);
}

profile::ComputedProfile ManyFunctions() {
  profile::ComputedProfile profile;
  profile.strings = {"", "_ZN4fake5ClockEv"};
  profile.functions.resize(10'000);
  for (profile::FunctionCost& function : profile.functions) function.name = 1;
  return profile;
}

TEST(ExcludedFunctions, EndWhenTheClientLeaves) {
  base::MemoryBudget budget(uint64_t{64} << 20);
  int asked = 0;
  base::DecodingCall call(budget, "db", [&asked] { return ++asked > 3; });
  MatchingLimit limit;
  limit.decoding = base::Decoding(call);
  const ExcludeOptions options = {.tests = true,
                                  .patterns = std::vector<std::string>(1000, "*a*b*c*d*")};
  const uint64_t before = limit.left;
  const auto cancelled = ExcludedFunctions(ManyFunctions(), options, limit);
  EXPECT_TRUE(absl::IsCancelled(cancelled.status())) << cancelled.status();
  EXPECT_LT(before - limit.left, 400'000u) << "of 40 million";
}

TEST(ExcludedFunctions, AreLimited) {
  ExcludeOptions options;
  options.patterns.assign(1000, "*a*b*c*d*");
  MatchingLimit limit;
  limit.left = 1'500'000;
  const auto refused = ExcludedFunctions(ManyFunctions(), options, limit);
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
  options.patterns.resize(20);
  limit.left = 1'500'000;
  EXPECT_TRUE(ExcludedFunctions(ManyFunctions(), options, limit).ok());
  EXPECT_FALSE(ExcludedFunctions(ManyFunctions(), options, limit).ok()) << "for all of a call";
}

TEST(ExcludedFunctions, MatchPatternsOfNamesAndFiles) {
  const ExcludeOptions options = {.tests = true, .patterns = {"fake::*", "mocks/*"}};
  EXPECT_TRUE(Excluded("_ZN4fake5ClockEv", "a.cc", options)[0]);
  EXPECT_TRUE(Excluded("now", "mocks/clock.cc", options)[0]);
  EXPECT_FALSE(Excluded("now", "clock.cc", options)[0]);
}

}  // namespace

}  // namespace gprofhub::analyzer
