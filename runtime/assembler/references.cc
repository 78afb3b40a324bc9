// Calls that are known to return: some functions of libc, and functions of this file that call only
// such functions and leave by returning. The more are known, the fewer counters are needed.
#include "runtime/assembler/references.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/assembler/pieces.h"
#include "runtime/assembler/sections.h"
#include "runtime/assembler/statements.h"
#include "runtime/assembler/text_parts.h"

namespace gprofhub {
namespace {

// The properties of a function of this file that decide whether it always returns.
struct Body {
  bool unsure = false;
  std::vector<std::string_view> calls;
};

class ReferenceReader {
 public:
  explicit ReferenceReader(References& out) : out_(out) {}

  void Piece(std::string_view piece, bool own) {
    if (own) {
      for (std::string_view symbol : SymbolsIn(piece)) out_.entered.insert(symbol);
      if (body_ && MayBranch(piece)) body_->unsure = true;
      return;
    }
    if (sections_.current().debug && !Contains(piece, "section") && !Contains(piece, ".text") &&
        !Contains(piece, ".previous")) {
      return;
    }
    const Statement statement = ParseStatement(piece);
    if (!statement.label.empty()) Label(statement.label);
    if (statement.mnemonic.empty()) return;
    if (IsDirective(statement)) {
      Directive(statement);
    } else if (sections_.current().code) {
      Instruction(statement);
    }
  }

  // The functions that always return: the least fixed point over their calls.
  void Finish() {
    for (bool more = true; more;) {
      more = false;
      for (const auto& [name, body] : bodies_) {
        if (body.unsure || out_.returning.count(name) != 0) continue;
        const bool sure = std::all_of(body.calls.begin(), body.calls.end(), [&](auto callee) {
          return AlwaysReturns(callee) || out_.returning.count(callee) != 0;
        });
        if (sure) more |= out_.returning.insert(name).second;
      }
    }
  }

 private:
  void Label(std::string_view label) {
    if (sections_.current().exceptions) {
      if (StartsWith(label, ".LLSDACSB") || StartsWith(label, ".Lcst_begin")) field_ = 0;
      if (StartsWith(label, ".LLSDACSE") || StartsWith(label, ".Lcst_end")) field_ = -1;
    }
    if (sections_.current().code && !StartsWith(label, ".L") &&
        (label[0] < '0' || label[0] > '9')) {
      body_ = &bodies_[label];
    }
    if (body_) owners_[label] = body_;
  }

  void Directive(const Statement& statement) {
    const std::string_view name = statement.mnemonic;
    if (sections_.Follow(statement) || StartsWith(name, ".cfi_") || name == ".loc" ||
        name == ".size" || name == ".type" || sections_.current().debug) {
      return;
    }
    const std::vector<std::string_view> symbols = SymbolsIn(statement.operands);
    if (sections_.current().exceptions && field_ >= 0) {
      // Start, length, landing pad, action.
      if (field_++ % 4 == 2 && !symbols.empty()) out_.entered.insert(symbols[0]);
      return;
    }
    out_.entered.insert(symbols.begin(), symbols.end());
  }

  void Instruction(const Statement& statement) {
    const std::string_view name = statement.mnemonic;
    const std::string_view target = DirectTarget(statement.operands);
    const bool call = name == "call" || name == "callq";
    if (!call && !target.empty() && (IsConditional(name) || name == "jmp" || name == "jmpq")) {
      out_.jumped.insert(target);
      if (body_ && StartsWith(target, ".L")) jumps_.push_back({body_, target});
      if (body_ && !StartsWith(target, ".L")) NoteCallee(statement, target);
      return;
    }
    if (call && !target.empty()) {
      if (StartsWith(target, ".L")) out_.entered.insert(target);
      if (body_) NoteCallee(statement, target);
      return;
    }
    if (body_ && (call || name == "ud2" || name == "hlt" || StartsWith(name, "jmp"))) {
      body_->unsure = true;
    }
    for (std::string_view symbol : SymbolsIn(statement.operands)) {
      if (StartsWith(symbol, ".L")) out_.entered.insert(symbol);
    }
  }

  void NoteCallee(const Statement& statement, std::string_view callee) {
    // Another module's function may preempt one that is called through the PLT.
    const bool own = !Contains(statement.operands, "@");
    if (own || AlwaysReturns(callee)) {
      body_->calls.push_back(callee);
    } else {
      body_->unsure = true;
    }
  }

 public:
  // Jumps into another function's code (its cold part) are not analysed.
  void CheckJumps() {
    for (const auto& [body, label] : jumps_) {
      const auto owner = owners_.find(label);
      if (owner == owners_.end() || owner->second != body) body->unsure = true;
    }
  }

 private:
  References& out_;
  Sections sections_;
  int field_ = -1;
  Body* body_ = nullptr;
  std::map<std::string_view, Body> bodies_;
  std::unordered_map<std::string_view, Body*> owners_;
  std::vector<std::pair<Body*, std::string_view>> jumps_;
};

}  // namespace

References ReadReferences(std::string_view text) {
  References references;
  ReferenceReader reader(references);
  ForEachPiece(text, [&](size_t begin, size_t end, bool own) {
    reader.Piece(text.substr(begin, end - begin), own);
  });
  reader.CheckJumps();
  reader.Finish();
  return references;
}

}  // namespace gprofhub
