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
//
// A counter is one instruction, an addition to memory. It changes the flags, so it is placed where
// they are dead, anywhere in its block. If there is no such place, the flags are saved below the
// red zone of the stack.
#include "runtime/assembler/block_counters.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "runtime/assembler/code.h"
#include "runtime/assembler/sections.h"

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

namespace {

// As in profile/format/recording.h; this program is compiled without it.
enum SiteKind { kBlock = 5, kPlus = 6, kMinus = 7, kAlso = 8 };

class BlockCounters {
 public:
  explicit BlockCounters(std::string_view text)
      : text_(text), code_(ReadCode(text)), graph_(MakeBlockGraph(code_)) {}

  std::string Place(bool* counted) {
    PutCounters();
    PutSites();
    *counted = graph_.counters > 0;
    return Write();
  }

 private:
  struct Table {
    std::string sites;
    int number;
  };

  static std::string CounterName(int number) { return ".LghB" + std::to_string(number); }
  static std::string SiteName(int number) { return ".LghA" + std::to_string(number); }
  static std::string TableName(const Table& table) {
    return ".LghU" + std::to_string(table.number);
  }

  std::string Increment(int counter, bool safe) const {
    std::string addition = "\taddq\t$1, %gs:" + CounterName(counter) + "(%rip)\n";
    if (safe) return addition;
    return "\tleaq\t-128(%rsp), %rsp\n\tpushfq\n" + addition + "\tpopfq\n\tleaq\t128(%rsp), %rsp\n";
  }

  void PutCounters() {
    for (Edge& edge : graph_.edges) {
      const CodeBlock& block = code_.blocks[edge.block];
      if (edge.node && edge.too_long && edge.place == Edge::kInBlock) {
        edge.counter = graph_.counters++;
        edge.sum = {{edge.counter, false}};
      }
      if (edge.counter < 0) continue;
      counters_[code_.groups[block.section]].push_back(edge.counter);
      if (edge.place == Edge::kInBlock) {
        bool safe = true;
        const size_t position = CounterPosition(code_, block, &safe);
        insertions_[code_.items[position].begin] += Increment(edge.counter, safe);
      } else {
        const bool safe = block.next < 0 || !code_.blocks[block.next].flags_live;
        const size_t behind = code_.items[block.items_end - 1].end + 1;
        behind_[behind] += Increment(edge.counter, safe);
      }
    }
  }

  // Each line of a block, at its first instruction, and the two branches of a loop's conditional
  // jump.
  void PutSites() {
    for (const Edge& edge : graph_.edges) {
      const CodeBlock& block = code_.blocks[edge.block];
      if (edge.sum.empty()) continue;
      if (edge.node) {
        std::set<std::pair<uint32_t, uint32_t>> lines;
        bool first = true;
        for (size_t i = block.first_item; i < block.items_end; ++i) {
          const CodeItem& item = code_.items[i];
          if (i > block.first_item && code_.items[i - 1].with_next) continue;
          if (item.line == 0 && (i > block.first_item || HasLines(block))) continue;
          if (IsWayBack(block, i) || !lines.insert({item.file, item.line}).second) continue;
          AddSite(block, edge.sum, LabelBefore(item), first);
          first = false;
        }
      } else if (block.end == BlockEnd::kConditional && IsLoopEnd(edge.block)) {
        // The jump's own address, and one inside it: both belong to its line.
        const bool behind = edge.place == Edge::kBehindBlock;
        const std::string label = LabelBefore(code_.items[block.items_end - 1]);
        AddSite(block, edge.sum, behind ? label + "+1" : label, true);
      }
    }
  }

  bool HasLines(const CodeBlock& block) const {
    return std::any_of(code_.items.begin() + static_cast<long>(block.first_item),
                       code_.items.begin() + static_cast<long>(block.items_end),
                       [](const CodeItem& item) { return item.line != 0; });
  }

