#include "profile/code/code_digests.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "profile/elf/read_image.h"

namespace gprofhub::profile {

namespace {

// Digests by function of testdata/program.c, built as `variant` (BUILD.bazel).
std::map<std::string, uint32_t> Digests(const std::string& variant) {
  const std::string path = absl::StrCat("profile/code/program_", variant);
  absl::StatusOr<SymbolTable> symbols = ReadElfSymbols(path);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  if (!symbols.ok()) return {};
  const absl::Status status = AddCodeDigests(path, *symbols);
  EXPECT_TRUE(status.ok()) << status;
  std::map<std::string, uint32_t> digests;
  for (const FunctionSymbol& function : symbols->functions) {
    digests[function.name] = function.code;
  }
  return digests;
}

constexpr const char* kFunctions[] = {"calls_others", "reads_table",   "says_line",   "loops",
                                      "reads_number", "prints_text",   "switches",    "jumps_away",
                                      "writes_state", "calls_library", "masks",       "reads_limit",
                                      "reads_text",   "reads_record",  "reads_chosen"};

// Names of the functions whose digests differ between the plain program and the variant.
std::string Changed(const std::string& variant) {
  const std::map<std::string, uint32_t> plain = Digests("plain"), other = Digests(variant);
  std::string changed;
  for (const char* function : kFunctions) {
    EXPECT_TRUE(plain.contains(function) && plain.at(function) != 0) << function;
    EXPECT_TRUE(other.contains(function) && other.at(function) != 0) << function;
    if (plain.at(function) != other.at(function)) absl::StrAppend(&changed, function, " ");
  }
  return changed;
}

TEST(CodeDigests, AreTheSameWhereverTheLinkerPutsTheCode) {
  EXPECT_EQ(Changed("elsewhere"), "") << "other functions and data stand before";
}

TEST(CodeDigests, LineNumbersInCodeAreNoChange) { EXPECT_EQ(Changed("commented"), ""); }

TEST(CodeDigests, LineNumbersOfItsNeighboursAreNotThoseOfAFunction) {
  EXPECT_EQ(Changed("neighbour"), "")
      << "the functions before and behind masks() stand in line 1075";
}

TEST(CodeDigests, FunctionsThatDoTheSameHaveDifferentOnesIfTheyDiffer) {
  const std::map<std::string, uint32_t> plain = Digests("plain");
  EXPECT_NE(plain.at("calls_others"), plain.at("loops"));
}

TEST(CodeDigests, AnotherCalleeIsAChange) { EXPECT_EQ(Changed("callee"), "calls_others "); }
TEST(CodeDigests, AnotherNumberIsAChange) { EXPECT_EQ(Changed("bound"), "loops "); }
TEST(CodeDigests, AnotherConstantInDataIsAChange) { EXPECT_EQ(Changed("number"), "reads_number "); }
TEST(CodeDigests, AnotherTableIsAChange) { EXPECT_EQ(Changed("table"), "reads_table "); }
TEST(CodeDigests, AnotherInitialValueIsAChange) { EXPECT_EQ(Changed("initial"), "reads_limit "); }
TEST(CodeDigests, AnotherTextBehindAPointerIsAChange) {
  EXPECT_EQ(Changed("pointed"), "reads_text ");
}
TEST(CodeDigests, AnotherRecordThatBeginsWithAPointerIsAChange) {
  EXPECT_EQ(Changed("record"), "reads_record reads_chosen ");
}
TEST(CodeDigests, AnotherTextIsAChange) { EXPECT_EQ(Changed("text"), "prints_text "); }
TEST(CodeDigests, AnotherLibraryFunctionIsAChange) {
  EXPECT_EQ(Changed("library"), "calls_library ");
}

TEST(CodeDigests, AnotherNameOfWhatItRefersToChangesOneHalf) {
  const std::map<std::string, uint32_t> plain = Digests("plain"), other = Digests("renamed");
  const auto is_changed = [&](const char* function, int shift) {
    return (plain.at(function) >> shift & 0xFFFF) != (other.at(function) >> shift & 0xFFFF);
  };
  std::string shapes, names;
  for (const char* function : kFunctions) {
    if (is_changed(function, 16)) absl::StrAppend(&shapes, function, " ");
    if (is_changed(function, 0)) absl::StrAppend(&names, function, " ");
  }
  EXPECT_EQ(shapes, "");
  EXPECT_EQ(names, "calls_others reads_table loops switches jumps_away writes_state ");
}

TEST(CodeDigests, SayWhatMayDifferFromRunToRun) {
  for (const char* kind : {"dynamic", "bound", "static"}) {
    const std::string path = absl::StrCat("profile/code/asks_", kind);
    absl::StatusOr<SymbolTable> symbols = ReadElfSymbols(path);
    ASSERT_TRUE(symbols.ok()) << symbols.status();
    ASSERT_TRUE(AddCodeDigests(path, *symbols).ok());
    std::map<std::string, int> asks;
    for (const FunctionSymbol& function : symbols->functions) asks[function.name] = function.asks;
    const std::map<std::string, int> expected = {
        {"asks_clock", kAsksClock},
        {"asks_clock_at_its_end", kAsksClock},
        {"asks_clock_itself", kAsksClock},
        {"asks_processors", kAsksProcessors},
        {"asks_process", kAsksProcess},
        {"asks_random", kAsksRandom},
        {"asks_process_and_clock", kAsksProcess | kAsksClock},
        {"asks_nothing", 0}};
    for (const auto& [function, bits] : expected) {
      EXPECT_TRUE(asks.contains(function)) << kind;
      EXPECT_EQ(asks[function], bits) << kind << ": " << function;
    }
  }
}

TEST(CodeDigests, OtherArchitecturesAreNotKnown) {
  SymbolTable symbols;
  symbols.architecture = "aarch64";
  symbols.functions.resize(1);
  EXPECT_TRUE(AddCodeDigests("not/read", symbols).ok());
  EXPECT_EQ(symbols.functions[0].code, 0u);
}

TEST(CodeDigests, SymbolsOutsideTheFileHaveNone) {
  absl::StatusOr<SymbolTable> symbols = ReadElfSymbols("profile/code/program_plain");
  ASSERT_TRUE(symbols.ok());
  for (FunctionSymbol& function : symbols->functions) {
    function.address = UINT64_MAX - 8;
    function.size = UINT64_MAX;
  }
  ASSERT_TRUE(AddCodeDigests("profile/code/program_plain", *symbols).ok());
  for (const FunctionSymbol& function : symbols->functions) EXPECT_EQ(function.code, 0u);
}

TEST(CodeDigests, AFileThatIsNoneIsNamed) {
  SymbolTable symbols;
  symbols.architecture = "x86_64";
  const absl::Status status = AddCodeDigests("profile/code/testdata/program.c", symbols);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
}

}  // namespace

}  // namespace gprofhub::profile
