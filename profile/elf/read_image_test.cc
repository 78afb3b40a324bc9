#include "profile/elf/read_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "profile/demangle.h"
#include "profile/gmon/reader.h"
#include "profile/raw_profile.h"
#include "profile/testing/dwarf_builder.h"

namespace gprofhub::profile {

namespace {

using ::testing::HasSubstr;

std::string Path(const std::string& name) { return "profile/testdata/" + name; }

std::string Contents(const std::string& name) {
  std::ifstream file(Path(name), std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

SymbolTable Symbols(const std::string& name, ElfReadOptions options = {}) {
  auto symbols = ReadElfSymbols(Path(name), options);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  return symbols.value_or(SymbolTable());
}

RawProfile Profile(const std::string& name) {
  auto profile = ReadGmon(Contents(name), name);
  EXPECT_TRUE(profile.ok()) << profile.status();
  return profile.value_or(RawProfile());
}

FunctionSymbol Function(const SymbolTable& symbols, const std::string& name) {
  for (const FunctionSymbol& function : symbols.functions) {
    if (function.name == name) return function;
  }
  ADD_FAILURE() << "no symbol " << name;
  return {};
}

bool Has(const SymbolTable& symbols, const std::string& name) {
  return std::any_of(symbols.functions.begin(), symbols.functions.end(),
                     [&](const FunctionSymbol& function) { return function.name == name; });
}

LineRow RowAt(const SymbolTable& symbols, uint64_t address) {
  LineRow found;
  for (const LineRow& row : symbols.lines) {
    if (row.address <= address) found = row;
  }
  return found;
}

class EveryProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryProgram, HasItsFunctionsWithFileAndLine) {
  const SymbolTable symbols = Symbols(GetParam());
  const FunctionSymbol square = Function(symbols, "square");
  EXPECT_TRUE(square.is_local);
  EXPECT_TRUE(square.is_function);
  EXPECT_GT(square.size, 0u);
  EXPECT_EQ(symbols.files[square.file], "profile/testdata/program.c");
  EXPECT_EQ(square.line, 5u);
  EXPECT_EQ(Function(symbols, "main").line, 13u);
  EXPECT_FALSE(Function(symbols, "main").is_local);
  EXPECT_TRUE(std::is_sorted(symbols.functions.begin(), symbols.functions.end(),
                             [](const auto& a, const auto& b) { return a.address < b.address; }));
  EXPECT_EQ(symbols.image_name, GetParam());
  EXPECT_EQ(symbols.build_id.size(), 40u);
}

TEST_P(EveryProgram, HasLabelsThatGprofCountsAsFunctions) {
  const SymbolTable symbols = Symbols(GetParam());
  EXPECT_TRUE(Has(symbols, "_init"));
  EXPECT_TRUE(Has(symbols, "_start"));
  const FunctionSymbol etext = Function(symbols, "etext");
  EXPECT_FALSE(etext.is_function);
  EXPECT_EQ(etext.address, symbols.etext);
  EXPECT_EQ(etext.address, symbols.text_high);
  for (const char* data : {"data_start", "_end", "__bss_start", "program.c"}) {
    EXPECT_FALSE(Has(symbols, data)) << data;
  }
}

TEST_P(EveryProgram, LinesAscendAndCoverTheFunctionsOnly) {
  const SymbolTable symbols = Symbols(GetParam());
  EXPECT_TRUE(std::is_sorted(symbols.lines.begin(), symbols.lines.end(),
                             [](const auto& a, const auto& b) { return a.address < b.address; }));
  const FunctionSymbol main = Function(symbols, "main");
  EXPECT_EQ(RowAt(symbols, main.address).line, 13u);
  EXPECT_EQ(RowAt(symbols, main.address + main.size - 1).line, 20u);
  EXPECT_EQ(RowAt(symbols, main.address + main.size).line, 0u);
  EXPECT_EQ(RowAt(symbols, Function(symbols, "_start").address).line, 0u);
}

TEST_P(EveryProgram, ItsProfileBelongsToIt) {
  const SymbolTable symbols = Symbols(GetParam());
  const RawProfile profile = Profile(GetParam() + ".gmon");
  ASSERT_EQ(profile.histograms.size(), 1u);
  EXPECT_TRUE(CheckBelongs(profile, symbols, "gmon", "image").ok())
      << CheckBelongs(profile, symbols, "gmon", "image");
  uint64_t fibonacci_calls = 0;
  const FunctionSymbol fibonacci = Function(symbols, "fibonacci");
  for (const RawArc& arc : profile.arcs) {
    if (arc.self_pc - fibonacci.address < fibonacci.size) fibonacci_calls += arc.count;
  }
  EXPECT_EQ(fibonacci_calls, 242785u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryProgram, ::testing::Values("pie", "nopie", "dwarf4"),
                         [](const auto& info) { return info.param; });

TEST(ElfSymbols, WithoutLinesThereAreNone) {
  const SymbolTable symbols = Symbols("pie", {.with_lines = false});
  EXPECT_TRUE(symbols.lines.empty());
  EXPECT_EQ(Function(symbols, "main").line, 0u);
  EXPECT_EQ(symbols.files[Function(symbols, "square").file], "program.c");
}

TEST(ElfSymbols, InlinedCodeStandsForTheLineThatCalledIt) {
  ElfReadOptions options;
  options.with_call_lines = true;
  const SymbolTable symbols = Symbols("inlined", options);
  std::vector<uint32_t> lines;
  for (const LineRow& row : symbols.call_lines) {
    if (row.line == 0) continue;
    lines.push_back(row.line);
    EXPECT_THAT(symbols.files[row.file], HasSubstr("inlined.c"));
  }
  ASSERT_FALSE(lines.empty());
  for (const uint32_t line : lines) EXPECT_EQ(line, 9u);
  EXPECT_TRUE(Symbols("inlined").call_lines.empty()) << "not asked for";
}

TEST(ElfSymbols, ToolchainsAreThoseOfTheDebugInformation) {
  ElfReadOptions options;
  options.with_toolchains = true;
  const SymbolTable symbols = Symbols("inlined", options);
  const FunctionSymbol work = Function(symbols, "work");
  EXPECT_THAT(symbols.toolchains[work.toolchain], HasSubstr("gcc "));
  EXPECT_THAT(symbols.toolchains[work.toolchain], HasSubstr(" -O1"));
  EXPECT_TRUE(work.never_inlined);
  EXPECT_EQ(Function(symbols, "_start").toolchain, 0u) << "has no unit";
  EXPECT_EQ(Symbols("inlined").toolchains.size(), 1u) << "not asked for";
}

TEST(ElfSymbols, InlinedFunctionsAreOfTheFunctionThatHasTheirCode) {
  ElfReadOptions options;
  options.with_toolchains = true;
  const SymbolTable symbols = Symbols("inlined", options);
  const InlinedFunction wrap = {Function(symbols, "main").address, NameHash("wrap")};
  EXPECT_THAT(symbols.inlined, ::testing::ElementsAre(wrap));
  EXPECT_TRUE(Symbols("inlined").inlined.empty()) << "not asked for";
  EXPECT_TRUE(Symbols("nodebug", options).inlined.empty());
}

TEST(ElfSymbols, ToolchainsAreThoseOfTheCommentWithoutDebugInformation) {
  ElfReadOptions options;
  options.with_toolchains = true;
  const SymbolTable symbols = Symbols("nodebug", options);
  const FunctionSymbol main = Function(symbols, "main");
  EXPECT_THAT(symbols.toolchains[main.toolchain], HasSubstr("gcc "));
  EXPECT_FALSE(main.never_inlined);
}

TEST(ElfSymbols, ProgramWithoutDebugInformationOrBuildId) {
  const SymbolTable symbols = Symbols("nodebug");
  EXPECT_TRUE(symbols.lines.empty());
  EXPECT_EQ(symbols.build_id, "");
  EXPECT_TRUE(Has(symbols, "main"));
}

TEST(ElfSymbols, SourceFilesWithTheirDirectory) {
  for (const char* program : {"pie", "dwarf4"}) {
    const SymbolTable symbols = Symbols(program, {.absolute_files = true});
    const std::string& file = symbols.files[Function(symbols, "square").file];
    EXPECT_THAT(file, ::testing::StartsWith("/")) << program;
    EXPECT_THAT(file, ::testing::EndsWith("/profile/testdata/program.c")) << program;
  }
}

TEST(ElfSymbols, CompressedDebugInformation) {
  const ElfReadOptions all = {
      .with_call_lines = true, .with_scopes = true, .with_toolchains = true};
  const SymbolTable plain = Symbols("pie", all);
  for (const char* program : {"compressed", "zstd", "moved_zstd"}) {
    const SymbolTable symbols = Symbols(program, all);
    EXPECT_EQ(Function(symbols, "main").line, 13u) << program;
    EXPECT_EQ(symbols.lines.size(), plain.lines.size()) << program;
    EXPECT_EQ(symbols.scopes.size(), plain.scopes.size()) << program;
    EXPECT_EQ(symbols.toolchains.size(), plain.toolchains.size()) << program;
  }
}

TEST(ElfSymbols, LineTableWithoutUnits) {
  const SymbolTable symbols = Symbols(
      "table_only", {.with_call_lines = true, .with_scopes = true, .with_toolchains = true});
  EXPECT_EQ(Function(symbols, "main").line, 13u);
  EXPECT_THAT(symbols.files[Function(symbols, "square").file],
              ::testing::EndsWith("profile/testdata/program.c"));
  EXPECT_EQ(symbols.lines.size(), Symbols("pie").lines.size());
  EXPECT_TRUE(symbols.scopes.empty());
  EXPECT_TRUE(symbols.call_lines.empty());
}

TEST(ElfSymbols, DebugInformationInAFileOfItsOwnFoundByLink) {
  const SymbolTable symbols = Symbols("moved", {.with_scopes = true});
  const SymbolTable whole = Symbols("pie", {.with_scopes = true});
  EXPECT_EQ(symbols.files[Function(symbols, "square").file], "profile/testdata/program.c");
  EXPECT_EQ(Function(symbols, "square").line, 5u);
  EXPECT_EQ(symbols.lines.size(), whole.lines.size());
  EXPECT_EQ(symbols.scopes.size(), whole.scopes.size());
}

// A separate folder with the program `moved` only.
std::string FolderWithMoved(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(Path("moved"), folder + "/moved",
                             std::filesystem::copy_options::overwrite_existing);
  return folder;
}

TEST(ElfSymbols, DebugInformationInAFileOfItsOwnFoundByBuildId) {
  const std::string folder = FolderWithMoved("by_build_id");
  EXPECT_TRUE(ReadElfSymbols(folder + "/moved")->lines.empty());
  const std::string build_id = Symbols("moved").build_id;
  const std::string place = folder + "/.debug/.build-id/" + build_id.substr(0, 2);
  std::filesystem::create_directories(place);
  std::filesystem::copy_file(Path("moved.debug"), place + "/" + build_id.substr(2) + ".debug");
  const auto symbols = ReadElfSymbols(folder + "/moved");
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(Function(*symbols, "square").line, 5u);
  std::filesystem::remove_all(folder);
}

TEST(ElfSymbols, DebugInformationOfAnotherBuildIsNotTaken) {
  const std::string folder = FolderWithMoved("other_build");
  std::filesystem::copy_file(Path("dwarf4"), folder + "/moved.debug",
                             std::filesystem::copy_options::overwrite_existing);
  const auto symbols = ReadElfSymbols(folder + "/moved");
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_TRUE(symbols->lines.empty());
  std::filesystem::remove_all(folder);
}

// Of other machines, made by tests/fuzz/make_elf_corpus.sh.
struct ForeignProgram {
  const char* name;
  const char* architecture;
  int address_size;
  bool big_endian;
};

class ForeignPrograms : public ::testing::TestWithParam<ForeignProgram> {};

TEST_P(ForeignPrograms, HaveTheirFunctionsWithFileAndLine) {
  const auto symbols =
      ReadElfSymbols(std::string("tests/fuzz/corpus/elf_symbols/") + GetParam().name);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->architecture, GetParam().architecture);
  EXPECT_EQ(symbols->address_size, GetParam().address_size);
  EXPECT_EQ(symbols->big_endian, GetParam().big_endian);
  const FunctionSymbol twice = Function(*symbols, "twice");
  EXPECT_EQ(twice.line, 2u);
  EXPECT_EQ(symbols->files[twice.file], "a.c");
  EXPECT_TRUE(Function(*symbols, "square").is_local);
}

INSTANTIATE_TEST_SUITE_P(All, ForeignPrograms,
                         ::testing::Values(ForeignProgram{"x86_64-dwarf5", "x86_64", 8, false},
                                           ForeignProgram{"x86_64-dwarf4", "x86_64", 8, false},
                                           ForeignProgram{"i386-dwarf5", "i386", 4, false},
                                           ForeignProgram{"powerpc-dwarf4", "ppc", 4, true},
                                           ForeignProgram{"mips64-dwarf4", "mips", 8, true},
                                           ForeignProgram{"aarch64-dwarf5", "aarch64", 8, false},
                                           ForeignProgram{"aarch64-compressed", "aarch64", 8,
                                                          false}));

// Of the old ABI of 64-bit PowerPC: the symbol table leads to descriptors in .opd.
// A program with a function at 0x8000 and a label at 0x8011.
SymbolTable SymbolsOfMachine(uint16_t machine) {
  ElfBuilder elf(ELFCLASS32, ELFDATA2LSB, machine);
  elf.Add({".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x8000, std::string(64, '\0')});
  elf.Add({".symtab", SHT_SYMTAB, 0, 0,
           elf.Symbol(1, 0x8001, 1) +
               elf.Symbol(7, 0x8011, 1, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)) +
               elf.Symbol(13, 0x8020, 1),
           3});
  elf.Add({".strtab", SHT_STRTAB, 0, 0, std::string("\0thumb\0label\0arm\0", 17)});
  const auto symbols = ReadElfSymbolsFromBytes(elf.Bytes(), "program", {.with_lines = false});
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  return symbols.value_or(SymbolTable());
}

TEST(ElfSymbols, ThumbFunctionsBeginAtTheirFirstByte) {
  const SymbolTable arm = SymbolsOfMachine(EM_ARM);
  EXPECT_EQ(Function(arm, "thumb").address, 0x8000u);
  EXPECT_EQ(Function(arm, "label").address, 0x8011u);
  EXPECT_EQ(Function(arm, "arm").address, 0x8020u);
  EXPECT_EQ(Function(SymbolsOfMachine(EM_386), "thumb").address, 0x8001u);
}

TEST(ElfSymbols, FunctionsBehindDescriptors) {
  const auto symbols = ReadElfSymbols("tests/fuzz/corpus/elf_symbols/powerpc64-elfv1");
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->architecture, "ppc64");
  const FunctionSymbol twice = Function(*symbols, ".twice");
  EXPECT_TRUE(twice.is_function);
  EXPECT_GE(twice.address, symbols->text_low);
  EXPECT_LT(twice.address, symbols->text_high);
  EXPECT_EQ(twice.line, 2u);
  const FunctionSymbol square = Function(*symbols, ".square");
  EXPECT_TRUE(square.is_local);
  EXPECT_EQ(symbols->files[square.file], "a.c");
  EXPECT_EQ(symbols->functions.size(), 3u);
  EXPECT_TRUE(symbols->weak_labels.empty());
}

TEST(ElfSymbols, DescriptorsThatLeadNowhereAreNoFunctions) {
  std::ifstream file("tests/fuzz/corpus/elf_symbols/powerpc64-elfv1", std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  std::string bytes = content.str();
  // Offset of the code's address, in the first of .opd's descriptors.
  constexpr size_t kHighestByte = 0x278;
  ASSERT_EQ(bytes.substr(kHighestByte, 5), std::string("\0\0\0\0\x10", 5));
  bytes[kHighestByte] = 1;
  const auto symbols = ReadElfSymbolsFromBytes(bytes, "changed");
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_FALSE(Has(*symbols, ".twice"));
  EXPECT_TRUE(Has(*symbols, ".square"));
}

TEST(ElfSymbols, BuildIdAlone) {
  auto build_id = ReadElfBuildId(Path("pie"));
  ASSERT_TRUE(build_id.ok()) << build_id.status();
  EXPECT_EQ(*build_id, Symbols("pie").build_id);
}

TEST(ElfSymbols, StrippedProgram) {
  auto symbols = ReadElfSymbols(Path("stripped"));
  EXPECT_EQ(symbols.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(symbols.status().message()), HasSubstr("testdata/stripped"));
  EXPECT_THAT(std::string(symbols.status().message()), HasSubstr("--strip=never"));
}

TEST(ElfSymbols, StrippedProgramThatMayBe) {
  ElfReadOptions options;
  options.may_be_stripped = true;
  const auto symbols = ReadElfSymbols(Path("stripped"), options);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_TRUE(symbols->functions.empty());
  EXPECT_NE(symbols->text_high, 0);
}

std::vector<std::string> LibraryFunctions(const std::string& name, ElfReadOptions options = {}) {
  const SymbolTable symbols = Symbols(name, options);
  const SymbolTable whole = Symbols("library_full.so");
  std::vector<std::string> names;
  for (const FunctionSymbol& function : symbols.functions) {
    if (function.name.find("_sum") == std::string::npos && function.name != "hidden_step") continue;
    names.push_back(function.name);
    // At its address in the library before stripping.
    for (const FunctionSymbol& same : whole.functions) {
      if (same.name == function.name) {
        EXPECT_EQ(same.address, function.address) << same.name;
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(ElfSymbols, StrippedLibraryHasTheNamesOfItsMiniSymbols) {
  const std::vector<std::string> all = {"exported_sum", "hidden_step", "hidden_sum"};
  EXPECT_EQ(LibraryFunctions("library_full.so"), all);
  EXPECT_EQ(LibraryFunctions("library_mini.so"), all);
}

// Even if no lines are read.
TEST(ElfSymbols, StrippedLibraryHasTheNamesOfItsDebugFile) {
  const std::vector<std::string> all = {"exported_sum", "hidden_step", "hidden_sum"};
  ElfReadOptions without_lines;
  without_lines.with_lines = false;
  EXPECT_EQ(LibraryFunctions("library_bare.so", without_lines), all);
  EXPECT_EQ(LibraryFunctions("library_bare.so"), all);
}

TEST(ElfSymbols, ObjectFile) {
  EXPECT_THAT(std::string(ReadElfSymbols(Path("object.o")).status().message()),
              HasSubstr("not a linked program"));
}

TEST(ElfSymbols, NotAnElfFile) {
  auto symbols = ReadElfSymbols(Path("pie.gmon"));
  EXPECT_EQ(symbols.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(symbols.status().message()), HasSubstr("not an ELF file"));
}

TEST(ElfSymbols, MissingFile) {
  EXPECT_EQ(ReadElfSymbols(Path("none")).status().code(), absl::StatusCode::kNotFound);
}

TEST(ElfSymbols, EveryCutGivesAnError) {
  const std::string bytes = Contents("pie");
  for (size_t size = 0; size < bytes.size(); size += 61) {
    EXPECT_FALSE(ReadElfSymbolsFromBytes(bytes.substr(0, size), "cut").ok()) << size;
  }
}

TEST(ElfSymbols, EveryChangedHeaderByteGivesAResultOrAnError) {
  const std::string bytes = Contents("pie");
  int errors = 0;
  for (size_t at = 0; at < 64; ++at) {
    for (const int flip : {1, 128, 255}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      errors += !ReadElfSymbolsFromBytes(changed, "changed").ok();
    }
  }
  EXPECT_GE(errors, 3 * 4);
}

// Texts that the errors of a mismatch contain.
void ExpectMismatch(const RawProfile& profile, const SymbolTable& symbols,
                    const std::string& what) {
  const absl::Status status = CheckBelongs(profile, symbols, "t/gmon.out", "t/program");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  for (const std::string& part : {std::string("t/gmon.out"), std::string("t/program"), what}) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(part));
  }
}

TEST(ImageCheck, ProfileOfAPositionIndependentProgramAndOneThatIsNot) {
  ExpectMismatch(Profile("pie.gmon"), Symbols("nopie"), "lead outside");
  ExpectMismatch(Profile("nopie.gmon"), Symbols("pie"), "its histogram covers [0x40");
}

TEST(ImageCheck, OnlyAPieceWithoutSamplesMayLieBeforeTheCode) {
  SymbolTable symbols;
  symbols.text_low = 0x7e48;
  symbols.text_high = 0x9000;
  RawProfile profile;
  profile.histograms.push_back({0, 0x1000, 250, "seconds", 's', {0, 0}});
  profile.histograms.push_back({0x7000, 0x8000, 250, "seconds", 's', {0, 3}});
  EXPECT_TRUE(CheckBelongs(profile, symbols, "gmon", "image").ok());
  profile.histograms[0].bins[1] = 1;
  ExpectMismatch(profile, symbols, "its histogram covers [0, 0x1000)");
}

TEST(ImageCheck, ArcsOutsideTheImage) {
  RawProfile profile = Profile("nopie.gmon");
  profile.histograms.clear();
  ExpectMismatch(profile, Symbols("pie"), "lead outside");
}

TEST(ImageCheck, ArcsIntoTheMiddleOfFunctions) {
  SymbolTable symbols;
  symbols.text_low = 0x1000;
  symbols.text_high = 0x9000;
  RawProfile profile;
  for (uint64_t i = 0; i < 8; ++i) {
    FunctionSymbol function;
    function.address = 0x1000 + 0x1000 * i;
    function.size = 0x1000;
    symbols.functions.push_back(function);
    profile.arcs.push_back({0x1000, function.address + 12, 1});
  }
  EXPECT_TRUE(CheckBelongs(profile, symbols, "gmon", "image").ok());
  for (RawArc& arc : profile.arcs) arc.self_pc += 0x400;
  ExpectMismatch(profile, symbols, "only 0 of 8 checked arcs");
  // The program may nevertheless be the one that ran.
  ExpectMismatch(profile, symbols, "-mfentry");
  EXPECT_THAT(std::string(CheckBelongs(profile, symbols, "gmon", "image").message()),
              testing::Not(HasSubstr("does not belong")));
}

TEST(ImageCheck, FunctionsInlinedWithTheirCallsOfMcount) {
  SymbolTable symbols;
  symbols.text_low = 0x1000;
  symbols.text_high = 0x9000;
  FunctionSymbol function;
  function.address = 0x2000;
  function.size = 0x100;
  function.name = "outer";
  function.is_function = true;
  symbols.functions.push_back(function);
  RawProfile profile;
  profile.arcs = {{0x1000, 0x2000, 1}, {0x1000, 0x2009, 1}, {0x1010, 0x2009, 3}};
  EXPECT_TRUE(CheckBelongs(profile, symbols, "gmon", "image").ok());
  profile.arcs.push_back({0x2020, 0x2021, 60});
  ExpectMismatch(profile, symbols, "at several places in outer of t/program");
  ExpectMismatch(profile, symbols, "-mfentry");
}

TEST(ReadElfSymbols, FindsReturnsToBlocksThatFunctionsShare) {
  // Unoptimised functions are not aligned.
  const SymbolTable symbols = Symbols("pie");
  const auto owner_before = [&](uint64_t address) {
    std::string name;
    for (const FunctionSymbol& function : symbols.functions) {
      if (function.is_function && function.address < address) name = function.name;
    }
    return name;
  };
  constexpr uint64_t kBlock = 16;
  std::map<uint64_t, std::set<std::string>> callers;  // by block
  for (const SharedReturn& one : symbols.shared_returns) {
    callers[one.address - one.address % kBlock].insert(owner_before(one.address));
    EXPECT_TRUE(one.callee == 0 ||
                Function(symbols, owner_before(one.callee + 1)).address == one.callee);
  }
  EXPECT_FALSE(callers.empty());
  for (const auto& [block, names] : callers) {
    EXPECT_NE(names, std::set<std::string>{owner_before(block + 1)}) << block;
  }
}

}  // namespace

}  // namespace gprofhub::profile
