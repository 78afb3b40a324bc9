// Functions to be chained, and the arcs between each pair of them.
#pragma once

#include <cstdint>
#include <vector>

namespace gprofhub::analyzer {

struct ChainNode {
  uint64_t size = 0;   // bytes
  double weight = 0;   // how often it is entered
  uint32_t group = 0;  // only nodes of one group are chained
};

struct ChainArc {
  uint32_t from = 0;
  uint32_t to = 0;
  uint32_t site = 0;  // bytes from the beginning of `from`
  double weight = 0;
};

// No arc, at the end of a list.
inline constexpr uint32_t kNoArc = UINT32_MAX;

// Every node begins as a chain of its own, which it founds. A pair is two chains with arcs
// between them.
struct ChainPairs {
  // A pair of a chain.
  struct Neighbour {
    uint32_t pair;
    uint32_t founder;  // of the other chain
  };
  struct Pair {
    uint32_t first = 0;  // founders of the two chains
    uint32_t second = 0;
    uint32_t first_arc = kNoArc;  // of a list through Arc::next
    uint32_t last_arc = kNoArc;
    uint32_t version = 0;
    uint32_t nodes = 0;  // of both chains when it was valued
    bool first_leads = true;
  };
  struct Arc {
    uint32_t from;
    uint32_t to;
    uint32_t site;
    uint32_t next;  // of the same pair; kNoArc: it is the last
    double weight;
  };

  std::vector<Pair> pairs;
  std::vector<Arc> arcs;                         // those of a pair are adjacent
  std::vector<std::vector<Neighbour>> of_chain;  // by founder
};

// The pairs of the nodes' chains. Leaves out arcs without weight, those from a node to
// itself, and those between groups.
ChainPairs PairChains(const std::vector<ChainNode>& nodes, const std::vector<ChainArc>& arcs);

}  // namespace gprofhub::analyzer
