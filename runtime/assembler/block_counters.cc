// A program's blocks need not all be counted: what enters a block leaves it, so a
// few counts determine the others (Knuth, The Art of Computer Programming,
// volume 1, 2.3.4.1). The blocks are taken as the edges of a graph, from an
// entrance to an exit, and so are the ways from exit to entrance; one more vertex,
// the outside, stands for callers, callees that may not return, landing pads and
// switches. In this graph a flow circulates. The edges outside a spanning tree
// are counted, and each other edge's count is a sum of theirs, plus or minus.
//
// The tree takes first what cannot be counted where it happens (a conditional jump
// that is taken, leaving a callee by an exception): an exit has at most one such
// way, so they never make a cycle. Then it takes what is likely to be executed
// often, so that the counters are put where they cost least.
//
// Who reads the counts must add up the terms. A sum of many is not worth it:
// such a block gets a counter of its own, though it needs none.
//
// A counter is one instruction, an addition to memory. It changes the flags, so
// it is put where they hold nothing: anywhere in its block will do. Where there
// is no such place they are saved, below the red zone of the stack.
#include "runtime/assembler/block_counters.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "runtime/assembler/code.h"

namespace gprofhub {
namespace {

// As in profile/recording_format.h; this program is compiled without it.
enum SiteKind { kBlock = 5, kPlus = 6, kMinus = 7, kAlso = 8 };

constexpr size_t kMaxTerms = 12;
constexpr double kSavingFlags = 30;  // times the cost of a mere addition

struct Term {
  int counter;
  bool less;
};
using Sum = std::vector<Term>;

struct Edge {
  enum Place { kNowhere, kInBlock, kBehindBlock };
  int from, to;  // vertices
  int block;     // whose, or behind which
  Place place;
  bool node;  // from a block's entrance to its exit
  double cost;
  bool in_tree = false;
  int counter = -1;
  Sum sum;
  bool too_long = false;
};

constexpr int kOutside = 0;
int Entrance(size_t block) { return 1 + 2 * static_cast<int>(block); }
int Exit(size_t block) { return 2 + 2 * static_cast<int>(block); }

// How often each block may be executed: eight times for each loop around it,
// half as often on each side of a branch.
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
      // Compilers let the likelier side follow.
      const double side = code.blocks[before].next == static_cast<int>(b) ? 0.6 : 0.4;
      share[b] = share[before] * (branch ? side : 1);
    }
    frequencies[b] = share[b] * (1 << 3 * std::min(depth, 8)) * (block.cold ? 0.001 : 1);
  }
  return frequencies;
}

// Where in a block the flags hold nothing: the item that a counter may be put
// before; the first item if there is none, and *safe is false.
size_t CounterPosition(const Code& code, const CodeBlock& block, bool* safe) {
  bool live =
      (block.next >= 0 && code.blocks[block.next].flags_live) ||
      (block.target >= 0 && block.end != BlockEnd::kLeaves && code.blocks[block.target].flags_live);
  if (block.end == BlockEnd::kLeaves || block.end == BlockEnd::kCall) live = false;
  size_t position = block.items_end;
  for (size_t i = block.items_end; i-- > block.first_item;) {
    if (code.items[i].flags == CodeItem::kRead) live = true;
    if (code.items[i].flags == CodeItem::kWritten) live = false;
    const bool apart = i == block.first_item || !code.items[i - 1].with_next;
    if (!live && apart) position = i;
  }
  *safe = position != block.items_end;
  return *safe ? position : block.first_item;
}

class BlockCounters {
 public:
  explicit BlockCounters(std::string_view text) : text_(text), code_(ReadCode(text)) {}

  std::string Place(bool* counted) {
    MakeEdges();
    FindTree();
    AddUp();
    PutCounters();
    PutSites();
    *counted = used_ > 0;
    return Write();
  }

 private:
  void AddEdge(int from, int to, size_t block, Edge::Place place, bool node, double cost) {
    Edge edge = {from, to, static_cast<int>(block), place, node, cost, false, -1, {}, false};
    edges_.push_back(std::move(edge));
  }

  void MakeEdges() {
    const std::vector<double> frequencies = GuessFrequencies(code_);
    std::vector<bool> safe(code_.blocks.size());
    positions_.resize(code_.blocks.size());
    for (size_t b = 0; b < code_.blocks.size(); ++b) {
      const CodeBlock& block = code_.blocks[b];
      bool is_safe = true;
      positions_[b] = CounterPosition(code_, block, &is_safe);
      safe[b] = is_safe;
      const double cost = frequencies[b] * (is_safe ? 1 : kSavingFlags);
      // An empty block's label stands at the end of a section.
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

  // Kruskal's: dearest first, what has no place before all.
  void FindTree() {
    std::vector<int> leader(1 + 2 * code_.blocks.size());
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](int v) {
      while (leader[v] != v) v = leader[v] = leader[leader[v]];
      return v;
    };
    std::vector<size_t> order(edges_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const bool first = edges_[a].place == Edge::kNowhere;
      const bool second = edges_[b].place == Edge::kNowhere;
      return first != second ? first : edges_[a].cost > edges_[b].cost;
    });
    for (size_t e : order) {
      Edge& edge = edges_[e];
      const int from = find(edge.from), to = find(edge.to);
      edge.in_tree = from != to;
      if (edge.in_tree) {
        leader[from] = to;
      } else if (edge.place != Edge::kNowhere) {
        edge.counter = used_++;
        edge.sum = {{edge.counter, false}};
      }
    }
  }

