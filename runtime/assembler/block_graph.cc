// Not every block needs a counter: control flow that enters a block leaves it, so a few counts
// determine the others (Knuth, The Art of Computer Programming, volume 1, 2.3.4.1). The blocks are
// the edges of a graph, from an entrance to an exit, and so are the jumps from exit to entrance;
// one more vertex, the outside, represents callers, callees that may not return, landing pads and
// switches. The counts are a circulation in this graph. The edges outside a spanning tree are
// counted, and the count of each other edge is a signed sum of theirs.
//
// The tree first takes the edges where no counter can be placed (a conditional jump that is taken,
// an exception that leaves a callee): an exit has at most one such edge, so they never form a
// cycle. Then it takes the edges that are likely to be executed often, so that the counters are
// placed where they cost least.
//
// The reader of the counts must add up the terms. A block whose sum has too many terms gets a
// redundant counter instead.
#include "runtime/assembler/block_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gprofhub {
namespace {

constexpr size_t kMaxTerms = 12;
constexpr double kSavingFlags = 30;  // relative to a plain addition

constexpr int kOutside = 0;
int Entrance(size_t block) { return 1 + 2 * static_cast<int>(block); }
int Exit(size_t block) { return 2 + 2 * static_cast<int>(block); }

// Estimated execution frequency of each block: times eight for each loop around it, half on each
// side of a branch.
std::vector<double> GuessFrequencies(const Code& code) {
  const size_t count = code.blocks.size();
  std::vector<int> change(count + 1), ways_in(count), from(count, -1);
  for (size_t b = 0; b < count; ++b) {
    const CodeBlock& block = code.blocks[b];
    const int target = block.target;
    const bool jumps = block.end == BlockEnd::kJump || block.end == BlockEnd::kConditional;
    if (jumps && target >= 0) {
      ++ways_in[target];
      from[target] = static_cast<int>(b);
      if (target <= static_cast<int>(b) && code.blocks[target].section == block.section) {
        ++change[target];
        --change[b + 1];
      }
    }
    if (block.next >= 0) {
      ++ways_in[block.next];
      from[block.next] = static_cast<int>(b);
    }
  }
  std::vector<double> share(count, 1), frequencies(count);
  int depth = 0;
  for (size_t b = 0; b < count; ++b) {
    depth += change[b];
    const CodeBlock& block = code.blocks[b];
    const int before = from[b];
    if (ways_in[b] == 1 && !block.entered && before < static_cast<int>(b)) {
      const bool branch = code.blocks[before].end == BlockEnd::kConditional;
      // Compilers place the likelier side next.
      const double side = code.blocks[before].next == static_cast<int>(b) ? 0.6 : 0.4;
      share[b] = share[before] * (branch ? side : 1);
    }
    frequencies[b] = share[b] * (1 << 3 * std::min(depth, 8)) * (block.cold ? 0.001 : 1);
  }
  return frequencies;
}

class GraphMaker {
 public:
  explicit GraphMaker(const Code& code) : code_(code) {}

  BlockGraph Make() {
    MakeEdges();
    FindTree();
    AddUp();
    return std::move(graph_);
  }

 private:
  void AddEdge(int from, int to, size_t block, Edge::Place place, bool node, double cost) {
    Edge edge = {from, to, static_cast<int>(block), place, node, cost, false, -1, {}, false};
    graph_.edges.push_back(std::move(edge));
  }

  void MakeEdges() {
    const std::vector<double> frequencies = GuessFrequencies(code_);
    for (size_t b = 0; b < code_.blocks.size(); ++b) {
      const CodeBlock& block = code_.blocks[b];
      bool is_safe = true;
      CounterPosition(code_, block, &is_safe);
      const double cost = frequencies[b] * (is_safe ? 1 : kSavingFlags);
      // An empty block's label is at the end of a section.
      const Edge::Place here =
          block.first_item == block.items_end ? Edge::kNowhere : Edge::kInBlock;
      AddEdge(Entrance(b), Exit(b), b, here, true, cost);
      if (block.entered) AddEdge(kOutside, Entrance(b), b, Edge::kNowhere, false, 0);
      const int next = block.next >= 0 ? Entrance(block.next) : kOutside;
      const int target = block.target >= 0 ? Entrance(block.target) : kOutside;
      switch (block.end) {
        case BlockEnd::kFallsThrough:
          AddEdge(Exit(b), next, b, here, false, cost);
          break;
        case BlockEnd::kJump:
          AddEdge(Exit(b), target, b, here, false, cost);
          break;
        case BlockEnd::kLeaves:
          AddEdge(Exit(b), kOutside, b, here, false, cost);
          break;
        case BlockEnd::kConditional:
          AddEdge(Exit(b), target, b, Edge::kNowhere, false, 0);
          AddEdge(Exit(b), next, b, Edge::kBehindBlock, false, CostBehind(b, frequencies));
          break;
        case BlockEnd::kCall:
          AddEdge(Exit(b), kOutside, b, Edge::kNowhere, false, 0);
          AddEdge(Exit(b), next, b, Edge::kBehindBlock, false, CostBehind(b, frequencies));
          break;
      }
    }
  }

