// Where counters may be placed.
//
// An increment changes only the flags. Before a call, at a function's entry and before an
// unconditional tail jump the flags are dead (x86-64 ABI, 3.2.1), provided that callers rely only
// on the ABI: gcc's -fipa-ra must be off. A conditional tail jump is turned into one around an
// increment and an unconditional one. A call through a pointer first loads the pointer into %r11,
// which no call preserves and no argument uses; the site's words are the first two callees, each
// with its calls, and any other callee is counted in the runtime's table:
//
//       movq  POINTER, %r11
//       cmpq  %r11, %gs:CALLEE(%rip)
//       jne   1f
//       incq  %gs:CALLEE+8(%rip)
//       jmp   3f
//   1:  cmpq  %r11, %gs:CALLEE+16(%rip)
//       je    2f
//       call  gprofhub_indirect       keeps all registers; undoes the next line
//   2:  incq  %gs:CALLEE+24(%rip)
//   3:  call  *%r11
//
// A tail jump counts as a call by the caller of the function that jumps, as with mcount. So at a
// jump the site's words are the first two return addresses:
//
//       movq  (%rsp), %r11
//       cmpq  %r11, %gs:CALLER(%rip)
//       jne   1f
//       incq  %gs:CALLER+8(%rip)
//       jmp   f
//   1:  cmpq  %r11, %gs:CALLER+16(%rip)
//       je    2f
//       leaq  f(%rip), %r11
//       call  gprofhub_tail_call      keeps all registers; undoes the next line
//   2:  incq  %gs:CALLER+24(%rip)
//       jmp   f
//
// A tail jump through a pointer always goes to the runtime's table (gprofhub_tail_pointer).
//
// A function is also counted at its entry, to detect calls from elsewhere, unless only this file
// can call it, and only by name.
//
// The calls of thread-local storage (__tls_get_addr) are part of instruction sequences that the
// linker replaces as a whole, so they are never changed.
//
// Counters and their descriptions are in the section group of their code, so that the linker drops
// them together. A function references its descriptions by a relocation without effect. This keeps
// them where a linker drops unreferenced sections: lld's --gc-sections does, in spite of
// __start_NAME.
#include "runtime/assembler/call_counters.h"

#include <map>
#include <utility>
#include <vector>

#include "runtime/assembler/lines.h"
#include "runtime/assembler/sections.h"
#include "runtime/assembler/statements.h"
#include "runtime/assembler/symbols.h"
#include "runtime/assembler/text_parts.h"

namespace gprofhub {
namespace {

// As in profile/format/recording.h; this program is compiled without it.
enum SiteKind { kCall = 1, kIndirect = 2, kEntry = 3, kFunction = 4, kTail = 9 };

// Cold part of a function that gcc moved elsewhere: jumped to, not called.
bool IsColdPart(std::string_view symbol) { return EndsWith(symbol, ".cold"); }

// Functions whose calls are not the program's, or that the linker does not see as calls.
bool IsNeverCounted(std::string_view callee) {
  return callee == "__tls_get_addr" || callee == "mcount" || callee == "_mcount" ||
         callee == "__fentry__" || StartsWith(callee, "__sanitizer_cov_") ||
         StartsWith(callee, "__x86_") || StartsWith(callee, "__llvm_retpoline_");
}

// Labels that mark an address for debug information only.
bool IsMark(std::string_view label) {
  for (std::string_view prefix :
       {".LFB", ".LFSB", ".LVL", ".LCOLDB", ".LHOTB", ".LM", ".LPFE", ".Lfunc_begin", ".Lpatch"}) {
    if (StartsWith(label, prefix)) return true;
  }
  return EndsWith(label, "$local");  // clang's second name of a function
}

class CallCounters {
 public:
  explicit CallCounters(std::string_view text) : symbols_(ReadSymbols(text)) {
    out_.reserve(text.size() + text.size() / 4);
  }

  void Line(std::string_view line) {
    if (inline_assembly_.Holds(line)) {
      CountEntry();
      Put(line);
      return;
    }
    if (NamesNothing(line)) {
      Put(line);
      return;
    }
    const Statement statement = ParseStatement(line);
    if (statement.label.empty() && statement.mnemonic.empty()) {
      Put(line);
    } else if (IsDirective(statement)) {
      Directive(statement);
      Put(line);
    } else {
      Instruction(statement, line);
    }
  }

  // Lines that are copied unchanged.
  void Data(std::string_view lines) { out_.append(lines); }

  std::string Finish(bool* counted) {
    for (const auto& [group, table] : tables_) PutTable(group, table);
    *counted = !tables_.empty() || needs_runtime_;
    return std::move(out_);
  }

 private:
  struct Site {
    SiteKind kind;
    int number;
  };
  using Table = std::vector<Site>;

