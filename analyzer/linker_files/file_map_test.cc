#include "analyzer/linker_files/file_map.h"

#include <gtest/gtest.h>

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
            "unable to parse mapping file m: line 3 has no colon after an object file's name; "
            "`nm --extern-only --defined-only -v --print-file-name *.o` makes one");
  EXPECT_EQ(ParseFileMap("a.o:\n", "m").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseFileMap("\n \n", "m").status().message(),
            "unable to parse mapping file m: it has no line");
}

}  // namespace
}  // namespace gprofhub::analyzer