  // A jump to its own line, as in an endless loop: the line is executed there.
  bool IsWayBack(const CodeBlock& block, size_t i) const {
    if (block.end != BlockEnd::kJump || block.target < 0 || i + 1 != block.items_end) return false;
    const CodeBlock& target = code_.blocks[block.target];
    if (target.first_item == target.items_end) return false;
    const CodeItem& there = code_.items[target.first_item];
    return there.file == code_.items[i].file && there.line == code_.items[i].line;
  }

  bool IsLoopEnd(int b) const {
    const CodeBlock& block = code_.blocks[b];
    return block.target >= 0 && block.target <= b &&
           code_.blocks[block.target].section == block.section;
  }

  std::string LabelBefore(const CodeItem& item) {
    const auto [entry, is_new] = labels_.insert({item.begin, labels_.size()});
    return SiteName(static_cast<int>(entry->second));
  }

  // The table of the block's group; the linker keeps it as long as the block's section.
  std::string& TableOf(const CodeBlock& block) {
    const auto [entry, is_new] =
        sites_.insert({code_.groups[block.section], {"", static_cast<int>(sites_.size())}});
    Table& table = entry->second;
    if (kept_for_.insert(block.section).second) {
      const size_t at = code_.items[block.first_item].begin;
      insertions_[at] += KeepDirective(TableName(table)) + "\n";
    }
    return table.sites;
  }

  void AddSite(const CodeBlock& block, const Sum& sum, const std::string& label, bool first) {
    std::string& out = TableOf(block);
    const auto put = [&](const std::string& counter, SiteKind kind) {
      out += "\t.long\t" + counter + ", " + label + "-., " + std::to_string(kind) + "\n";
    };
    if (!first) {
      put("0", kAlso);
      return;
    }
    // Added terms come first: the first term begins the sum.
    Sum terms = sum;
    std::stable_partition(terms.begin(), terms.end(), [](const Term& term) { return !term.less; });
    for (size_t i = 0; i < terms.size(); ++i) {
      put(CounterName(terms[i].counter) + "-.", i == 0 ? kBlock : terms[i].less ? kMinus : kPlus);
    }
  }

  std::string Write() {
    std::string out;
    out.reserve(text_.size() + text_.size() / 4);
    size_t done = 0;
    const auto copy_to = [&](size_t end) {
      end = std::min(end, text_.size());
      out.append(text_.substr(done, end - done));
      done = end;
    };
    // A counter after a block, then a counter before an item, then its label.
    std::map<size_t, std::string> all;
    for (auto& [at, added] : behind_) all[at] += added;
    for (auto& [at, added] : insertions_) all[at] += added;
    for (auto& [at, number] : labels_) all[at] += SiteName(static_cast<int>(number)) + ":\n";
    for (const auto& [at, added] : all) {
      copy_to(at);
      if (!out.empty() && out.back() != '\n') out += '\n';
      out += added;
    }
    copy_to(text_.size());
    if (!out.empty() && out.back() != '\n') out += '\n';
    for (const auto& [group, counters] : counters_) {
      out += SectionDirective("gprofhub_counters", "aw", "nobits", group) + "\n\t.p2align\t3\n";
      for (int counter : counters) out += CounterName(counter) + ":\n\t.zero\t8\n";
    }
    for (const auto& [group, table] : sites_) {
      out += SectionDirective("gprofhub_sites", "a", "progbits", group) + "\n\t.p2align\t2\n" +
             TableName(table) + ":\n" + table.sites;
    }
    return out;
  }

  const std::string_view text_;
  const Code code_;
  BlockGraph graph_;
  std::map<size_t, std::string> insertions_, behind_;  // by offset in the text
  std::map<size_t, size_t> labels_;                    // number, by offset in the text
  std::map<std::string, std::vector<int>> counters_;   // by group
  std::map<std::string, Table> sites_;                 // by group
  std::set<int> kept_for_;                             // sections that keep their table
};

}  // namespace

std::string CountBlocks(std::string_view text, bool* counted) {
  return BlockCounters(text).Place(counted);
}

}  // namespace gprofhub
