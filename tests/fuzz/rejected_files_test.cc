// Cost of a rejected file to the whole program:
//   - Its peak of resident memory is at most twice the file and a megabyte above the peak for a
//     tiny file. All that elfutils and zlib take is counted.
//   - It takes at most a second of processor time for each megabyte begun, and one more. Processor
//     time does not grow with the machine's load.
//   - No file ends it by a signal.
//
// Some files are found damaged late, when sound parts have been read: the symbols of a program
// whose DWARF is damaged, the first of two profiles. Such files are not among these
// (docs/gprof.md).

#include <elf.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/fuzz/hostile_files.h"

namespace gprofhub::tests {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;
const std::string kHuge(4, '\xff');
const std::string kLarge("\0\xff\xff\0", 4);
constexpr char kProgram[] = "x86_64-dwarf5";

#if defined(__clang__)
#define GPROFHUB_HAS_ASAN __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define GPROFHUB_HAS_ASAN 1
#else
#define GPROFHUB_HAS_ASAN 0
#endif
#if GPROFHUB_HAS_ASAN
// Sanitizers quarantine freed memory, and have a shadow for all memory.
constexpr bool kMemoryIsMeasured = false;
#else
constexpr bool kMemoryIsMeasured = true;
#endif

std::string SeedPath(const std::string& name) { return "tests/fuzz/corpus/" + name; }
std::string ElfPath(const std::string& name) { return SeedPath("elf_symbols/" + name); }
std::string GmonPath(const std::string& name) { return SeedPath("gmon_reader/" + name); }

// Placeholder of the hostile file in a command.
std::string HostilePath() { return ::testing::TempDir() + "/hostile"; }
std::string ErrorsPath() { return ::testing::TempDir() + "/errors"; }

using Command = std::vector<std::string>;

Command GprofOfImage() { return {"gprof", "-b", "-l", HostilePath(), GmonPath("64-little")}; }
Command GprofOfProfile(const std::string& image = kProgram) {
  return {"gprof", "-b", ElfPath(image), HostilePath()};
}
Command Info() { return {"info", HostilePath()}; }
Command Gmon() { return {"gmon", "--output-dir", ::testing::TempDir() + "/gmon", HostilePath()}; }

std::string Quoted(const std::string& text) {
  return "'" + absl::StrReplaceAll(text, {{"'", "'\\''"}}) + "'";
}

struct Outcome {
  int status = -1;  // as wait() has it
  size_t peak_bytes = 0;
  std::string errors;

