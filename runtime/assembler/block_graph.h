// Which of a program's blocks and ways between them to count, and how the others'
// counts follow.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/assembler/code.h"

namespace gprofhub {

// One of the counters whose counts add up to an edge's.
struct Term {
  int counter;
  bool less;  // taken away
};
using Sum = std::vector<Term>;

// A block, or a way from one to another.
struct Edge {
  enum Place { kNowhere, kInBlock, kBehindBlock };
  int from, to;  // vertices
  int block;     // whose, or behind which
  Place place;
  bool node;    // from a block's entrance to its exit
  double cost;  // of a counter there
  bool in_tree = false;
  int counter = -1;       // -1: not counted
  Sum sum;                // empty: unknown
  bool too_long = false;  // the sum has too many terms
};

// Where in a block the flags hold nothing: the item that a counter may be put
// before; the first item if there is none, and *safe is false.
size_t CounterPosition(const Code& code, const CodeBlock& block, bool* safe);

struct BlockGraph {
  std::vector<Edge> edges;
  int counters = 0;  // numbered from 0
};

// The graph of `code`, with its counters and sums.
BlockGraph MakeBlockGraph(const Code& code);

}  // namespace gprofhub
