// Blocks are found from what the text says of control flow, and what it does not
// say is assumed in the safe direction: a label that anything but a jump names is
// entered from anywhere, and a call may end the program, throw, or return twice,
// unless it is known to return once.
//
// Which calls are known: a few of libc's, and functions of this file that call
// only such ones and leave by returning. The more there are, the fewer counters
// it takes.
#include "runtime/assembler/code.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "runtime/assembler/statements.h"

namespace gprofhub {
namespace {

using SymbolSet = std::unordered_set<std::string_view>;

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
template <typename List>
bool Holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Calls after which the program goes on, once, whatever happens.
bool AlwaysReturns(std::string_view callee) {
  static const SymbolSet kKnown = {
      "memcpy",        "memmove", "memset",  "memcmp",  "memchr",
      "strlen",        "strcmp",  "strncmp", "strchr",  "strrchr",
      "strcpy",        "strncpy", "strcat",  "strstr",  "strtol",
      "strtoul",       "malloc",  "free",    "realloc", "calloc",
      "_ZdlPv",        "_ZdaPv",  "_ZdlPvm", "_ZdaPvm", "mcount",
      "__fentry__",    "sin",     "cos",     "exp",     "log",
      "pow",           "sqrt",    "floor",   "ceil",    "fmod",
      "toupper",       "tolower", "strspn",  "strtod",  "__cxa_begin_catch",
      "__tls_get_addr"};
  return kKnown.count(callee) != 0;
}

bool NeverReturns(std::string_view callee) {
  static const SymbolSet kKnown = {"abort",
                                   "exit",
                                   "_exit",
                                   "__assert_fail",
                                   "__stack_chk_fail",
                                   "__cxa_throw",
                                   "__cxa_rethrow",
                                   "_Unwind_Resume",
                                   "_ZSt9terminatev",
                                   "__clang_call_terminate"};
  return kKnown.count(callee) != 0 || StartsWith(callee, "_ZSt20__throw_") ||
         StartsWith(callee, "_ZSt17__throw_") || StartsWith(callee, "_ZSt19__throw_");
}

// The user's own assembly that may leave, or come back otherwise than at its end.
bool MayBranch(std::string_view assembly) {
  return Contains(assembly, ".L") || Contains(assembly, "call") || Contains(assembly, "jmp") ||
         Contains(assembly, "ret") || Contains(assembly, "syscall") || Contains(assembly, "int");
}

struct Section {
  std::string group;
  bool code = false;
  bool debug = false;       // its references do not count
  bool exceptions = false;  // a table of landing pads
  bool cold = false;
  int last_block = -1;
  uint32_t file = 0, line = 0;
};

// Which section is being written to.
class Sections {
 public:
  Sections() { Switch(Named(".text", {})); }

  // True if the directive was one that says so.
  bool Follow(const Statement& statement) {
    const std::string_view name = statement.mnemonic;
    if (name == ".section" || name == ".pushsection") {
      if (name == ".pushsection") stack_.push_back(current_);
      const std::vector<std::string_view> parts = SplitOperands(statement.operands);
      Switch(Named(parts[0], parts));
    } else if (name == ".text" || name == ".data" || name == ".bss") {
      Switch(Named(name, {}));
    } else if (name == ".popsection") {
      if (!stack_.empty()) {
        Switch(stack_.back());
        stack_.pop_back();
      }
    } else if (name == ".previous") {
      Switch(previous_);
    } else {
      return false;
    }
    return true;
  }

  Section& current() { return all_[current_]; }
  int index() const { return current_; }
  const std::vector<Section>& all() const { return all_; }

 private:
  void Switch(int to) {
    previous_ = current_;
    current_ = to;
  }

  // NAME,"FLAGS",@TYPE[,ENTRY SIZE],GROUP,comdat. Without flags: as before.
  int Named(std::string_view name, const std::vector<std::string_view>& parts) {
    std::string group;
    if (parts.size() > 1 && Contains(parts[1], "G")) {
      const size_t at = 3 + (Contains(parts[1], "M") ? 1 : 0);
      if (parts.size() > at) group = parts[at];
    } else if (parts.size() <= 1 && latest_.count(name) != 0) {
      return latest_[name];
    }
    const auto [entry, is_new] =
        known_.insert({{std::string(name), group}, static_cast<int>(all_.size())});
    latest_[entry->first.first] = entry->second;
    if (!is_new) return entry->second;
    Section section;
    section.group = group;
    section.code = parts.size() > 1 ? Contains(parts[1], "x") : StartsWith(name, ".text");
    section.debug = StartsWith(name, ".debug") || StartsWith(name, ".note");
    section.exceptions = StartsWith(name, ".gcc_except_table");
    section.cold = StartsWith(name, ".text.unlikely");
    all_.push_back(section);
    return entry->second;
  }

