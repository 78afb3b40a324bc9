// The machine code of an assembly file as blocks: what is executed from its
// first instruction to its last, or, if something ends the program there, not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/assembler/instructions.h"

namespace gprofhub {

// An instruction, or bytes given by a directive, or a stretch of the user's own
// assembly (#APP to #NO_APP), which is one item.
struct CodeItem {
  size_t begin = 0;             // of its line, in the text
  size_t end = 0;               // behind the line's end
  uint32_t file = 0, line = 0;  // by .loc; line 0: unknown
  FlagsUse flags = FlagsUse::kNone;
  bool with_next = false;  // nothing may come between it and the next: a prefix
};

// How a block ends.
enum class BlockEnd : uint8_t {
  kFallsThrough,
  kJump,         // to `target`
  kConditional,  // to `target`, or on to the next
  kCall,         // on to the next, unless the callee never returns
  kLeaves        // return, jump to elsewhere or to an address, or a call that never returns
};

struct CodeBlock {
  size_t first_item = 0, items_end = 0;
  BlockEnd end = BlockEnd::kFallsThrough;
  int target = -1;  // block
  int next = -1;    // the block behind it, if it goes on there
  bool entered =
      false;          // also from where no jump of this file shows: function, landing pad, switch
  bool cold = false;  // in a section of unlikely code
  bool flags_live = false;  // at its start
  int section = 0;          // index into Code::groups
};

struct Code {
  std::vector<CodeItem> items;  // block by block
  std::vector<CodeBlock> blocks;
  std::vector<std::string> groups;  // by section: its group's name, empty if none
};

// Reads what gcc or clang wrote. `text` must outlive nothing.
Code ReadCode(std::string_view text);

}  // namespace gprofhub
