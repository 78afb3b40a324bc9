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

// How the line of a -pg program uses mcount.
enum class McountUse { kNone, kCall, kOther };

McountUse UseOfMcount(std::string_view line) {
  if (!Contains(line, "mcount")) return McountUse::kNone;
  const Statement statement = ParseStatement(line);
  if (StartsWith(statement.mnemonic, "call") && (DirectTarget(statement.operands) == "mcount" ||
                                                 statement.operands == "*mcount@GOTPCREL(%rip)")) {
    return McountUse::kCall;
  }
  if (IsDirective(statement)) return McountUse::kNone;
  for (const std::string_view symbol : SymbolsIn(statement.operands)) {
    if (symbol == "mcount" || symbol == "$mcount") return McountUse::kOther;
  }
  return McountUse::kNone;
}

// Throws CannotInstrument if mcount is called in another way than by its name.
std::string WithoutCallsOfMcount(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  InlineAssembly inline_assembly;
  ForEachLine(text, [&](std::string_view line) {
    const McountUse use = inline_assembly.Holds(line) ? McountUse::kNone : UseOfMcount(line);
    if (use == McountUse::kOther) {
      throw CannotInstrument("its -pg calls mcount by address, as with -mcmodel=large");
    }
    if (use == McountUse::kNone) out.append(line).push_back('\n');
  });
  return out;
}

}  // namespace

bool UsesMcount(std::string_view text) {
  if (!Contains(text, "mcount")) return false;
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
