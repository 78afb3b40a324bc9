// Blocks are derived from the control flow in the text. Unknown control flow is assumed
// conservatively: a label that is referenced other than by a jump may be entered from anywhere, and
// a call may end the program, throw, or return twice, unless it is known to return once.
#include "runtime/assembler/code.h"

#include <cstdlib>
#include <map>
#include <unordered_map>
#include <utility>

#include "runtime/assembler/pieces.h"
#include "runtime/assembler/references.h"
#include "runtime/assembler/sections.h"
#include "runtime/assembler/statements.h"
#include "runtime/assembler/text_parts.h"

namespace gprofhub {
namespace {

class BlockReader {
 public:
  BlockReader(const References& references, bool patchable)
      : references_(references), patchable_(patchable) {}

  void Piece(std::string_view text, size_t begin, size_t end, bool own) {
    const std::string_view piece = text.substr(begin, end - begin);
    Section& section = sections_.current();
    if (own) {
      if (!section.code) return;
      CodeItem item = NewItem(begin, end);
      item.flags = FlagsUse::kWritten;  // every such range counts as changing them
      Add(item);
      if (MayBranch(piece)) Close(BlockEnd::kCall);
      return;
    }
    if (!section.code && !Contains(piece, "section") && !Contains(piece, ".text") &&
        !Contains(piece, ".previous")) {
      return;
    }
    const Statement statement = ParseStatement(piece);
    if (!statement.label.empty() && section.code) Label(statement.label);
    if (statement.mnemonic.empty()) return;
    if (IsDirective(statement)) {
      Directive(statement, begin, end);
    } else if (section.code && statement.mnemonic != "endbr64" &&
               !(patchable_ && IsNop(statement) && BeginsFunction())) {
      Instruction(statement, begin, end);
    }
  }

  Code Finish() {
    for (const Section& section : sections_.all()) code_.groups.push_back(section.group);
    for (const auto& [block, label] : jumps_) {
      const auto target = labels_.find(label);
      if (target != labels_.end()) code_.blocks[block].target = target->second;
    }
    for (CodeBlock& block : code_.blocks) {
      if (block.end == BlockEnd::kJump && block.target < 0) block.end = BlockEnd::kLeaves;
      if ((block.end == BlockEnd::kFallsThrough || block.end == BlockEnd::kCall) &&
          block.next < 0) {
        block.end = BlockEnd::kLeaves;
      }
    }
    // A block's items were added while others were open: make them contiguous.
    std::vector<CodeItem> items;
    items.reserve(code_.items.size());
    std::vector<std::vector<size_t>> of(code_.blocks.size());
    for (size_t i = 0; i < code_.items.size(); ++i) of[owner_[i]].push_back(i);
    for (size_t b = 0; b < code_.blocks.size(); ++b) {
      code_.blocks[b].first_item = items.size();
      for (size_t i : of[b]) items.push_back(code_.items[i]);
      code_.blocks[b].items_end = items.size();
    }
    code_.items = std::move(items);
    return std::move(code_);
  }

 private:
  CodeItem NewItem(size_t begin, size_t end) {
    CodeItem item;
    item.begin = begin;
    item.end = end;
    item.file = sections_.current().file;
    item.line = sections_.current().line;
    return item;
  }

  // Begins a block after the section's last one, which falls through to it if `follows` is set.
  int Open(bool follows) {
    Section& section = sections_.current();
    const int number = static_cast<int>(code_.blocks.size());
    if (section.last_block >= 0 && follows) {
      CodeBlock& before = code_.blocks[section.last_block];
      if (before.end != BlockEnd::kJump && before.end != BlockEnd::kLeaves) before.next = number;
    }
    before_.push_back(follows ? section.last_block : -1);
    sizes_.push_back(0);
    code_.blocks.emplace_back();
    code_.blocks.back().section = sections_.index();
    code_.blocks.back().cold = section.cold;
    section.last_block = number;
    closed_[sections_.index()] = false;
    return number;
  }

  void Add(const CodeItem& item) {
    Section& section = sections_.current();
    if (section.last_block < 0 || closed_[sections_.index()]) Open(true);
    code_.items.push_back(item);
    owner_.push_back(section.last_block);
    ++sizes_[section.last_block];
  }

  void Close(BlockEnd end) {
    code_.blocks[sections_.current().last_block].end = end;
    closed_[sections_.index()] = true;
  }

  void Label(std::string_view label) {
    if (label[0] >= '0' && label[0] <= '9') return;
    const bool function = !StartsWith(label, ".L");
    if (!function && !references_.Heads(label)) return;
    Section& section = sections_.current();
    const bool fresh =
        section.last_block >= 0 && !closed_[sections_.index()] && sizes_[section.last_block] == 0;
    const int block = fresh ? section.last_block : Open(!function);
    if (fresh && function && before_[block] >= 0) code_.blocks[before_[block]].next = -1;
    labels_[label] = block;
    if (function) function_ = block;
    if (function || references_.entered.count(label) != 0) code_.blocks[block].entered = true;
  }