  std::vector<Section> all_;
  std::map<std::pair<std::string, std::string>, int> known_;
  std::unordered_map<std::string_view, int> latest_;  // of a name, whatever the group
  std::vector<int> stack_;
  int current_ = 0, previous_ = 0;
};

bool IsConditional(std::string_view mnemonic) {
  if (mnemonic == "xbegin" || StartsWith(mnemonic, "loop")) return true;
  return mnemonic.size() > 1 && mnemonic[0] == 'j' && mnemonic != "jmp" && mnemonic != "jmpq";
}

bool IsPrefix(std::string_view mnemonic) {
  static constexpr std::array<std::string_view, 10> kPrefixes = {
      "rep", "repe", "repz", "repne", "repnz", "lock", "data16", "rex64", "rex.w", "cs"};
  return Holds(kPrefixes, mnemonic);
}

bool IsData(std::string_view directive) {
  static constexpr std::array<std::string_view, 12> kData = {
      ".byte",  ".value", ".word",  ".short", ".2byte", ".long",
      ".4byte", ".quad",  ".8byte", ".zero",  ".ascii", ".string"};
  return Holds(kData, directive);
}

CodeItem::FlagsUse FlagsUseOf(std::string_view mnemonic) {
  if (IsConditional(mnemonic)) {
    // jcxz and loop read no flags; taking them for readers is safe.
    return CodeItem::kRead;
  }
  for (std::string_view reader : {"set", "cmov", "adc", "adox", "sbb", "rcl", "rcr", "lahf",
                                  "pushf", "cmc", "fcmov", "salc"}) {
    if (StartsWith(mnemonic, reader)) return CodeItem::kRead;
  }
  static const SymbolSet kWriters = {"add", "sub", "cmp", "test", "and",
                                     "or",  "xor", "neg", "imul", "mul"};
  if (StartsWith(mnemonic, "comis") || StartsWith(mnemonic, "ucomis") ||
      StartsWith(mnemonic, "vcomis") || StartsWith(mnemonic, "vucomis")) {
    return CodeItem::kWritten;
  }
  if (kWriters.count(mnemonic) != 0) return CodeItem::kWritten;
  if (!mnemonic.empty() &&
      std::string_view("bwlq").find(mnemonic.back()) != std::string_view::npos) {
    mnemonic.remove_suffix(1);
    if (kWriters.count(mnemonic) != 0) return CodeItem::kWritten;
  }
  return CodeItem::kNone;
}

// Lines, with each stretch of the user's own assembly as one.
template <typename Visit>
void ForEachPiece(std::string_view text, Visit visit) {
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const size_t first = line.find_first_not_of(" \t");
    const bool own = first != std::string_view::npos && StartsWith(line.substr(first), "#APP");
    if (own) {
      const size_t close = std::min(text.find("#NO_APP", end), text.size());
      end = std::min(text.find('\n', close), text.size());
    }
    visit(start, end, own);
    start = end + 1;
  }
}

// A function of the file, as far as it matters for "always returns".
struct Body {
  bool unsure = false;
  std::vector<std::string_view> calls;
};

// What must be known of the whole file beforehand.
struct References {
  SymbolSet jumped;   // labels that jumps lead to
  SymbolSet entered;  // labels named otherwise
  SymbolSet returning;
  bool Heads(std::string_view label) const {
    return jumped.count(label) != 0 || entered.count(label) != 0;
  }
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

  // The functions that always return: the least set closed under their calls.
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
    // Another module's function may stand in for one called through the PLT.
    const bool own = !Contains(statement.operands, "@");
    if (own || AlwaysReturns(callee)) {
      body_->calls.push_back(callee);
    } else {
      body_->unsure = true;
    }
  }

 public:
  // Jumps into another function's code (its cold part): not looked into.
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

class BlockReader {
 public:
  explicit BlockReader(const References& references) : references_(references) {}

  void Piece(std::string_view text, size_t begin, size_t end, bool own) {
    const std::string_view piece = text.substr(begin, end - begin);
    Section& section = sections_.current();
    if (own) {
      if (!section.code) return;
      CodeItem item = NewItem(begin, end);
      item.flags = CodeItem::kWritten;  // every such stretch counts as changing them
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
    } else if (section.code && statement.mnemonic != "endbr64") {
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

  // Begins a block behind the section's last one, which leads to it unless
  // `follows` says that it cannot.
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
    if (function || references_.entered.count(label) != 0) code_.blocks[block].entered = true;
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
    // The linker replaces the sequence from here to the call as a whole.
    item.with_next =
        Contains(statement.operands, "@tlsgd") || Contains(statement.operands, "@tlsld");
    if (name == "call" || name == "callq") {
      item.flags = CodeItem::kWritten;
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
      item.flags = CodeItem::kNone;
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

  // A jump to a function is a call as far as this goes: the linker may take
  // another file's function of that name.
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
  Sections sections_;
  Code code_;
  std::vector<int> owner_;   // of each item, its block
  std::vector<int> before_;  // of each block, the one before it in its section, or -1
  std::vector<int> sizes_;   // of each block, in items
  std::map<int, bool> closed_;
  std::unordered_map<std::string_view, int> labels_;
  std::vector<std::pair<int, std::string_view>> jumps_;
};

// The flags are live at a block's start if they are read before they are
// written, here or in what follows.
void FindLiveFlags(Code& code) {
  std::vector<bool> transparent(code.blocks.size());
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    CodeBlock& block = code.blocks[b];
    transparent[b] = true;
    for (size_t i = block.first_item; i < block.items_end && transparent[b]; ++i) {
      if (code.items[i].flags == CodeItem::kNone) continue;
      transparent[b] = false;
      block.flags_live = code.items[i].flags == CodeItem::kRead;
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
  BlockReader reader(references);
  ForEachPiece(text,
               [&](size_t begin, size_t end, bool own) { reader.Piece(text, begin, end, own); });
  Code code = reader.Finish();
  FindLiveFlags(code);
  return code;
}

}  // namespace gprofhub