  bool Rejected() const { return WIFEXITED(status) && WEXITSTATUS(status) != 0; }
};

Outcome RunMeasured(const Command& command, size_t cpu_seconds) {
  std::string line = absl::StrCat("tests/fuzz/measured_run ", cpu_seconds, " ",
                                  Quoted(ErrorsPath()), " cli/gprofhub");
  for (const std::string& argument : command) absl::StrAppend(&line, " ", Quoted(argument));
  Outcome outcome;
  size_t peak_kib = 0;
  FILE* const output = popen(line.c_str(), "r");
  if (output == nullptr || fscanf(output, "%d %zu", &outcome.status, &peak_kib) != 2) {
    ADD_FAILURE() << "measured_run does not run: " << line.substr(0, 300);
  }
  if (output != nullptr) pclose(output);
  outcome.peak_bytes = peak_kib * 1024;
  std::ifstream errors(ErrorsPath());
  std::getline(errors, outcome.errors);
  return outcome;
}

void WriteHostile(const std::string& bytes) {
  std::ofstream(HostilePath(), std::ios::binary | std::ios::trunc) << bytes;
}

class RejectedFiles : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    gprof_ = 0;
    others_ = 0;
    const std::string recording = RecordingWithPages(1);
    for (const std::string& tiny : {std::string("tiny"), recording}) {
      WriteHostile(tiny);
      for (const Command& command : {Info(), Gmon()}) {
        others_ = std::max(others_, RunMeasured(command, 5).peak_bytes);
      }
      gprof_ = std::max(gprof_, RunMeasured(GprofOfProfile(), 5).peak_bytes);
    }
    for (const char* seed : {kProgram, "aarch64-compressed", "powerpc-dwarf4"}) {
      WriteHostile(Seed(std::string("elf_symbols/") + seed));
      gprof_ = std::max(gprof_, RunMeasured(GprofOfImage(), 5).peak_bytes);
    }
  }

  // Whether the program rejects the file.
  static bool Check(const std::string& what, const std::string& bytes, const Command& command) {
    WriteHostile(bytes);
    return CheckRun(what, bytes.size(), command);
  }

  static bool CheckRun(const std::string& what, size_t size, const Command& command) {
    const Outcome outcome = RunMeasured(command, 2 + size / kMegabyte);
    EXPECT_TRUE(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) < 126)
        << what << ": status " << outcome.status << ": " << outcome.errors;
    if (!outcome.Rejected()) return false;
    EXPECT_FALSE(outcome.errors.empty()) << what;
    if (kMemoryIsMeasured) {
      const size_t baseline = command.front() == "gprof" ? gprof_ : others_;
      EXPECT_LE(outcome.peak_bytes, baseline + 2 * size + kMegabyte)
          << what << ": " << outcome.peak_bytes - baseline << " bytes more for a file of " << size
          << ": " << outcome.errors;
    }
    return true;
  }

  // Cuts a seed in `pieces` places.
  static void CheckCuts(const std::string& seed, size_t pieces, const Command& command) {
    const std::string bytes = Seed(seed);
    int rejected = 0;
    for (size_t i = 0; i < pieces; ++i) {
      const size_t size = bytes.size() * i / pieces;
      rejected += Check(absl::StrCat(seed, " cut at ", size), bytes.substr(0, size), command);
    }
    EXPECT_GT(rejected, 0) << seed;
  }

  // Writes a number, the same in both byte orders, into every word from `begin` to `end`.
  static void CheckClaims(const std::string& seed, size_t begin, size_t end,
                          const std::string& number, const Command& command) {
    const std::string bytes = Seed(seed);
    int rejected = 0;
    for (size_t at = begin; at + number.size() <= std::min(end, bytes.size()); at += 4) {
      std::string changed = bytes;
      changed.replace(at, number.size(), number);
      rejected += Check(absl::StrCat(seed, " with a large number at ", at), changed, command);
    }
    EXPECT_GT(rejected, 0) << seed;
  }

  static void CheckRejected(const std::string& what, const std::string& bytes,
                            const Command& command) {
    EXPECT_TRUE(Check(what, bytes, command)) << what;
  }

  static size_t gprof_, others_;  // peak for tiny files, in bytes
};
size_t RejectedFiles::gprof_ = 0;
size_t RejectedFiles::others_ = 0;

TEST_F(RejectedFiles, CutPrograms) {
  for (const char* seed : {"x86_64-dwarf5", "x86_64-dwarf4", "i386-dwarf5", "powerpc-dwarf4",
                           "mips64-dwarf4", "aarch64-compressed"}) {
    CheckCuts(absl::StrCat("elf_symbols/", seed), 40, GprofOfImage());
  }
}

TEST_F(RejectedFiles, CutProfiles) {
  CheckCuts("gmon_reader/64-little", 66, GprofOfProfile());
  CheckCuts("gmon_reader/64-big", 66, GprofOfProfile("mips64-dwarf4"));
  CheckCuts("gmon_reader/32-little", 50, GprofOfProfile("i386-dwarf5"));
  CheckCuts("gmon_reader/32-big", 50, GprofOfProfile("powerpc-dwarf4"));
  CheckCuts("gmon_reader/bsd44", 34, GprofOfProfile());
}

TEST_F(RejectedFiles, CutRecordings) {
  for (const char* seed : {"orderly_with_stacks", "counters_in_the_text"}) {
    CheckCuts(absl::StrCat("recording_reader/", seed), 40, GprofOfProfile());
    CheckCuts(absl::StrCat("recording_reader/", seed), 12, Info());
    CheckCuts(absl::StrCat("recording_reader/", seed), 12, Gmon());
  }
}

