#include "runtime/assembler/instrument.h"

#include "runtime/assembler/block_counters.h"
#include "runtime/assembler/lines.h"
#include "runtime/assembler/sections.h"
#include "runtime/assembler/statements.h"
#include "runtime/assembler/text_parts.h"

namespace gprofhub {
namespace {

// One for each module: a constructor that runs before all others and registers the module's
// counters with the runtime. It comes with a counter and a site of kind 0 (none), so that a first
// and a last exist even if the linker drops all others.
std::string Constructor() {
  return "\t.section\t.text.unlikely.gprofhub_begin,\"axG\",@progbits,gprofhub_begin,comdat\n"
         "\t.weak\tgprofhub_begin\n"
         "\t.hidden\tgprofhub_begin\n"
         "\t.hidden\t__start_gprofhub_counters, __stop_gprofhub_counters\n"
         "\t.hidden\t__start_gprofhub_sites, __stop_gprofhub_sites\n"
         "\t.type\tgprofhub_begin, @function\n"
         "gprofhub_begin:\n"
         "\tleaq\t__start_gprofhub_counters(%rip), %rdi\n"
         "\tleaq\t__stop_gprofhub_counters(%rip), %rsi\n"
         "\tleaq\t__start_gprofhub_sites(%rip), %rdx\n"
         "\tleaq\t__stop_gprofhub_sites(%rip), %rcx\n"
         "\tjmp\t*gprofhub_register_counters@GOTPCREL(%rip)\n"
         "\t.size\tgprofhub_begin, .-gprofhub_begin\n"
         "\t.section\t.init_array.00000,\"awG\",@init_array,gprofhub_begin,comdat\n"
         "\t.p2align\t3\n"
         "\t.quad\tgprofhub_begin\n" +
         SectionDirective("gprofhub_counters", "aw", "nobits", "gprofhub_begin") +
         "\n\t.p2align\t3\n"
         "\t.zero\t8\n" +
         SectionDirective("gprofhub_sites", "a", "progbits", "gprofhub_begin") +
         "\n\t.p2align\t2\n"
         "\t.long\t0, 0, 0\n";
}

void RefuseIntelSyntax(std::string_view text) {
  if (!Contains(text, ".intel_syntax")) return;
  InlineAssembly inline_assembly;
  ForEachLine(text, [&](std::string_view line) {
    if (inline_assembly.Holds(line)) return;
    if (ParseStatement(line).mnemonic != ".intel_syntax") return;
    throw CannotInstrument("it is in Intel syntax; compile this file without -masm=intel");
  });
}

// The functions that the compiler calls at a function's entry with -pg, and with -mfentry.
bool IsEntryFunction(std::string_view name) {
  return name == "mcount" || name == "_mcount" || name == "__fentry__";
}

bool MayUseMcount(std::string_view text) {
  return Contains(text, "mcount") || Contains(text, "fentry");
}

// How the line of a -pg program uses such a function.
enum class McountUse { kNone, kCall, kOther };

McountUse UseOfMcount(std::string_view line) {
  if (!MayUseMcount(line)) return McountUse::kNone;
  const Statement statement = ParseStatement(line);
  if (IsDirective(statement)) return McountUse::kNone;
  std::string_view callee = statement.operands;
  constexpr std::string_view kSlot = "@GOTPCREL(%rip)";
  if (StartsWith(callee, "*") && EndsWith(callee, kSlot)) {
    callee = callee.substr(1, callee.size() - 1 - kSlot.size());
  }
  if (StartsWith(statement.mnemonic, "call") && IsEntryFunction(DirectTarget(callee))) {
    return McountUse::kCall;
  }
  for (std::string_view symbol : SymbolsIn(statement.operands)) {
    if (StartsWith(symbol, "$")) symbol.remove_prefix(1);
    if (IsEntryFunction(symbol)) return McountUse::kOther;
  }
  return McountUse::kNone;
}

// Throws CannotInstrument if mcount is called in another way than by its name. With -mrecord-mcount
// the places of the calls are in a table: each becomes a nop, as with -mnop-mcount.
std::string WithoutCallsOfMcount(std::string_view text) {
  const bool recorded = Contains(text, "\t.quad 1b\n");
  std::string out;
  out.reserve(text.size());
  InlineAssembly inline_assembly;
  ForEachLine(text, [&](std::string_view line) {
    const McountUse use = inline_assembly.Holds(line) ? McountUse::kNone : UseOfMcount(line);
    if (use == McountUse::kOther) {
      throw CannotInstrument("its -pg calls mcount by address, as with -mcmodel=large");
    }
    if (use == McountUse::kNone) {
      out.append(line).push_back('\n');
    } else if (recorded) {
      out.append("1:\t.byte\t0x0f, 0x1f, 0x44, 0x00, 0x00\n");
    }
  });
  return out;
}

}  // namespace

bool UsesMcount(std::string_view text) {
  if (!MayUseMcount(text)) return false;
  bool found = false;
  InlineAssembly inline_assembly;
  ForEachLine(text, [&](std::string_view line) {
    found = found || (!inline_assembly.Holds(line) && UseOfMcount(line) != McountUse::kNone);
  });
  return found;
}

bool IsCompilerOutput(std::string_view text) {
  return Contains(text, "\t.ident\t\"GCC:") || Contains(text, "clang version ") ||
         Contains(text, "# -- Begin function") || Contains(text, "\t[c=");
}

std::string Instrument(std::string_view text, CounterKinds kinds) {
  RefuseIntelSyntax(text);
  std::string without_mcount;
  if (UsesMcount(text)) {
    without_mcount = WithoutCallsOfMcount(text);
    text = without_mcount;
  }
  std::string out;
  bool blocks = false;
  bool calls = false;
  if (kinds.blocks) out = CountBlocks(text, &blocks);
  if (kinds.calls) out = CountCalls(kinds.blocks ? out : text, &calls);
  if (blocks || calls) out += Constructor();
  return out;
}

}  // namespace gprofhub
