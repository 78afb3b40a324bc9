// block_graph.cc selects the blocks to count.
//
// A counter is one instruction, an addition to memory. It changes the flags, so it is placed where
// they are dead, anywhere in its block. If there is no such place, the flags are saved below the
// red zone of the stack.
#include "runtime/assembler/block_counters.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "runtime/assembler/block_graph.h"
#include "runtime/assembler/code.h"
#include "runtime/assembler/sections.h"

namespace gprofhub {
namespace {

// As in profile/recording/format.h; this program is compiled without it.
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