TEST_F(RejectedFiles, ProgramsThatClaimMuch) {
  for (const char* name : {kProgram, "powerpc-dwarf4", "aarch64-compressed"}) {
    const std::string seed = absl::StrCat("elf_symbols/", name);
    const size_t size = Seed(seed).size();
    for (const std::string& number : {kHuge, kLarge}) {
      CheckClaims(seed, 0, 64, number, GprofOfImage());
      CheckClaims(seed, size - 768, size, number, GprofOfImage());  // section headers
    }
  }
  // DWARF and symbols.
  CheckClaims("elf_symbols/aarch64-compressed", 64, 4096, kHuge, GprofOfImage());
}

TEST_F(RejectedFiles, ProfilesThatClaimMuch) {
  for (const std::string& number : {kHuge, kLarge}) {
    CheckClaims("gmon_reader/64-little", 0, 4096, number, GprofOfProfile());
    CheckClaims("gmon_reader/32-big", 0, 4096, number, GprofOfProfile("powerpc-dwarf4"));
    CheckClaims("gmon_reader/bsd44", 0, 4096, number, GprofOfProfile());
  }
}

TEST_F(RejectedFiles, RecordingsThatClaimMuch) {
  const std::string seed = "recording_reader/orderly_with_stacks";
  for (const std::string& number : {kHuge, kLarge}) {
    CheckClaims(seed, 0, 192, number, GprofOfProfile());
    CheckClaims(seed, 4096, 4096 + 512, number, GprofOfProfile());
  }
  CheckClaims(seed, 4096, 4096 + 256, kHuge, Info());
}

TEST_F(RejectedFiles, MoreSectionsThanAnyProgramHas) {
  const std::string elf = Seed(std::string("elf_symbols/") + kProgram);
  for (const uint64_t count : {1000, 5000, 60000, 200000}) {
    CheckRejected(absl::StrCat(count, " sections"), ElfWithSectionCount(elf, count),
                  GprofOfImage());
  }
}

TEST_F(RejectedFiles, DebugSectionsThatClaimToInflate) {
  const std::string elf = Seed(std::string("elf_symbols/") + kProgram);
  const std::string zeros(20 * kMegabyte, '\0');
  for (const std::string section : {".debug_line", ".debug_info"}) {
    for (const uint64_t claim : {uint64_t{8} << 20, uint64_t{1} << 30, uint64_t{1} << 60}) {
      CheckRejected(absl::StrCat(section, " claims ", claim, " bytes"),
                    ElfWithSection(elf, section, CompressedSection(claim, "few"), SHF_COMPRESSED),
                    GprofOfImage());
    }
    CheckRejected(
        section + " does inflate to much",
        ElfWithSection(elf, section, CompressedSection(zeros.size(), zeros), SHF_COMPRESSED),
        GprofOfImage());
    const std::string noise = Noise(kMegabyte);
    CheckRejected(
        section + " claims twenty times what it has",
        ElfWithSection(elf, section, CompressedSection(20 * kMegabyte, noise), SHF_COMPRESSED),
        GprofOfImage());
    CheckRejected(section + " is noise", ElfWithSection(elf, section, noise), GprofOfImage());
  }
  const std::string old =
      ElfWithSection(elf, ".debug_line", OldCompressedSection(uint64_t{1} << 30, "few"));
  CheckRejected(".zdebug_line claims a gigabyte",
                ElfWithSectionRenamed(old, ".debug_line", ".zdebug_line"), GprofOfImage());
}

TEST_F(RejectedFiles, DebugSectionsThatInflateAsTheyClaim) {
  const std::string elf = Seed(std::string("elf_symbols/") + kProgram) + Noise(200000);
  const std::string zeros(3 * kMegabyte, '\0');
  const auto with_claim = [&](uint64_t claim) {
    return ElfWithSection(elf, ".debug_str", CompressedSection(claim, zeros), SHF_COMPRESSED);
  };
  EXPECT_FALSE(Check("sound", with_claim(zeros.size()), GprofOfImage()));
  CheckRejected("one byte too few", with_claim(zeros.size() - 1), GprofOfImage());
  CheckRejected("one byte too many", with_claim(zeros.size() + 1), GprofOfImage());
}