  // Each counted edge closes one cycle with the tree, and its count flows
  // around it.
  void AddUp() {
    const size_t vertices = 1 + 2 * code_.blocks.size();
    std::vector<std::vector<size_t>> at(vertices);
    for (size_t e = 0; e < edges_.size(); ++e) {
      if (!edges_[e].in_tree) continue;
      at[edges_[e].from].push_back(e);
      at[edges_[e].to].push_back(e);
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
          const int other = edges_[e].from == v ? edges_[e].to : edges_[e].from;
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
    for (size_t c = 0; c < edges_.size(); ++c) {
      if (edges_[c].in_tree || edges_[c].counter < 0) continue;
      // From where the counted edge arrives back to where it starts.
      int here = edges_[c].to, there = edges_[c].from;
      while (here != there) {
        const bool leave_here = depth[here] >= depth[there];
        int& v = leave_here ? here : there;
        Edge& edge = edges_[up[v]];
        const bool upwards = edge.from == v;
        Append(edge, {edges_[c].counter, upwards != leave_here});
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

  static std::string CounterName(int number) { return ".LghB" + std::to_string(number); }
  static std::string SiteName(int number) { return ".LghA" + std::to_string(number); }

  std::string Increment(int counter, bool safe) const {
    const std::string addition = "\taddq\t$1, %gs:" + CounterName(counter) + "(%rip)\n";
    if (safe) return addition;
    return "\tleaq\t-128(%rsp), %rsp\n\tpushfq\n" + addition + "\tpopfq\n\tleaq\t128(%rsp), %rsp\n";
  }

  void PutCounters() {
    for (Edge& edge : edges_) {
      const CodeBlock& block = code_.blocks[edge.block];
      if (edge.node && edge.too_long && edge.place == Edge::kInBlock) {
        edge.counter = used_++;
        edge.sum = {{edge.counter, false}};
      }
      if (edge.counter < 0) continue;
      counters_[code_.groups[block.section]].push_back(edge.counter);
      if (edge.place == Edge::kInBlock) {
        bool safe = true;
        CounterPosition(code_, block, &safe);
        insertions_[code_.items[positions_[edge.block]].begin] += Increment(edge.counter, safe);
      } else {
        const bool safe = block.next < 0 || !code_.blocks[block.next].flags_live;
        const size_t behind = code_.items[block.items_end - 1].end + 1;
        behind_[behind] += Increment(edge.counter, safe);
      }
    }
  }

  // Each line of a block, where its first instruction stands, and the two ways
  // that a loop's conditional jump may take.
  void PutSites() {
    for (const Edge& edge : edges_) {
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
        // The jump's own address, and one within it: both are of its line.
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

  // A jump to the very line that it is said to be of, as an endless loop's: the
  // line is executed there.
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

  void AddSite(const CodeBlock& block, const Sum& sum, const std::string& label, bool first) {
    std::string& out = sites_[code_.groups[block.section]];
    const auto put = [&](const std::string& counter, SiteKind kind) {
      out += "\t.long\t" + counter + ", " + label + "-., " + std::to_string(kind) + "\n";
    };
    if (!first) {
      put("0", kAlso);
      return;
    }
    // What is added comes first: the first term begins the sum.
    Sum terms = sum;
    std::stable_partition(terms.begin(), terms.end(), [](const Term& term) { return !term.less; });
    for (size_t i = 0; i < terms.size(); ++i) {
      put(CounterName(terms[i].counter) + "-.", i == 0 ? kBlock : terms[i].less ? kMinus : kPlus);
    }
  }

  static std::string SectionDirective(const std::string& name, const std::string& flags,
                                      const std::string& type, const std::string& group) {
    if (group.empty()) return "\t.section\t" + name + ",\"" + flags + "\",@" + type + "\n";
    return "\t.section\t" + name + ",\"" + flags + "G\",@" + type + "," + group + ",comdat\n";
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
    // A counter behind a block, then a counter before an item, then its label.
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
      out += SectionDirective("gprofhub_counters", "aw", "nobits", group) + "\t.p2align\t3\n";
      for (int counter : counters) out += CounterName(counter) + ":\n\t.zero\t8\n";
    }
    for (const auto& [group, sites] : sites_) {
      out += SectionDirective("gprofhub_sites", "a", "progbits", group) + "\t.p2align\t2\n" + sites;
    }
    return out;
  }

  const std::string_view text_;
  const Code code_;
  std::vector<size_t> positions_;  // of each block's counter: an item
  std::vector<Edge> edges_;
  int used_ = 0;
  std::map<size_t, std::string> insertions_, behind_;  // by place in the text
  std::map<size_t, size_t> labels_;                    // by place in the text: number
  std::map<std::string, std::vector<int>> counters_;   // by group
  std::map<std::string, std::string> sites_;           // by group
};

}  // namespace

std::string CountBlocks(std::string_view text, bool* counted) {
  return BlockCounters(text).Place(counted);
}

}  // namespace gprofhub