  // No instruction of a function's first block was read yet. Nops there may be those of
  // -fpatchable-function-entry: no counter may come before them.
  bool BeginsFunction() {
    const int block = sections_.current().last_block;
    return block >= 0 && function_ == block && sizes_[block] == 0;
  }

  void Directive(const Statement& statement, size_t begin, size_t end) {
    if (sections_.Follow(statement)) return;
    Section& section = sections_.current();
    if (!section.code) return;
    if (statement.mnemonic == ".loc") {
      const std::string operands(statement.operands);
      char* rest = nullptr;
      section.file = static_cast<uint32_t>(std::strtoul(operands.c_str(), &rest, 10));
      section.line = static_cast<uint32_t>(std::strtoul(rest, nullptr, 10));
    } else if (IsData(statement.mnemonic)) {
      CodeItem item = NewItem(begin, end);
      item.with_next = true;
      Add(item);
    }
  }

  void Instruction(const Statement& whole, size_t begin, size_t end) {
    Statement statement = whole;
    CodeItem item = NewItem(begin, end);
    if (IsPrefix(statement.mnemonic)) {
      if (statement.operands.empty()) {
        item.with_next = true;
        Add(item);
        return;
      }
      statement = ParseStatement(statement.operands);
    }
    const std::string_view name = statement.mnemonic;
    const std::string_view target = DirectTarget(statement.operands);
    item.flags = FlagsUseOf(name);
    // From here to the call, the linker replaces the sequence as a whole.
    item.with_next =
        Contains(statement.operands, "@tlsgd") || Contains(statement.operands, "@tlsld");
    if (name == "call" || name == "callq") {
      item.flags = FlagsUse::kWritten;
      Add(item);
      std::string_view callee = target;
      if (callee.empty()) callee = ThroughTable(statement.operands);
      const bool own = !Contains(statement.operands, "@");
      if (NeverReturns(callee)) {
        Close(BlockEnd::kLeaves);
      } else if (!AlwaysReturns(callee) && !(own && references_.returning.count(callee) != 0)) {
        Close(BlockEnd::kCall);
      }
    } else if (IsConditional(name)) {
      Add(item);
      NoteJump(target);
      Close(BlockEnd::kConditional);
    } else if (name == "jmp" || name == "jmpq") {
      item.flags = FlagsUse::kNone;
      Add(item);
      NoteJump(target);
      Close(!target.empty() && StartsWith(target, ".L") ? BlockEnd::kJump : BlockEnd::kLeaves);
    } else if (StartsWith(name, "ret") || StartsWith(name, "iret") || name == "ud2" ||
               name == "hlt") {
      Add(item);
      Close(BlockEnd::kLeaves);
    } else {
      Add(item);
    }
  }

  // A jump to a function counts as a call here: the linker may take another file's function of that
  // name.
  void NoteJump(std::string_view target) {
    if (StartsWith(target, ".L")) jumps_.push_back({sections_.current().last_block, target});
  }

  // "name" of "*name@GOTPCREL(%rip)".
  static std::string_view ThroughTable(std::string_view operands) {
    const size_t at = operands.find("@GOTPCREL(%rip)");
    if (at == std::string_view::npos || operands.empty() || operands[0] != '*') return {};
    return operands.substr(1, at - 1);
  }

  const References& references_;
  const bool patchable_;
  Sections sections_;
  Code code_;
  int function_ = -1;        // first block of the latest function
  std::vector<int> owner_;   // block, by item
  std::vector<int> before_;  // the preceding block in its section, or -1, by block
  std::vector<int> sizes_;   // number of items, by block
  std::map<int, bool> closed_;
  std::unordered_map<std::string_view, int> labels_;
  std::vector<std::pair<int, std::string_view>> jumps_;
};

// The flags are live at a block's start if they are read before they are written, in this block or
// in its successors.
void FindLiveFlags(Code& code) {
  std::vector<bool> transparent(code.blocks.size());
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    CodeBlock& block = code.blocks[b];
    transparent[b] = true;
    for (size_t i = block.first_item; i < block.items_end && transparent[b]; ++i) {
      if (code.items[i].flags == FlagsUse::kNone) continue;
      transparent[b] = false;
      block.flags_live = code.items[i].flags == FlagsUse::kRead;
    }
  }
  for (bool more = true; more;) {
    more = false;
    for (size_t b = code.blocks.size(); b-- > 0;) {
      CodeBlock& block = code.blocks[b];
      if (!transparent[b] || block.flags_live || block.end == BlockEnd::kLeaves) continue;
      const bool live = (block.next >= 0 && code.blocks[block.next].flags_live) ||
                        (block.target >= 0 && code.blocks[block.target].flags_live);
      if (live) more = block.flags_live = true;
    }
  }
}

}  // namespace

Code ReadCode(std::string_view text) {
  const References references = ReadReferences(text);
  BlockReader reader(references, Contains(text, "__patchable_function_entries"));
  ForEachPiece(text,
               [&](size_t begin, size_t end, bool own) { reader.Piece(text, begin, end, own); });
  Code code = reader.Finish();
  FindLiveFlags(code);
  return code;
}

}  // namespace gprofhub