TEST_F(RejectedFiles, DwarfThatWouldTakeTheSquareOfItsSize) {
  const std::string elf = Seed(std::string("elf_symbols/") + kProgram);
  const auto with = [&](const std::string& abbreviations, const std::string& units) {
    return ElfWithSection(ElfWithSection(elf, ".debug_abbrev", abbreviations), ".debug_info",
                          units);
  };
  constexpr uint64_t kAbbreviations = 30000;
  for (const uint64_t code : {kAbbreviations, kAbbreviations + 1}) {
    CheckRejected("each unit reads one large table",
                  with(Abbreviations(kAbbreviations), DwarfUnits(3000, code, 0)), GprofOfImage());
  }
  Check("each line table of no unit",
        ElfWithSection(with(Abbreviations(1), DwarfUnits(20000, 1, 1500)), ".debug_line",
                       LineTables(20000)),
        GprofOfImage());
}

TEST_F(RejectedFiles, SymbolsOfAProgramWhoseDebugInformationIsDamaged) {
  const std::string elf = Seed(std::string("elf_symbols/") + kProgram);
  const std::string names("\0function", 10);
  for (const size_t symbols : {10000, 300000}) {
    const std::string with_symbols = ElfWithSymbols(elf, symbols, names);
    const std::string lines = LineTables(1) + "damage";
    const std::string units = DwarfUnits(10, 1, 0) + "damage";
    CheckRejected(absl::StrCat(symbols, " symbols, lines"),
                  ElfWithSection(with_symbols, ".debug_line", lines), GprofOfImage());
    CheckRejected(absl::StrCat(symbols, " symbols, units"),
                  ElfWithSection(with_symbols, ".debug_info", units), GprofOfImage());
    CheckRejected(absl::StrCat(symbols, " symbols, ranges"),
                  ElfWithSharedRanges(with_symbols, 8000, 8000), GprofOfImage());
  }
}

TEST_F(RejectedFiles, LongLineTablesAndManyUnitsDamagedAtTheirEnd) {
  const std::string elf = Seed(std::string("elf_symbols/") + kProgram);
  for (const char row : {'\1', '\x20'}) {  // an instruction
    const std::string rows(2 * kMegabyte, row);
    CheckRejected(absl::StrCat("rows of ", int{row}),
                  ElfWithSection(elf, ".debug_line", LineTables(1, rows) + "damage"),
                  GprofOfImage());
  }
  CheckRejected("tables", ElfWithSection(elf, ".debug_line", LineTables(100000) + "damage"),
                GprofOfImage());
  CheckRejected("units",
                ElfWithSection(ElfWithSection(elf, ".debug_abbrev", Abbreviations(1)),
                               ".debug_info", DwarfUnits(200000, 1, 0) + "damage"),
                GprofOfImage());
}

// Strings that begin one byte after the other in one long string.
TEST_F(RejectedFiles, NamesThatAreTheEndsOfOneAnother) {
  const std::string elf = Seed(std::string("elf_symbols/") + kProgram);
  const std::string names = '\0' + std::string(kMegabyte, 'a') + '\0';
  CheckRejected("of symbols", ElfWithSymbols(elf, 40000, names), GprofOfImage());
  CheckRejected("of sections",
                ElfWithSection(ElfWithSectionCount(elf, 1000), ".shstrtab",
                               std::string(kMegabyte, 'a') + '\0'),
                GprofOfImage());
  // Not rejected: what is too much is not named.
  Check("of functions", ElfWithNamedRanges(elf, 40000, names), GprofOfImage());
}

TEST_F(RejectedFiles, DwarfThatNamesTheSameRangesAgainAndAgain) {
  const std::string elf = Seed(std::string("elf_symbols/") + kProgram);
  for (const size_t count : {8000, 80000}) {
    CheckRejected(absl::StrCat(count, " times the same ", count, " ranges"),
                  ElfWithSharedRanges(elf, count, count), GprofOfImage());
  }
}

