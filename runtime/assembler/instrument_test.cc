#include "runtime/assembler/instrument.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace gprofhub {
namespace {

constexpr CounterKinds kCalls = {true, false};

std::string write_folder;  // --write=FOLDER

std::string Slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The text after `line` and a line feed; "" if it does not occur.
std::string After(const std::string& text, const std::string& line) {
  const size_t at = text.find(line + "\n");
  return at == std::string::npos ? "" : text.substr(at + line.size() + 1);
}

bool StartsWith(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

size_t Occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class GoldenTest : public testing::TestWithParam<const char*> {};

TEST_P(GoldenTest, IsWhatItWas) {
  const std::string stem = std::string("runtime/assembler/testdata/calls.") + GetParam();
  const std::string counted = Instrument(Slurp(stem + ".s"), {true, true});
  if (!write_folder.empty()) {
    std::ofstream(write_folder + "/calls." + GetParam() + ".counted.s") << counted;
  }
  EXPECT_EQ(counted, Slurp(stem + ".counted.s"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, GoldenTest, testing::Values("gcc", "clang"));

TEST(InstrumentTest, CountsADirectCallBeforeIt) {
  EXPECT_TRUE(StartsWith(Instrument("\tcall\tf@PLT\t# 3 *call\n", kCalls),
                         "\tincq\t%gs:.LghC1(%rip)\n.LghS1:\n\tcall\tf@PLT\t# 3 *call\n"));
}

TEST(InstrumentTest, LeavesInlineAssemblyAlone) {
  const std::string text = "#APP\n# 4 \"a.c\" 1\n\tcall f\n\tjmp g\n# 0 \"\" 2\n#NO_APP\n\tret\n";
  EXPECT_EQ(Instrument(text, kCalls), text);
}

TEST(InstrumentTest, LeavesCallsOfThreadLocalStorageAlone) {
  for (const std::string text :
       {"\tdata16\tleaq\tv@tlsgd(%rip), "
        "%rdi\n\t.value\t0x6666\n\trex64\n\tcall\t__tls_get_addr@PLT\n",
        "\tcall\t*__tls_get_addr@GOTPCREL(%rip)\n", "\tcall\t*v@TLSCALL(%rax)\n"}) {
    EXPECT_EQ(Instrument(text, kCalls), text);
  }
}

TEST(InstrumentTest, LeavesSwitchesAlone) {
  for (const std::string text :
       {"\tnotrack jmp\t*%rax\t# 18\t[c=4 l=2]  *tablejump_1\n", "\tjmp\t.L5\n", "\tjne\t.L5\n",
        "\tjmpq\t*%rax\n", "\tjmp\tf.cold\n"}) {
    EXPECT_EQ(Instrument(text, kCalls), text);
  }
}

// Counted for the caller of the function that jumps, which the return address identifies.
constexpr const char* kTailCall =
    "\tmovq\t(%rsp), %r11\n"
    "\tcmpq\t%r11, %gs:.LghC1(%rip)\n"
    "\tjne\t.LghI1\n"
    "\tincq\t%gs:.LghC1+8(%rip)\n"
    ".LghS1:\n"
    "\tjmp\tf\n"
    ".LghI1:\n"
    "\tcmpq\t%r11, %gs:.LghC1+16(%rip)\n"
    "\tje\t.LghJ1\n"
    "\tleaq\tf(%rip), %r11\n"
    "\tcall\t*gprofhub_tail_call@GOTPCREL(%rip)\n"
    ".LghJ1:\n"
    "\tincq\t%gs:.LghC1+24(%rip)\n"
    "\tjmp\tf\n";

TEST(InstrumentTest, CountsATailCallForTheCaller) {
  EXPECT_TRUE(StartsWith(Instrument("\tjmp\tf\n", kCalls), kTailCall));
  EXPECT_TRUE(StartsWith(Instrument("\tjmp\t*%rax # TAILCALL\n", kCalls),
                         "\tmovq\t%rax, %r11\n"
                         "\tcall\t*gprofhub_tail_pointer@GOTPCREL(%rip)\n"
                         "\tjmp\t*%r11\n"));
  // Calls that the linker may make direct.
  const std::string text = Instrument("\tjmp\t*f@GOTPCREL(%rip) # TAILCALL\n", kCalls);
  EXPECT_TRUE(StartsWith(After(text, "\tje\t.LghJ1"), "\tmovq\tf@GOTPCREL(%rip), %r11\n"));
}

TEST(InstrumentTest, TurnsAConditionalTailCallAround) {
  EXPECT_TRUE(StartsWith(Instrument("\tjne\tf # TAILCALL\n", kCalls),
                         std::string("\tje\t.LghN1\n") + kTailCall + ".LghN1:\n"));
  EXPECT_TRUE(StartsWith(Instrument("\tjb\tf # TAILCALL\n", kCalls), "\tjnb\t.LghN1\n"));
}

TEST(InstrumentTest, LoadsAPointerOnceAndKeepsThePrefix) {
  const std::string text = Instrument("\tnotrack call\t*8(%rsp)\n", kCalls);
  EXPECT_TRUE(StartsWith(text, "\tmovq\t8(%rsp), %r11\n\tcmpq\t%r11, %gs:.LghC1(%rip)\n"));
  EXPECT_TRUE(StartsWith(After(text, ".LghJ1:"), "\tnotrack call\t*%r11\n"));
  EXPECT_TRUE(StartsWith(Instrument("\tcall\t*%r11\n", kCalls), "\tcmpq\t%r11, "));
}

// The entry of a function that only this file can call, by name, is counted at its calls.
TEST(InstrumentTest, CountsEntriesOnlyWhereOthersMayCall) {
  const std::string function = "\t.type\tf, @function\nf:\n.LFB0:\n\t.cfi_startproc\n\tret\n";
  const std::string entry = "\t.cfi_startproc\n\tincq\t";
  EXPECT_EQ(Occurrences(Instrument(function + "\tcall\tf\n", kCalls), entry), 0);
  EXPECT_EQ(Occurrences(Instrument("\t.globl\tf\n" + function, kCalls), entry), 1);
  EXPECT_EQ(Occurrences(Instrument("\t.weak\tf\n" + function, kCalls), entry), 1);
  EXPECT_EQ(Occurrences(Instrument(function + "\tleaq\tf(%rip), %rax\n", kCalls), entry), 1);
  EXPECT_EQ(Occurrences(Instrument(function + "\t.quad\tf\n", kCalls), entry), 1);
  EXPECT_EQ(Occurrences(Instrument(function + "\t.set\tg,f\n", kCalls), entry), 1);
  EXPECT_EQ(Occurrences(Instrument(function + "#APP\n\tcall f\n#NO_APP\n", kCalls), entry), 1);
}

TEST(InstrumentTest, CountsAnEntryBehindItsLandingPad) {
  const std::string text = "\t.globl\tf\n\t.type\tf, @function\nf:\n\tendbr64\n\tret\n";
  EXPECT_TRUE(StartsWith(After(Instrument(text, kCalls), "\tendbr64"), "\tincq\t"));
}

TEST(InstrumentTest, CountsAnEntryBeforeALoopThatBeginsThere) {
  const std::string text = "\t.globl\tf\n\t.type\tf, @function\nf:\n.L2:\n\tjmp\t.L2\n";
  EXPECT_TRUE(StartsWith(After(Instrument(text, kCalls), ".LghS1:"), "\tincq\t"));
}

// gcc calls a function of its own file by a local name.
constexpr const char* kMethod =
    "\t.globl\t_ZN1C1fEv\n\t.type\t_ZN1C1fEv, @function\n_ZN1C1fEv:\n\tret\n";

TEST(InstrumentTest, CountsACallByALocalNameOfAFunction) {
  for (const std::string text : {"\t.set\t.LTHUNK0,_ZN1C1fEv\n\tcall\t.LTHUNK0\n",
                                 "\tcall\t.LTHUNK0\n\t.set\t.LTHUNK0,_ZN1C1fEv\n"}) {
    EXPECT_EQ(Occurrences(Instrument(kMethod + text, kCalls), "\n\tcall\t.LTHUNK0\n"), 1);
    EXPECT_EQ(Occurrences(Instrument(kMethod + text, kCalls), "incq"), 2);
  }
  const std::string text =
      "\t.globl\tf\n\t.type\tf,@function\nf:\n.Lf$local:\n\tcallq\t.Lf$local\n";
  const std::string counted = Instrument(text, kCalls);
  EXPECT_EQ(Occurrences(counted, "incq"), 2);
  // Calls by either name execute the counter at the entry.
  EXPECT_TRUE(StartsWith(After(counted, ".Lf$local:"), "\tincq\t"));
  // Neither is a function.
  for (const std::string other : {"\tcall\t.L5\n", "\t.set\t.L5,.L7-.L6\n\tcall\t.L5\n"}) {
    EXPECT_EQ(Instrument(other, kCalls), other);
  }
}

// As with mcount, which thunks do not call.
TEST(InstrumentTest, AThunkIsPartOfTheCall) {
  const std::string thunk =
      "\t.globl\t_ZThn16_N1C1fEv\n\t.type\t_ZThn16_N1C1fEv, @function\n_ZThn16_N1C1fEv:\n"
      "\tsubq\t$16, %rdi\n\tjmp\t";
  for (const std::string target :
       {".LTHUNK0\n\t.set\t.LTHUNK0,_ZN1C1fEv\n", "_ZN1C1fEv\n\t.ident\t\"GCC: 12\"\n"}) {
    const std::string text = Instrument(kMethod + thunk + target, kCalls);
    EXPECT_TRUE(StartsWith(After(text, "_ZThn16_N1C1fEv:"), "\tsubq\t$16, %rdi\n\tmovq\t(%rsp), "));
    EXPECT_EQ(Occurrences(text, "\n\tjmp\t" + target.substr(0, target.find('\n') + 1)), 2);
  }
  // clang's is a function. So is gcc's if the method is inlined.
  for (const std::string other :
       {"_ZN1C1fEv\n", ".L_ZN1C1fEv$local\n", "_ZdlPvm\n\t.ident\t\"GCC: 12\"\n"}) {
    const std::string text = Instrument(kMethod + thunk + other, kCalls);
    EXPECT_EQ(Occurrences(After(text, "_ZThn16_N1C1fEv:"), "incq\t%gs:.LghC2(%rip)\n"), 1);
  }
}

TEST(InstrumentTest, TakesAColdPartForNoFunction) {
  const std::string text = "\t.type\tf.cold, @function\nf.cold:\n\tret\n";
  EXPECT_EQ(Instrument(text, kCalls), text);
}

TEST(InstrumentTest, PutsCountersIntoTheGroupOfTheirCode) {
  const std::string text = Instrument(
      "\t.section\t.text._Z1fv,\"axG\",@progbits,_Z1fv,comdat\n\tcall\tg\n\t.text\n\tcall\tg\n",
      kCalls);
  EXPECT_EQ(Occurrences(text, "gprofhub_counters,\"awG\",@nobits,_Z1fv,comdat\n"), 1);
  EXPECT_EQ(Occurrences(text, "gprofhub_sites,\"aG\",@progbits,_Z1fv,comdat\n"), 1);
  EXPECT_EQ(Occurrences(text, "gprofhub_counters,\"aw\",@nobits\n"), 1);
}

TEST(InstrumentTest, AnnouncesAModulesCountersOnceWhateverTheyCount) {
  const std::string text = "\t.text\n\t.type\tf, @function\nf:\n\tcall\tg\n\tret\n";
  for (const CounterKinds kinds : {kCalls, CounterKinds{false, true}, CounterKinds{true, true}}) {
    EXPECT_EQ(Occurrences(Instrument(text, kinds), "gprofhub_begin:\n"), 1);
  }
}

// Otherwise unreferenced, so that lld's --gc-sections would drop it.
TEST(InstrumentTest, KeepsItsTablesAsLongAsTheirCode) {
  const std::string text = "\t.text\n\t.type\tf, @function\nf:\n\tcall\tg\n\tret\n";
  const std::string keep = "\t.reloc\t., R_X86_64_NONE, ";
  const std::string calls = Instrument(text, kCalls);
  EXPECT_TRUE(StartsWith(After(calls, "f:"), keep + ".LghT1\n"));
  EXPECT_EQ(Occurrences(calls, "\n.LghT1:\n"), 1);
  const std::string blocks = Instrument(text, {false, true});
  EXPECT_EQ(Occurrences(blocks, keep + ".LghU0\n"), 1);
  EXPECT_EQ(Occurrences(blocks, "\n.LghU0:\n"), 1);
}

TEST(InstrumentTest, RefusesWhatItCannotTell) {
  EXPECT_THROW(Instrument("\t.intel_syntax noprefix\n\tcall f\n", kCalls), CannotInstrument);
  EXPECT_THROW(Instrument("\tjecxz\tf\n", kCalls), CannotInstrument);
  // gcc without -dp.
  EXPECT_THROW(Instrument("\tjmp\t*%rax\n\t.ident\t\"GCC: (Debian 12.2.0) 12.2.0\"\n", kCalls),
               OptionMissing);
}

TEST(InstrumentTest, LeavesAFileWithoutCodeAsItIs) {
  const std::string text = "\t.section\t.gnu.lto_.decls,\"e\",@progbits\n\t.ascii\t\"call f\"\n";
  EXPECT_EQ(Instrument(text, kCalls), text);
}

// As gcc and clang write it with -pg.
TEST(InstrumentTest, TakesThePlaceOfCallsOfMcount) {
  for (const std::string call :
       {"1:\tcall\t*mcount@GOTPCREL(%rip)\n", "1:\tcall\tmcount\n", "\tcallq\tmcount@PLT\n",
        "\tcallq\t*mcount@GOTPCREL(%rip)\n", "1:\tcall\t*__fentry__@GOTPCREL(%rip)\n",
        "1:\tcall\t__fentry__\n", "\tcallq\t__fentry__@PLT\n"}) {
    const std::string rest = "\tcall\tf@PLT\t# 3 *call\n";
    EXPECT_TRUE(UsesMcount(call + rest));
    EXPECT_EQ(Instrument(call + rest, kCalls), Instrument(rest, kCalls));
  }
  EXPECT_FALSE(UsesMcount("\tcall\tmcount_of_mine\n\t.string\t\"mcount\"\n"));
}

// -mrecord-mcount has a table of the calls' places, and -mnop-mcount has no calls.
TEST(InstrumentTest, TakesANopForARecordedCallOfMcount) {
  const std::string record =
      "\t.section __mcount_loc, \"a\",@progbits\n\t.quad 1b\n\t.previous\n\tcall\tg\n";
  const std::string nop = "1:\t.byte\t0x0f, 0x1f, 0x44, 0x00, 0x00\n" + record;
  EXPECT_EQ(Instrument("1:\tcall\t__fentry__\n" + record, kCalls), Instrument(nop, kCalls));
  EXPECT_FALSE(UsesMcount(nop));
}

TEST(InstrumentTest, RefusesMcountByItsAddress) {
  for (const std::string text :
       {"\tmovabsq\t$mcount@GOT, %rax\n", "\tmovabsq\t$mcount@PLTOFF, %r11\n",
        "\tmovabsq\t$__fentry__, %r10\n"}) {
    EXPECT_TRUE(UsesMcount(text));
    EXPECT_THROW(Instrument(text, kCalls), CannotInstrument);
  }
}

// -fpatchable-function-entry=4,2, as gcc and clang write it. The nops stay together, where the
// table has them.
TEST(InstrumentTest, CountsAnEntryBehindThePatchableNops) {
  const std::string table =
      "\t.section\t__patchable_function_entries,\"awo\",@progbits,f\n\t.quad\t.LPFE1\n\t.text\n";
  const std::string before = ".LPFE1:\n\tnop\n\tnop\n\t.globl\tf\n\t.type\tf, @function\nf:\n";
  for (const std::string nops :
       {"\tnop\n\tnop\n", "\txchgw\t%ax, %ax\n", "\tnopl\t8(%rax)\n\tnopw\t%cs:512(%rax,%rax)\n"}) {
    const std::string text = table + before + "\tendbr64\n" + nops + "\tmovl\t%edi, %eax\n\tret\n";
    for (const CounterKinds kinds : {kCalls, CounterKinds{false, true}, CounterKinds{true, true}}) {
      const std::string counted = Instrument(text, kinds);
      EXPECT_TRUE(StartsWith(After(counted, ".LPFE1:"), "\tnop\n\tnop\n\t.globl")) << counted;
      const std::string entry = After(counted, "\tendbr64");
      EXPECT_TRUE(StartsWith(entry, nops + "\tincq\t") || StartsWith(entry, nops + "\taddq\t"))
          << counted;
    }
  }
}

// Most of a compiler's output with -g. It contains no calls, even where bytes look like one.
TEST(DebugSections, StayAsTheyAre) {
  const std::string debug =
      "\t.section\t.debug_info,\"\",@progbits\n"
      ".Ldebug_info0:\n"
      "\t.long\t0x40\n\t.value\t0x5\n\t.byte\t0x1\n\t.uleb128 0x2\n\t.sleb128 -3\n"
      "\t.quad\tf\n\t.string\t\"call\\tf\"\n\t.ascii\t\"\\t.text\"\n\t.8byte\t7\n";
  const std::string code =
      "\t.text\n\t.globl\tg\n\t.type\tf, @function\nf:\n\tret\n\t.size\tf, .-f\n"
      "\t.type\tg, @function\ng:\n\tcall\tf\n\tret\n\t.size\tg, .-g\n";
  const std::string ident = "\t.ident\t\"GCC: (Debian 12.2.0-14) 12.2.0\"\n";
  const std::string out = Instrument(code + debug + ident, kCalls);
  EXPECT_EQ(Occurrences(out, debug), 1u) << out;
  // f is called from here only: references to its address in debug information are not calls. So of
  // f and g, and g's call, two are counted.
  EXPECT_EQ(Occurrences(out, "incq\t%gs:"), 2u) << out;
  // Code after a debug section is counted, for every directive that can begin it.
  const std::string behind = Instrument(debug + code + ident, kCalls);
  EXPECT_EQ(Occurrences(behind, "incq\t%gs:"), 2u) << behind;
}

TEST(IsCompilerOutputTest, TellsCompilersFromPeople) {
  EXPECT_TRUE(IsCompilerOutput("\tret\n\t.ident\t\"GCC: (Debian 12.2.0) 12.2.0\"\n"));
  EXPECT_TRUE(IsCompilerOutput("f: # @f\n\tret\n                  # -- Begin function f\n"));
  EXPECT_FALSE(IsCompilerOutput("# 1 \"copy.S\"\n\t.globl f\nf:\tjmp *%rax\n"));
}

}  // namespace
}  // namespace gprofhub

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  constexpr const char* kWrite = "--write=";
  if (count > 1 && std::strncmp(arguments[1], kWrite, std::strlen(kWrite)) == 0) {
    gprofhub::write_folder = arguments[1] + std::strlen(kWrite);
  }
  return RUN_ALL_TESTS();
}
