// The machine code of an assembly file as basic blocks: executed from the first instruction to the
// last, unless the program ends in between.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/assembler/instructions.h"

namespace gprofhub {

// An instruction, bytes of a directive, or a range of inline assembly (#APP to #NO_APP), which is
// one item.
struct CodeItem {
  size_t begin = 0;             // of its line, in the text
  size_t end = 0;               // after the line's end
  uint32_t file = 0, line = 0;  // by .loc; line 0: unknown
  FlagsUse flags = FlagsUse::kNone;
  bool with_next = false;  // a prefix: nothing may be inserted after it
};

// How a block ends.
enum class BlockEnd : uint8_t {
  kFallsThrough,
  kJump,         // to `target`
  kConditional,  // to `target`, or falls through
  kCall,         // falls through, unless the callee never returns
  kLeaves        // return, jump out of the file or through a pointer, or a call that never returns
};

struct CodeBlock {
  size_t first_item = 0, items_end = 0;
  BlockEnd end = BlockEnd::kFallsThrough;
  int target = -1;  // block
  int next = -1;    // block after it, if it falls through
  bool entered =
      false;          // reachable other than by a jump of this file: function, landing pad, switch
  bool cold = false;  // in a section of unlikely code
  bool flags_live = false;  // at its start
  int section = 0;          // index into Code::groups
};

struct Code {
  std::vector<CodeItem> items;  // block by block
  std::vector<CodeBlock> blocks;
  std::vector<std::string> groups;  // by section: its group's name, empty if none
};

// Parses the output of gcc or clang. The result does not reference `text`.
Code ReadCode(std::string_view text);

}  // namespace gprofhub