// Not rejected: what nests so is passed over.
TEST_F(RejectedFiles, DwarfThatIsReadOftenerThanItNests) {
  const std::string elf = Seed(std::string("elf_symbols/") + kProgram);
  std::string deep;
  for (int i = 0; i < 390; ++i) deep += kBegin;
  for (size_t i = 0; i < kMegabyte; ++i) deep += kLeaf;
  Check("many entries behind 390 others", ElfWithEntries(elf, deep), GprofOfImage());
  std::string twice;
  for (int i = 0; i < 60; ++i) {
    twice += BeginWithSibling(kFirstEntry + twice.size() + BeginWithSibling(0).size());
  }
  Check("siblings that are below", ElfWithEntries(elf, twice), GprofOfImage());
  std::string back;
  for (int i = 0; i < 60; ++i) back += BeginWithSibling(kFirstEntry) + '\0';
  Check("siblings that lead back", ElfWithEntries(elf, back), GprofOfImage());
}

TEST_F(RejectedFiles, LargeProfilesDamagedAtTheirEnd) {
  const std::string damage = "\7";
  constexpr size_t kBins = 4 * kMegabyte;
  CheckRejected("bins", GmonHeader() + GmonHistogram(0, 1 << 24, kBins, kBins) + damage,
                GprofOfProfile());
  CheckRejected("bins that are claimed",
                GmonHeader() + GmonHistogram(0, 1 << 24, UINT32_MAX, kMegabyte), GprofOfProfile());
  CheckRejected("arcs", GmonHeader() + GmonArcs(200000) + damage, GprofOfProfile());
  std::string histograms = GmonHeader();
  for (uint64_t i = 1; i <= 100000; ++i) histograms += GmonHistogram(16 * i, 16 * i + 4, 1, 1);
  CheckRejected("histograms", histograms + damage, GprofOfProfile());
}

TEST_F(RejectedFiles, RecordingsDamagedWhereTheyAreLarge) {
  for (const Command& command : {GprofOfProfile(), Info(), Gmon()}) {
    CheckRejected("samples in 20,000 pages", RecordingWithPages(20000), command);
    CheckRejected("a loop behind 50,000 frames", RecordingWithLoop(50000), command);
  }
}

TEST_F(RejectedFiles, WhatIsNothingAtAll) {
  const std::string noise = Noise(8 * kMegabyte);
  for (const Command& command : {GprofOfImage(), GprofOfProfile(), Info(), Gmon()}) {
    CheckRejected("noise", noise, command);
  }
  const std::string recording = Seed("recording_reader/orderly_with_stacks");
  CheckRejected("noise behind a recording's header", recording.substr(0, 4096) + noise, Info());
}

TEST_F(RejectedFiles, TextThatIsReadByTheWay) {
  const std::string image = ElfPath(kProgram);
  const std::string profile = GmonPath("64-little");
  std::string lines;
  while (lines.size() < kMegabyte) lines += "a.o: b\n";
  for (const std::string& text : {Noise(kMegabyte), std::string(kMegabyte, '\n'), lines}) {
    Check("a map file", text, {"gprof", "-R", HostilePath(), image, profile});
    Check("a symbol table", text, {"gprof", "-b", "-S", HostilePath(), image, profile});
  }
  CheckRejected("one huge argument", "'" + std::string(kMegabyte, 'a'),
                {"gprof", "@" + HostilePath()});
  for (const std::string argument : {"a ", "-b ", "\\a\n", "'' ", "-pm ", "-kf.c:1/g "}) {
    std::string many;
    while (many.size() < 8 * kMegabyte) many += argument;
    CheckRejected("many arguments " + argument, many + " -?", {"gprof", "@" + HostilePath()});
    CheckRejected("many profiles", image + " " + many, {"gprof", "@" + HostilePath()});
  }
  CheckRejected("arguments that name themselves", "x @" + HostilePath() + " @" + HostilePath(),
                {"gprof", "@" + HostilePath()});
  for (const std::string part : {"a", ":", "/", "9", "a:", "\""}) {
    std::string symspec;
    while (symspec.size() < 100000) symspec += part;
    for (const char* option : {"-p", "-k", "-A", "-e"}) {
      CheckRun("a symspec", symspec.size(), {"gprof", "-b", option + symspec, image, profile});
    }
  }
}

}  // namespace
}  // namespace gprofhub::tests
