// Counters for blocks: the smallest number that determines every block's count. Selects the blocks
// and jumps to count, and expresses the other counts as sums.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/assembler/code.h"

namespace gprofhub {

// One of the counters whose signed sum is an edge's count.
struct Term {
  int counter;
  bool less;  // subtracted
};
using Sum = std::vector<Term>;

// A block, or a jump from one to another.
struct Edge {
  enum Place { kNowhere, kInBlock, kBehindBlock };
  int from, to;  // vertices
  int block;     // the block, or the source of the jump
  Place place;
  bool node;    // from a block's entrance to its exit
  double cost;  // of a counter here
  bool in_tree = false;
  int counter = -1;       // -1: not counted
  Sum sum;                // empty: unknown
  bool too_long = false;  // the sum has too many terms
};

// A place in a block where the flags are dead: the item that a counter may precede. If there is
// none, the first item, and *safe is false.
size_t CounterPosition(const Code& code, const CodeBlock& block, bool* safe);

struct BlockGraph {
  std::vector<Edge> edges;
  int counters = 0;  // numbered from 0
};

// The graph of `code`, with its counters and sums.
BlockGraph MakeBlockGraph(const Code& code);

// Returns `text`, a compiler's assembly, with counters and their tables
// (runtime/counters/counters.h), but without the constructor that registers them. *counted: whether
// there are any.
std::string CountBlocks(std::string_view text, bool* counted);

}  // namespace gprofhub
