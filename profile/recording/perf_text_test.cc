#include "profile/recording/perf_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "profile/codec/message.h"
#include "proto/stacks.pb.h"

namespace gprofhub::profile {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFolded[] =
    "app;main;parse;next 12\n"
    "app;main;operator new(unsigned long);[libc.so.6];do_syscall_64_[k] 3\n";

constexpr char kScript[] =
    "app 4411 [001] 8.25:     250000 cycles:u: \n"
    "\t    5581c0 next+0x10 (/srv/app)\n"
    "\t    55811d Parser::parse(char const*)+0x1d (/srv/app)\n"
    "\t    558050 small (inlined)\n"
    "\t    558040 main+0x40 (/srv/app)\n"
    "\t  7f0001d0 [unknown] (/lib/libc.so.6)\n"
    "\n"
    "app 4411 [001] 8.26:     250000 cycles:u: \n"
    "\tffffffff8100 asm_exc_page_fault+0x1 ([kernel.kallsyms])\n"
    "\t    5581c8 next+0x18 (/srv/app)\n"
    "\n";

FunctionSymbol Function(uint64_t address, const char* name) {
  FunctionSymbol symbol;
  symbol.address = address;
  symbol.name = name;
  symbol.size = 0x20;
  symbol.is_function = true;
  return symbol;
}

// As the linker placed it: perf's addresses differ by whole pages.
SymbolTable Program() {
  SymbolTable program;
  program.image_name = "app";
  program.functions = {Function(0x2000, "main"), Function(0x2100, "_ZN6Parser5parseEPKc"),
                       Function(0x2180, "_ZN6Parser5parseEi"), Function(0x21b0, "next")};
  return program;
}

std::vector<std::string> Names(const SampledStacks& stacks) {
  std::vector<std::string> names;
  for (const SampledStacks::Frame& frame : stacks.frames) {
    names.push_back(stacks.functions[frame.function]);
  }
  return names;
}

// "2000+40 21b0 ?" of the stack at `index`.
std::string Shown(const ImageStacks& stacks, size_t index) {
  size_t first = 0;
  for (size_t i = 0; i < index; ++i) first += stacks.stacks[i].frames;
  std::string text;
  for (size_t i = first; i < first + stacks.stacks[index].frames; ++i) {
    const ImageStacks::Frame& frame = stacks.frames[i];
    char shown[40] = "?";
    if (frame.function != 0) {
      snprintf(shown, sizeof shown, frame.offset == 0 ? "%x" : "%x+%x",
               static_cast<unsigned>(stacks.functions[frame.function - 1]), frame.offset);
    }
    text += (text.empty() ? "" : " ") + std::string(shown);
  }
  return text;
}

ResolvedStacks Resolved(const char* text, const SymbolTable& program) {
  const auto resolved = ResolveStacks(*ParseSampledStacks(text, "p"), program, "p");
  EXPECT_TRUE(resolved.ok()) << resolved.status();
  return resolved.ok() ? *resolved : ResolvedStacks();
}

TEST(SampledStacks, ReadsFoldedStacksWithoutTheKernelsFrames) {
  const auto stacks = ParseSampledStacks(kFolded, "p");
  ASSERT_TRUE(stacks.ok()) << stacks.status();
  ASSERT_EQ(stacks->stacks.size(), 2u);
  EXPECT_EQ(stacks->stacks[0].samples, 12u);
  EXPECT_EQ(stacks->stacks[1].samples, 3u);
  EXPECT_THAT(Names(*stacks), ElementsAre("app", "main", "parse", "next", "app", "main",
                                          "operator new(unsigned long)", ""));
}

TEST(SampledStacks, ReadsWhatPerfScriptPrintsOutermostFirst) {
  const auto stacks = ParseSampledStacks(kScript, "p");
  ASSERT_TRUE(stacks.ok()) << stacks.status();
  ASSERT_EQ(stacks->stacks.size(), 2u);
  EXPECT_THAT(Names(*stacks),
              ElementsAre("", "main", "Parser::parse(char const*)", "next", "next"));
  EXPECT_EQ(stacks->frames[1].offset, 0x40u);
  EXPECT_TRUE(stacks->frames[1].has_entry);
  EXPECT_EQ(stacks->frames[1].entry, 0x558000u);
  EXPECT_FALSE(stacks->frames[0].has_entry);
}

TEST(SampledStacks, ReadsEventsWithoutACallGraph) {
  // The command's name is right-aligned, and may look like an address.
  const auto stacks = ParseSampledStacks(
      "              dd 11518 15700.735769:     500000 cpu-clock:      55d4c0 parse+0x1d "
      "(/bin/dd)\n"
      "          parser 11518 [001] 15700.83:   500000 cpu-clock:      55d4f0 next+0x1d (/bin/p)\n",
      "p");
  ASSERT_TRUE(stacks.ok()) << stacks.status();
  EXPECT_THAT(Names(*stacks), ElementsAre("parse", "next"));
}

TEST(SampledStacks, ReadsStacksWithoutTheirEvents) {
  constexpr char kFrames[] = "\n\t   55d4c0 next\n\t   55d400 main\n\n\t  55d4c0 parse\n\n";
  EXPECT_TRUE(IsSampledStacks(kFrames));
  const auto stacks = ParseSampledStacks(kFrames, "p");
  ASSERT_TRUE(stacks.ok()) << stacks.status();
  ASSERT_EQ(stacks->stacks.size(), 2u);
  EXPECT_THAT(Names(*stacks), ElementsAre("main", "next", "parse"));
  EXPECT_EQ(stacks->stacks[1].samples, 1u);
}

// The names in `text`, "?" for unknown ones, with a blank between them and "|" between stacks.
std::string NamesIn(const std::string& text) {
  EXPECT_TRUE(IsSampledStacks(text)) << text;
  const auto stacks = ParseSampledStacks(text, "p");
  EXPECT_TRUE(stacks.ok()) << stacks.status() << text;
  if (!stacks.ok()) return "";
  std::string names;
  size_t next = 0;
  for (const SampledStacks::Stack& stack : stacks->stacks) {
    for (uint32_t i = 0; i < stack.frames; ++i, ++next) {
      const std::string& name = stacks->functions[stacks->frames[next].function];
      names += (i > 0 ? " " : next > 0 ? "|" : "") + (name.empty() ? "?" : name);
    }
  }
  return names;
}

constexpr const char* kPaths[] = {
    "(/srv/my (app)/bin)",  "(/srv/a (b/bin)",  "(/srv/b) c/bin)",
    "(/srv/app (deleted))", "(/a/8.25: b/app)", "(/srv/app+0x10 (1)/bin)",
    "(/srv/a: b/app)",      "(//anon)",         "([vdso])",
    "([unknown])",          "(/a => b/app)",    "(/srv/app+0x1140)",
};

TEST(SampledStacks, PathsMayHaveParenthesesAndColons) {
  for (const std::string path : kPaths) {
    const std::string event = "app 71 8.25:     250000 cycles:u: ";
    for (const std::string offset : {"+0x10", ""}) {
      const std::string place = absl::StrCat(offset, " ", path);
      EXPECT_EQ(NamesIn(absl::StrCat(event, "\n\t    5581c0 f::next<(anonymous namespace)::A>",
                                     place, "\n\t    558040 main", place, "\n\n")),
                "main f::next<(anonymous namespace)::A>")
          << place;
      EXPECT_EQ(NamesIn(absl::StrCat(event, "     5581c0 operator new(unsigned long)", place)),
                "operator new(unsigned long)")
          << place;
    }
  }
}

constexpr const char* kCommands[] = {
    "app", "my app",  "a: b",           "(sd-pam)", "[x] y",
    "dd",  "8.25: x", "kworker/0:1-ev", "cafe 12",  "a;b",
};

TEST(SampledStacks, CommandsMayHaveBlanksBracketsAndDigits) {
  for (const std::string command : kCommands) {
    for (const std::string numbers :
         {" 71 8.25: ", " 71/72 [001] 8.250000001:  250000 ", "   71 "}) {
      const std::string event = command + numbers + "cpu_core/cycles/u: ";
      EXPECT_EQ(NamesIn(event + "\n\t    5581c0 next+0x10 (/srv/app)\n\n"), "next") << event;
      EXPECT_EQ(NamesIn(absl::StrCat("      ", event, "     5581c0 next+0x10 (/srv/app)\n")),
                "next")
          << event;
    }
  }
}

TEST(SampledStacks, EventsMayLackTimesAndNames) {
  constexpr char kFrames[] =
      "\n\t    5581c0 next+0x10 (/srv/app)\n\t    558040 main+0x4 (/srv/app)\n\n";
  for (const std::string event :
       {"app 71 ", "app 71/72 ", "app ", "app 71 [001] ",
        " 71 cycles:u: ", "app 71 cycles: ", "8.25: ", "cycles: ", "app 71 8.25: "}) {
    EXPECT_EQ(NamesIn(absl::StrCat(event, kFrames, event, kFrames)), "main next|main next")
        << event;
  }
  EXPECT_EQ(NamesIn("     app    71     5581c0 next+0x10 (/srv/app)\n"
                    "     app    71     5581c0 main+0x10 (/srv/app)\n"),
            "next|main");
  EXPECT_EQ(NamesIn("app 71 8.25: cycles:u:     5581c0 operator new\n"), "operator new");
  EXPECT_EQ(NamesIn("     7efd7866c3e0 next\n  next.c:12\n     7efd7866c3e8 next\n"), "next|next");
  for (const std::string numbers : {"", "   71 ", "   71/72    ", "    250000 "}) {
    for (const std::string command :
         {"             app ", "            dead ", "    a 12 program "}) {
      EXPECT_EQ(NamesIn(absl::StrCat(command, numbers, "     7efd7866c3e0 next\n",  //
                                     "|12   x = add(b 12);\n",                      //
                                     command, numbers, "           5581c0 operator new\n")),
                "next|operator new")
          << command << numbers;
    }
  }
}

TEST(SampledStacks, FieldsOfACallGraphAreSkipped) {
  // As of perf script -F +srcline, +srccode, +brstack, +brstacksym, +phys_addr, +uregs, +insn.
  for (const std::string field :
       {"  parser.c:12\n", "  /srv/my (app)/p.c:12 (discriminator 3)\n", "  add b.c:12\n",
        "  ??:0\n", "  dead (beef).c:4\n", "|12      x = y + 1;\n",
        "|9  /* 8.25: next+0x10 (/srv/app) */\n", " 0x5581c0/0x558040/P/-/-/0 \n",
        " main+0x4/next+0x0/P/-/-/0  next+0x8/main+0x9/M/-/-/0\n", "        7ffd1230\n",
        "        7ffd1230 4K\n", " ABI:2    AX:0x0    BX:0x5581c0 \n", " insn: 48 89 e5\n",
        "\t0000000000401126\tinsn: 55 # PRED 3 cycles\n"}) {
    const std::string stack =
        absl::StrCat("app 71 8.25: 9 cycles: \n\t    5581c0 next+0x10 (/srv/app)\n", field,
                     "\t    558040 main+0x4 (/srv/app)\n", field, "\n");
    EXPECT_EQ(NamesIn(stack + stack), "main next|main next") << field;
  }
  const std::string stack = "app \n\t    5581c0 next\n\t    558040 main\n\n|12   x = y + 1;\n";
  EXPECT_EQ(NamesIn(stack + stack), "main next|main next");
}

TEST(SampledStacks, FieldsOfAnEventAreSkipped) {
  for (const std::string fields :
       {"", "        7ffd1230", "     0    120 ", " 5080021 |OP LOAD|LVL L1 hit|SNP None ",
        "        7ffd1230 buffer+0x8 ([stack])", "   call                    "}) {
    for (const std::string behind :
         {"", "  0x5581c0/0x558040/P/-/-/0 ", " main+0x4/next+0x0/P/-/-/0", "     12345678",
          " insn: 48 89 e5", " ilen: 5", " =>     558040 main+0x0 (/srv/app)", "\n  next.c:12"}) {
      const std::string event = "app 71 [001] 8.25:     9 cycles:u: " + fields;
      EXPECT_EQ(NamesIn(absl::StrCat(event, "     5581c0 next+0x10 (/srv/app)", behind, "\n")),
                "next")
          << fields << behind;
      EXPECT_EQ(NamesIn(event + "\n\t    5581c0 next+0x10 (/srv/app)\n\t 558040 main (/srv/app)\n"),
                "main next")
          << fields;
    }
  }
}

TEST(SampledStacks, EventsWithoutSamplesHaveNoStack) {
  EXPECT_EQ(NamesIn("# captured on: Mon\n"
                    "app 71 8.25: PERF_RECORD_COMM exec: app:71/71\n"
                    "app 71 8.25: sched:sched_switch: prev_comm=app prev_pid=71 ==> next_prio=120\n"
                    "app 71 8.25: syscalls:sys_enter_read: fd: 0x3, buf: 7ffd (x)\n"
                    "\t    5581c0 next+0x10 (/srv/app)\n\n"),
            "next");
}

TEST(SampledStacks, TheKernelsModulesAreLeftOut) {
  EXPECT_EQ(NamesIn("app 71 8.25: cycles:\n\tffffffffc0a01000 nft_do_chain+0x1 ([nf_tables])\n"
                    "\tffffffff81000000 [unknown] ([guest.kernel.kallsyms])\n"
                    "\t    5581c0 next+0x10 (/srv/app)\n\n"),
            "next");
}

TEST(SampledStacks, NamesTheLineThatIsOfNeitherForm) {
  const auto stacks = ParseSampledStacks("a;b 5\nwhat is this\n", "p.folded");
  EXPECT_THAT(std::string(stacks.status().message()), HasSubstr("p.folded: line 2: \"what is"));
  EXPECT_THAT(std::string(ParseSampledStacks("  what is this\n", "p").status().message()),
              HasSubstr("p: line 1: \"  what is"));
  EXPECT_FALSE(ParseSampledStacks("", "p").ok());
  EXPECT_FALSE(ParseSampledStacks("a;b 99999999999999999999\n", "p").ok());
  EXPECT_FALSE(ParseSampledStacks("[unknown];[libc.so.6] 5\n", "p").ok());
  EXPECT_THAT(std::string(ParseSampledStacks("a 1099511627776\nb 1\n", "p").status().message()),
              HasSubstr("p: line 2: there are more than 1099511627776 samples"));
}

TEST(SampledStacks, KnowsItsFormsFromOthers) {
  EXPECT_TRUE(IsSampledStacks(kFolded));
  EXPECT_TRUE(IsSampledStacks(kScript));
  EXPECT_FALSE(IsSampledStacks("# gprofhub function ordering\nmain\n"));
  EXPECT_FALSE(IsSampledStacks(std::string("gmon\0\0;x 1", 10)));
  EXPECT_FALSE(IsSampledStacks(""));
}

TEST(ResolveStacks, FindsFunctionsByTheNamesThatPeopleRead) {
  const ResolvedStacks resolved = Resolved(kScript, Program());
  ASSERT_EQ(resolved.stacks.stacks.size(), 2u);
  EXPECT_EQ(Shown(resolved.stacks, 0), "2000+40 2100+1d 21b0");
  EXPECT_EQ(Shown(resolved.stacks, 1), "21b0");
  EXPECT_EQ(resolved.placed, 3u);
  EXPECT_EQ(resolved.misplaced, 0u);
}

TEST(ResolveStacks, TellsNamesakesApartByWhereTheyBegin) {
  const ResolvedStacks resolved = Resolved(
      "app 1 8.25: cycles:\n\t55819d Parser::parse+0x1d (/srv/app)\n\n"
      "app 1 8.26: cycles:\n\t55811d Parser::parse+0x1d (/srv/app)\n",
      Program());
  ASSERT_EQ(resolved.stacks.stacks.size(), 2u);
  EXPECT_EQ(Shown(resolved.stacks, 0), "2100");
  EXPECT_EQ(Shown(resolved.stacks, 1), "2180");
}

TEST(ResolveStacks, TakesALibrarysFunctionForNoneOfTheImages) {
  const ResolvedStacks resolved = Resolved(
      "app 1 8.25: cycles:\n\t77038 next+0x8 (/lib/libnext.so)\n\t558010 main+0x10 (/srv/app)\n",
      Program());
  EXPECT_EQ(Shown(resolved.stacks, 0), "2000+10 ?");
  EXPECT_EQ(resolved.placed, 2u);
  EXPECT_EQ(resolved.misplaced, 1u);
  EXPECT_FALSE(resolved.IsOfOtherBuild());
}

TEST(ResolveStacks, KnowsTheFunctionsOfAnotherBuildByTheirNames) {
  const ResolvedStacks resolved =
      Resolved("app 1 8.25: cycles:\n\t558038 next+0x8 (/srv/app)\n\t558110 main+0x10 (/srv/app)\n",
               Program());
  EXPECT_EQ(Shown(resolved.stacks, 0), "2000+10 21b0");
  EXPECT_TRUE(resolved.IsOfOtherBuild());
}

TEST(ResolveStacks, KeepsNoNameOfOtherCodeAndAddsEqualStacksUp) {
  const ResolvedStacks resolved = Resolved(
      "app;main;qsort;msort;next 2\n"
      "bash;main;secret;next 3\n"
      "main;next;memcpy 4\n"
      "other 7\n",
      Program());
  ASSERT_EQ(resolved.stacks.stacks.size(), 2u);
  EXPECT_EQ(Shown(resolved.stacks, 0), "2000 21b0 ?");
  EXPECT_EQ(resolved.stacks.stacks[0].samples, 4u);
  EXPECT_EQ(Shown(resolved.stacks, 1), "2000 ? 21b0");
  EXPECT_EQ(resolved.stacks.stacks[1].samples, 5u);
}

TEST(ResolveStacks, RefusesStacksOfAnotherProgram) {
  const auto resolved =
      ResolveStacks(*ParseSampledStacks("a;b 5\n", "p.folded"), Program(), "p.folded");
  EXPECT_THAT(std::string(resolved.status().message()),
              HasSubstr("p.folded: app contains none of the functions"));
}

TEST(StacksCodec, GivesBackWhatItWasGiven) {
  const ImageStacks stacks = Resolved(kScript, Program()).stacks;
  const std::string bytes = EncodeStacks(stacks);
  const auto decoded = DecodeStacks(bytes, "p", Program());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->functions, stacks.functions);
  EXPECT_EQ(Shown(*decoded, 0), Shown(stacks, 0));
  EXPECT_EQ(Shown(*decoded, 1), Shown(stacks, 1));
  EXPECT_EQ(decoded->stacks[1].samples, 1u);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeStacks(bytes.substr(0, size), "p", Program()).ok()) << size;
  }
}