  void Put(std::string_view line) { out_.append(line).push_back('\n'); }
  static std::string CounterName(int number) { return ".LghC" + std::to_string(number); }
  static std::string SiteName(int number) { return ".LghS" + std::to_string(number); }
  // The number of its first site is unique.
  static std::string TableName(const Table& table) {
    return ".LghT" + std::to_string(table.front().number);
  }

  int NewSite(SiteKind kind) {
    tables_[sections_.current().group].push_back({kind, ++used_});
    return used_;
  }
  void PutIncrement(int number, std::string_view offset = "") {
    Put("\tincq\t%gs:" + CounterName(number) + std::string(offset) + "(%rip)");
  }
  void PutSiteLabel(int number) { Put(SiteName(number) + ":"); }

  void Directive(const Statement& statement) {
    sections_.Follow(statement);
    if (statement.mnemonic == ".size" || statement.mnemonic == ".cfi_endproc") entry_ = 0;
  }

  // A function's entry is counted before its first instruction, after the mark of a valid target of
  // indirect branches, and after the nops of -fpatchable-function-entry: its table has the address
  // of the first of them.
  void CountEntry() {
    if (entry_ != 0) PutIncrement(entry_);
    entry_ = 0;
  }

  void Instruction(const Statement& statement, std::string_view line) {
    if (!statement.label.empty()) {
      if (!IsMark(statement.label)) CountEntry();
      if (IsFunction(statement.label)) {
        const bool counted = !symbols_.OnlyCalledByName(statement.label);
        const int number = NewSite(counted ? kEntry : kFunction);
        if (counted) entry_ = number;
        Put(line);
        Put(KeepDirective(TableName(tables_[sections_.current().group])));
        PutSiteLabel(number);
        return;
      }
    }
    if (statement.mnemonic.empty()) {
      Put(line);
      return;
    }
    if (statement.mnemonic == "endbr64" || (entry_ != 0 && IsNop(statement))) {
      Put(line);
      return;
    }
    CountEntry();
    if (IsCall(statement.mnemonic)) {
      Call(statement, line);
    } else if (IsJump(statement.mnemonic)) {
      Jump(statement, line);
    } else if (IsConditionalJump(statement.mnemonic)) {
      ConditionalJump(statement, line);
    } else {
      Put(line);
    }
  }

  bool IsFunction(std::string_view label) const {
    return symbols_.functions.count(label) != 0 && symbols_.thunks.count(label) == 0 &&
           !IsColdPart(label);
  }

  void CountDirect(std::string_view line) {
    const int number = NewSite(kCall);
    PutIncrement(number);
    PutSiteLabel(number);
    Put(line);
  }

  // Compares %r11 with the two addresses of the site's words. If the first matches, counts it and
  // continues at `first`, which leaves; if neither matches, calls the runtime, after `other`.
  void CountPairs(int number, std::string_view first, std::string_view other,
                  std::string_view runtime, const std::string& counted) {
    const std::string words = CounterName(number), label = std::to_string(number);
    Put("\tcmpq\t%r11, %gs:" + words + "(%rip)");
    Put("\tjne\t.LghI" + label);
    PutIncrement(number, "+8");
    Put(first);
    Put(".LghI" + label + ":");
    Put("\tcmpq\t%r11, %gs:" + words + "+16(%rip)");
    Put("\tje\t" + counted);
    out_.append(other);
    Put("\tcall\t*" + std::string(runtime) + "@GOTPCREL(%rip)");
    Put(counted + ":");
    PutIncrement(number, "+24");
  }

  void CountIndirect(const Statement& statement, std::string_view pointer) {
    const int number = NewSite(kIndirect);
    if (pointer != "%r11") Put("\tmovq\t" + std::string(pointer) + ", %r11");
    const std::string call = ".LghJ" + std::to_string(number);
    CountPairs(number, "\tjmp\t" + call, "", "gprofhub_indirect", SiteName(number));
    Put(call + ":");
    Put(ThroughR11(statement));
  }

  static std::string ThroughR11(const Statement& statement) {
    return "\t" + std::string(statement.prefix) + (statement.prefix.empty() ? "" : " ") +
           std::string(statement.mnemonic) + "\t*%r11";
  }

  // `load` puts the callee's address into %r11; `line` jumps there.
  void CountTail(const std::string& load, std::string_view line) {
    const int number = NewSite(kTail);
    Put("\tmovq\t(%rsp), %r11");
    CountPairs(number, SiteName(number) + ":\n" + std::string(line), load + "\n",
               "gprofhub_tail_call", ".LghJ" + std::to_string(number));
    Put(line);
  }

