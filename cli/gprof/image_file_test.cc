#include "cli/gprof/image_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {

namespace {

using ::testing::ElementsAre;

// "address class name" of each.
std::vector<std::string> Functions(const std::string& text) {
  profile::SymbolTable symbols;
  symbols.functions.resize(1);
  symbols.lines.resize(1);
  UseExternalSymbols(text, symbols);
  EXPECT_TRUE(symbols.lines.empty());
  std::vector<std::string> functions;
  for (const profile::FunctionSymbol& function : symbols.functions) {
    functions.push_back(absl::StrCat(absl::Hex(function.address), function.is_local ? " t " : " T ",
                                     function.name));
  }
  return functions;
}

TEST(UseExternalSymbols, TakesFunctionsByAddressAndKeepsTheOrderOfTwins) {
  EXPECT_THAT(Functions("0000000000401200 T b\n401100 t a.part.0\n0x401200 t twin\n"),
              ElementsAre("401100 t a.part.0", "401200 T b", "401200 t twin"));
}

TEST(UseExternalSymbols, LeavesOutWhatNmSaysOfOthers) {
  EXPECT_THAT(Functions("0000000000401200 T b\n"
                        "                 U time@GLIBC_2.2.5\n"
                        "                 w tx\n"
                        "0000000000404040 D data\n"
                        "0000000000401300 W weak\n"
                        "401400 TT two_letters\n"
                        "nowhere T f\n"
                        "\n"),
              ElementsAre("401200 T b"));
  EXPECT_THAT(Functions(""), ElementsAre());
}

}  // namespace
}  // namespace gprofhub::cli