// DecodeStacks' error for a valid message changed by `change`.
std::string Refusal(void (*change)(v1::SampledStacks&)) {
  v1::SampledStacks message;
  message.add_function_delta(0x2000);
  message.add_function_delta(0x1b0);
  message.add_frames(2);
  message.add_samples(5);
  for (const uint32_t function : {1, 2}) message.add_function(function);
  for (const uint32_t offset : {0x40, 0}) message.add_offset(offset);
  EXPECT_TRUE(DecodeStacks(EncodeMessage(message), "p", Program()).ok());
  change(message);
  return std::string(DecodeStacks(EncodeMessage(message), "p", Program()).status().message());
}

TEST(StacksCodec, RefusesMoreThanFitsIntoAServersMemory) {
  const std::string frame = Compress(std::string((60 << 20) + 1, '\0'));
  EXPECT_THAT(std::string(DecodeStacks(frame, "p", Program()).status().message()),
              HasSubstr("the limit is 62914560"));
}

TEST(StacksCodec, RefusesWhatIsNoSuchValueNamingTheRow) {
  using Message = v1::SampledStacks;
  EXPECT_THAT(Refusal([](Message& m) { m.Clear(); }), HasSubstr("p: sampled stacks: no stacks"));
  EXPECT_THAT(Refusal([](Message& m) { m.add_samples(1); }), HasSubstr("differ in length"));
  EXPECT_THAT(Refusal([](Message& m) { m.add_offset(1); }), HasSubstr("differ in length"));
  EXPECT_THAT(Refusal([](Message& m) { m.set_function_delta(1, 0); }),
              HasSubstr("function_delta, row 1: the addresses do not ascend"));
  EXPECT_THAT(Refusal([](Message& m) { m.set_function_delta(1, UINT64_MAX); }),
              HasSubstr("function_delta, row 1: the addresses do not ascend"));
  EXPECT_THAT(Refusal([](Message& m) { m.set_function_delta(1, 0x1b1); }),
              HasSubstr("function_delta, row 1: no function of app begins at 0x21b1"));
  EXPECT_THAT(Refusal([](Message& m) { m.set_frames(0, 0); }), HasSubstr("frames, row 0"));
  EXPECT_THAT(Refusal([](Message& m) { m.set_frames(0, 3); }), HasSubstr("frames, row 0"));
  EXPECT_THAT(Refusal([](Message& m) { m.set_frames(0, 1); }), HasSubstr("1 of the 2 frames"));
  EXPECT_THAT(Refusal([](Message& m) { m.set_samples(0, 0); }), HasSubstr("samples, row 0"));
  EXPECT_THAT(Refusal([](Message& m) { m.set_samples(0, (1ULL << 40) + 1); }),
              HasSubstr("samples, row 0"));
  EXPECT_THAT(Refusal([](Message& m) { m.set_function(1, 3); }), HasSubstr("function, row 1"));
}

}  // namespace

}  // namespace gprofhub::profile
