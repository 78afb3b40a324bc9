#include "cli/gprof/debug_dump.h"

#include <gtest/gtest.h>

#include "analyzer/testing/functions.h"
#include "profile/gmon/writer.h"

namespace gprofhub::cli {

namespace {

profile::SymbolTable Symbols() {
  profile::SymbolTable symbols =
      analyzer::FunctionsAt({{0x1000, "main"}, {0x1100, "leaf"}, {0x1200, "idle"}}, 0x1300);
  symbols.architecture = "x86_64";
  symbols.functions[2].is_local = true;
  symbols.files = {"", "src/app.c"};
  symbols.lines = {{0x1000, 1, 3}, {0x1080, 1, 5}, {0x1100, 1, 9}, {0x1300, 0, 0}};
  return symbols;
}

profile::RawProfile Profile() {
  profile::RawProfile profile;
  profile.histograms.emplace_back();
  profile.histograms[0].low_pc = 0x1000;
  profile.histograms[0].high_pc = 0x1300;
  profile.histograms[0].rate = 100;
  profile.histograms[0].bins = {3, 0, 4};
  profile.arcs = {{0x1084, 0x1100, 12}, {0x10, 0x1000, 1}};
  profile.blocks = {{0x1104, 7}};
  return profile;
}

class DebugDumpTest : public testing::Test {
 protected:
  DebugDumpTest() {
    options_.image = "./app";
    options_.symspecs.Add(SymspecTable::kIncludeFlat, "leaf");
    options_.symspecs.Add(SymspecTable::kExcludeTime, "nosuch/main");
    options_.symspecs.Add(SymspecTable::kExcludeArcs, "app.c:/leaf");
    options_.symspecs.Add(SymspecTable::kExcludeArcs, "main");
  }

  std::string OfProgram(unsigned levels) {
    options_.debug = levels;
    return DebugDump(options_, symbols_).OfProgram();
  }
  std::string OfProfile(unsigned levels) {
    options_.debug = levels;
    const absl::StatusOr<std::string> bytes = profile::WriteGmon(profile_);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return DebugDump(options_, symbols_).OfProfile(*bytes, "gmon.1", profile_, calls_out_);
  }

  GprofOptions options_;
  profile::SymbolTable symbols_ = Symbols();
  profile::RawProfile profile_ = Profile();
  std::vector<profile::CallsOut> calls_out_;
};

constexpr char kProfileHead[] =
    "profile gmon.1: gmon version 1, 1 histogram record, 2 arc records, 1 basic-block record\n";
constexpr char kArcs[] =
    "  arc 0x1084 (main) -> 0x1100 (leaf): 12 calls\n"
    "  arc 0x10 (?) -> 0x1000 (main): 1 call\n";

TEST_F(DebugDumpTest, Level128SummarizesTheSymbolTable) {
  EXPECT_EQ(OfProgram(kDumpSymbols),
            "image ./app: x86_64, 8-byte addresses, little-endian, code 0x1000-0x1300\n"
            "  3 symbols (1 local) at 0x1000-0x1200, names from ./app\n"
            "  4 line rows, 1 source file\n"
            "  3 functions in the listings\n");
}

TEST_F(DebugDumpTest, NamesTheFileOfExternalSymbols) {
  options_.external_symbols = "app.sym";
  symbols_.lines.clear();
  EXPECT_EQ(OfProgram(kDumpSymbols),
            "image ./app: x86_64, 8-byte addresses, little-endian, code 0x1000-0x1300\n"
            "  3 symbols (1 local) at 0x1000-0x1200, names from app.sym\n"
            "  3 functions in the listings\n");
}

TEST_F(DebugDumpTest, Level4096CountsTheRowsOfEachSymspec) {
  EXPECT_EQ(OfProgram(kDumpSymspecs),
            "symspec \"leaf\", include in flat profile: 1 row\n"
            "symspec \"nosuch/main\", exclude time: 0 rows\n"
            "symspec \"app.c:/leaf\", exclude arcs: 3 caller rows, 1 callee row\n"
            "symspec \"main\", exclude arcs: not FROM/TO, no effect\n");
}

TEST_F(DebugDumpTest, Level64PrintsHistogramsAndArcs) {
  EXPECT_EQ(OfProfile(kDumpRecords),
            std::string(kProfileHead) +
                "  histogram 0x1000-0x1300: 3 bins, 7 samples, rate 100, dimension seconds (s)\n" +
                kArcs);
}

TEST_F(DebugDumpTest, Level16PrintsArcs) {
  EXPECT_EQ(OfProfile(kDumpArcs), std::string(kProfileHead) + kArcs);
}

TEST_F(DebugDumpTest, Level2048PrintsBasicBlocks) {
  EXPECT_EQ(OfProfile(kDumpBlocks),
            std::string(kProfileHead) + "  block 0x1104 (leaf): 7 executions\n");
}

TEST_F(DebugDumpTest, LinesAreNamedByLine) {
  options_.listing.rows.by_line = true;
  EXPECT_EQ(OfProfile(kDumpBlocks),
            std::string(kProfileHead) + "  block 0x1104 (leaf app.c:9): 7 executions\n");
}

TEST_F(DebugDumpTest, CallsOfOtherModulesAreSummed) {
  calls_out_.push_back({"/lib/libc.so.6", "", {{0x1010, 0x500, 2}, {0x1020, 0x600, 3}}});
  EXPECT_EQ(OfProfile(kDumpArcs),
            std::string(kProfileHead) + kArcs + "  arcs into /lib/libc.so.6: 2 arcs, 5 calls\n");
}

TEST_F(DebugDumpTest, OtherLevelsPrintNothing) {
  constexpr unsigned kOthers =
      ~unsigned{kDumpArcs | kDumpRecords | kDumpSymbols | kDumpBlocks | kDumpSymspecs};
  EXPECT_EQ(OfProgram(kOthers), "");
  EXPECT_FALSE(DebugDump(options_, symbols_).HasProfiles());
}

}  // namespace

}  // namespace gprofhub::cli