  double CostBehind(size_t b, const std::vector<double>& frequencies) const {
    const int next = code_.blocks[b].next;
    if (next < 0) return 0;
    const double frequency = std::min(frequencies[b], frequencies[next]);
    return frequency * (code_.blocks[next].flags_live ? kSavingFlags : 1);
  }

  // Kruskal's algorithm: edges without a place for a counter first, then by descending cost.
  void FindTree() {
    std::vector<int> leader(1 + 2 * code_.blocks.size());
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](int v) {
      while (leader[v] != v) v = leader[v] = leader[leader[v]];
      return v;
    };
    std::vector<size_t> order(graph_.edges.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const bool first = graph_.edges[a].place == Edge::kNowhere;
      const bool second = graph_.edges[b].place == Edge::kNowhere;
      return first != second ? first : graph_.edges[a].cost > graph_.edges[b].cost;
    });
    for (size_t e : order) {
      Edge& edge = graph_.edges[e];
      const int from = find(edge.from), to = find(edge.to);
      edge.in_tree = from != to;
      if (edge.in_tree) {
        leader[from] = to;
      } else if (edge.place != Edge::kNowhere) {
        edge.counter = graph_.counters++;
        edge.sum = {{edge.counter, false}};
      }
    }
  }

  // Each counted edge closes one cycle with the tree, and its count flows around that cycle.
  void AddUp() {
    const size_t vertices = 1 + 2 * code_.blocks.size();
    std::vector<std::vector<size_t>> at(vertices);
    for (size_t e = 0; e < graph_.edges.size(); ++e) {
      if (!graph_.edges[e].in_tree) continue;
      at[graph_.edges[e].from].push_back(e);
      at[graph_.edges[e].to].push_back(e);
    }
    std::vector<int> depth(vertices, -1);
    std::vector<size_t> up(vertices);  // edge towards the root
    std::vector<int> queue;
    const auto reach = [&](int root) {
      depth[root] = 0;
      queue.assign(1, root);
      for (size_t i = 0; i < queue.size(); ++i) {
        const int v = queue[i];
        for (size_t e : at[v]) {
          const int other = graph_.edges[e].from == v ? graph_.edges[e].to : graph_.edges[e].from;
          if (depth[other] >= 0) continue;
          depth[other] = depth[v] + 1;
          up[other] = e;
          queue.push_back(other);
        }
      }
    };
    for (size_t v = 0; v < vertices; ++v) {
      if (depth[v] < 0) reach(static_cast<int>(v));
    }
    for (size_t c = 0; c < graph_.edges.size(); ++c) {
      if (graph_.edges[c].in_tree || graph_.edges[c].counter < 0) continue;
      // From the head of the counted edge back to its tail.
      int here = graph_.edges[c].to, there = graph_.edges[c].from;
      while (here != there) {
        const bool leave_here = depth[here] >= depth[there];
        int& v = leave_here ? here : there;
        Edge& edge = graph_.edges[up[v]];
        const bool upwards = edge.from == v;
        Append(edge, {graph_.edges[c].counter, upwards != leave_here});
        v = upwards ? edge.to : edge.from;
      }
    }
  }

  static void Append(Edge& edge, Term term) {
    if (edge.too_long) return;
    if (edge.sum.size() == kMaxTerms) {
      edge.too_long = true;
      edge.sum.clear();
    } else {
      edge.sum.push_back(term);
    }
  }

  const Code& code_;
  BlockGraph graph_;
};

}  // namespace

size_t CounterPosition(const Code& code, const CodeBlock& block, bool* safe) {
  bool live =
      (block.next >= 0 && code.blocks[block.next].flags_live) ||
      (block.target >= 0 && block.end != BlockEnd::kLeaves && code.blocks[block.target].flags_live);
  if (block.end == BlockEnd::kLeaves || block.end == BlockEnd::kCall) live = false;
  size_t position = block.items_end;
  for (size_t i = block.items_end; i-- > block.first_item;) {
    if (code.items[i].flags == FlagsUse::kRead) live = true;
    if (code.items[i].flags == FlagsUse::kWritten) live = false;
    const bool apart = i == block.first_item || !code.items[i - 1].with_next;
    if (!live && apart) position = i;
  }
  *safe = position != block.items_end;
  return *safe ? position : block.first_item;
}

BlockGraph MakeBlockGraph(const Code& code) { return GraphMaker(code).Make(); }

}  // namespace gprofhub
