#include "profile/elf/symbol_classes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gprofhub::profile {
namespace {

const ClassedSymbol* Find(const ClassedSymbols& classed, const std::string& name) {
  const auto found = std::find_if(classed.symbols.begin(), classed.symbols.end(),
                                  [&](const ClassedSymbol& symbol) { return symbol.name == name; });
  return found == classed.symbols.end() ? nullptr : &*found;
}

char ClassOf(const ClassedSymbols& classed, const std::string& name) {
  const ClassedSymbol* symbol = Find(classed, name);
  return symbol == nullptr ? '?' : symbol->symbol_class;
}

TEST(SymbolClasses, AreNmsLetters) {
  const auto classed = ReadClassedSymbols("profile/testdata/nopie");
  ASSERT_TRUE(classed.ok()) << classed.status();
  EXPECT_EQ(ClassOf(*classed, "main"), 'T');
  EXPECT_EQ(ClassOf(*classed, "square"), 't');
  EXPECT_EQ(ClassOf(*classed, "data_start"), 'W');
  EXPECT_EQ(ClassOf(*classed, "__data_start"), 'D');
  EXPECT_EQ(ClassOf(*classed, "_IO_stdin_used"), 'R');
  EXPECT_EQ(ClassOf(*classed, "_end"), 'B');
  EXPECT_EQ(ClassOf(*classed, "_DYNAMIC"), 'd');
  EXPECT_EQ(ClassOf(*classed, "__FRAME_END__"), 'r');
  EXPECT_EQ(ClassOf(*classed, "completed.0"), 'b');
  const ClassedSymbol* file = Find(*classed, "program.c");
  ASSERT_NE(file, nullptr);
  EXPECT_TRUE(file->is_file);
  EXPECT_EQ(file->symbol_class, 0);
}

TEST(SymbolClasses, PlaceSymbolsInTheirSections) {
  const auto classed = ReadClassedSymbols("profile/testdata/nopie");
  ASSERT_TRUE(classed.ok()) << classed.status();
  const ClassedSymbol* function = Find(*classed, "main");
  ASSERT_NE(function, nullptr);
  EXPECT_TRUE(function->in_text);
  EXPECT_EQ(function->offset, function->address - classed->text_address);
  EXPECT_LT(function->offset, classed->text_size);
}

TEST(SymbolClasses, MissingFile) {
  EXPECT_EQ(ReadClassedSymbols("profile/testdata/none").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gprofhub::profile