  void CountTailPointer(const Statement& statement, std::string_view pointer) {
    needs_runtime_ = true;
    if (pointer != "%r11") Put("\tmovq\t" + std::string(pointer) + ", %r11");
    Put("\tcall\t*gprofhub_tail_pointer@GOTPCREL(%rip)");
    Put(ThroughR11(statement));
  }

  // A GOT reference leads to the symbol it names.
  static bool LeadsToSymbol(std::string_view pointer) {
    return Contains(pointer, "@GOTPCREL(%rip)");
  }

  void Call(const Statement& statement, std::string_view line) {
    const std::string_view callee = DirectTarget(statement.operands);
    if (IsNeverCounted(callee) || symbols_.IsLocalLabel(callee)) {
      Put(line);
    } else if (!callee.empty()) {
      CountDirect(line);
    } else if (StartsWith(statement.operands, "*")) {
      const std::string_view pointer = statement.operands.substr(1);
      if (Contains(pointer, "__tls_get_addr") || Contains(pointer, "@TLS")) {
        Put(line);
      } else if (LeadsToSymbol(pointer)) {
        CountDirect(line);
      } else {
        CountIndirect(statement, pointer);
      }
    } else {
      Put(line);
    }
  }

  static std::string LoadAddress(std::string_view callee) {
    return "\tleaq\t" + std::string(callee) + "(%rip), %r11";
  }

  void Jump(const Statement& statement, std::string_view line) {
    const std::string_view callee = DirectTarget(statement.operands);
    const bool indirect = StartsWith(statement.operands, "*");
    if (IsNeverCounted(callee) || symbols_.IsLocalLabel(callee) || IsColdPart(callee)) {
      Put(line);
    } else if (!callee.empty()) {
      CountTail(LoadAddress(statement.operands), line);
    } else if (indirect && symbols_.by_gcc && statement.comment.empty()) {
      throw OptionMissing(
          "cannot distinguish gcc's tail calls from its switch statements; compile with -dp, which "
          "--config=gprof adds");
    } else if (indirect && (Contains(statement.comment, "sibcall") ||
                            Contains(statement.comment, "TAILCALL"))) {
      const std::string_view pointer = statement.operands.substr(1);
      if (LeadsToSymbol(pointer)) {
        CountTail("\tmovq\t" + std::string(pointer) + ", %r11", line);
      } else {
        CountTailPointer(statement, pointer);
      }
    } else {
      Put(line);
    }
  }

  void ConditionalJump(const Statement& statement, std::string_view line) {
    const std::string_view callee = DirectTarget(statement.operands);
    if (callee.empty() || symbols_.IsLocalLabel(callee) || IsColdPart(callee)) {
      Put(line);
      return;
    }
    const std::string condition(statement.mnemonic.substr(1));
    if (StartsWith(condition, "cx") || StartsWith(condition, "ecx") ||
        StartsWith(condition, "rcx") || condition == "pe" || condition == "po") {
      throw CannotInstrument("unsupported tail call by " + std::string(statement.mnemonic));
    }
    const std::string past = ".LghN" + std::to_string(used_ + 1);
    Put("\tj" + (condition[0] == 'n' ? condition.substr(1) : "n" + condition) + "\t" + past);
    CountTail(LoadAddress(statement.operands), "\tjmp\t" + std::string(statement.operands));
    Put(past + ":");
  }

  void PutTable(const std::string& group, const Table& sites) {
    Put(SectionDirective("gprofhub_counters", "aw", "nobits", group));
    Put("\t.p2align\t3");
    for (const Site& site : sites) {
      if (site.kind == kFunction) continue;
      Put(CounterName(site.number) + ":");
      Put(site.kind == kIndirect || site.kind == kTail ? "\t.zero\t32" : "\t.zero\t8");
    }
    Put(SectionDirective("gprofhub_sites", "a", "progbits", group));
    Put("\t.p2align\t2");
    Put(TableName(sites) + ":");
    for (const Site& site : sites) {
      const std::string counter = site.kind == kFunction ? "0" : CounterName(site.number) + "-.";
      Put("\t.long\t" + counter + ", " + SiteName(site.number) + "-., " +
          std::to_string(site.kind));
    }
  }

  const Symbols symbols_;
  InlineAssembly inline_assembly_;
  Sections sections_;
  std::string out_;
  std::map<std::string, Table> tables_;  // by group
  bool needs_runtime_ = false;           // even without a site
  int used_ = 0;
  int entry_ = 0;  // the site of a function whose entry is not counted yet
};

}  // namespace

std::string CountCalls(std::string_view text, bool* counted) {
  CallCounters counters(text);
  ForEachLineOfCode(
      text, [&](std::string_view line) { counters.Line(line); },
      [&](std::string_view data) { counters.Data(data); });
  return counters.Finish(counted);
}

}  // namespace gprofhub
