// The search. Functions are visited in the order of their addresses. From each its callees
// are visited, the latest arc first. A visit that meets a function which is still being
// visited has found a cycle. Then every function on the path from that one to here joins
// the cycle of that one, at the end of a chain. It brings along all that joined it before.
// From then on it counts as the function whose cycle it joined. When the visit of a function
// ends, it is numbered, and so are those of its chain.
//
// cycles.cc finds the same cycles, and the same order, in linear time.
#include "cli/gprof/traces/search_trace.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/gprof/options/debug_levels.h"

namespace gprofhub::cli {
namespace {

class SearchTrace {
 public:
  SearchTrace(const analyzer::CallGraph& graph, const analyzer::PrintedNames& names,
              unsigned levels, std::string& out)
      : graph_(graph),
        names_(names),
        levels_(levels),
        out_(out),
        order_(graph.function_count()),
        head_(graph.function_count()),
        next_(graph.function_count(), kNone) {
    for (uint32_t i = 0; i < head_.size(); ++i) head_[i] = i;
  }

  void Run() {
    for (uint32_t function = 0; function < head_.size(); ++function) {
      if (order_[function] == 0 && Visit(function)) Walk();
    }
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr int kBusy = -1;

  struct Frame {
    uint32_t function;
    uint32_t next_arc;
  };

  std::string Name(uint32_t function) const {
    return absl::StrCat(names_[function], NameEnd(order_[function], 0, levels_));
  }

  // Whether the function is new, and on the path now.
  bool Visit(uint32_t function) {
    absl::StrAppendFormat(&out_, "[dfn] dfn( %s)\n", Name(function));
    if (order_[function] == kBusy) FindCycle(function);
    if (order_[function] != 0) return false;
    path_.push_back({function, 0});
    order_[function] = kBusy;
    absl::StrAppendFormat(&out_, "[pre_visit]\t\t%d:%s\n", path_.size(), Name(function));
    return true;
  }

  void Walk() {
    while (!path_.empty()) {
      Frame& frame = path_.back();
      const auto arcs = graph_.ArcsFrom(frame.function);
      if (frame.next_arc < arcs.size()) {
        Visit(graph_.arcs[arcs[frame.next_arc++]].callee);
      } else {
        Leave(frame.function);
        path_.pop_back();
      }
    }
  }

  void Leave(uint32_t function) {
    absl::StrAppendFormat(&out_, "[post_visit]\t%d: %s\n", path_.size(), Name(function));
    if (head_[function] != function) {
      absl::StrAppend(&out_, "[post_visit]\t\tis part of a cycle\n");
      return;
    }
    ++count_;
    for (uint32_t member = function; member != kNone; member = next_[member]) {
      order_[member] = count_;
      absl::StrAppendFormat(&out_, "[post_visit]\t\tmember %s-> cg.top_order = %d\n", Name(member),
                            count_);
    }
  }

  void FindCycle(uint32_t met) {
    size_t top = path_.size();
    uint32_t head = kNone;
    for (; top > 0; --top) {
      head = path_[top - 1].function;
      if (met == head || (head_[met] != met && head_[met] == head)) break;
    }
    absl::StrAppendFormat(&out_, "[find_cycle] dfn_depth %d cycle_top %d %s\n", path_.size(), top,
                          Name(head));
    if (top == path_.size()) {
      absl::StrAppendFormat(&out_, "[find_cycle] %s\n", Name(met));
      return;
    }
    uint32_t tail = head;
    for (; next_[tail] != kNone; tail = next_[tail]) {
      absl::StrAppendFormat(&out_, "[find_cycle] tail %s\n", Name(tail));
    }
    if (head_[head] != head) {
      head = head_[head];
      absl::StrAppendFormat(&out_, "[find_cycle] new cyclehead %s\n", Name(head));
    }
    for (size_t index = top + 1; index <= path_.size(); ++index) {
      const uint32_t function = path_[index - 1].function;
      if (head_[function] != function) continue;
      head_[function] = head;
      absl::StrAppendFormat(&out_, "[find_cycle] glomming %s onto %s\n", Name(function),
                            Name(head));
      next_[tail] = function;
      for (tail = function; next_[tail] != kNone; tail = next_[tail]) {
        head_[next_[tail]] = head;
        absl::StrAppendFormat(&out_, "[find_cycle] and its tail %s onto %s\n", Name(next_[tail]),
                              Name(head));
      }
    }
  }

  const analyzer::CallGraph& graph_;
  const analyzer::PrintedNames& names_;
  const unsigned levels_;
  std::string& out_;
  int count_ = 0;
  std::vector<int> order_;  // 0: not visited
  std::vector<uint32_t> head_;
  std::vector<uint32_t> next_;  // in a cycle's chain
  std::vector<Frame> path_;
};

}  // namespace

std::string NameEnd(int order, double fraction, unsigned levels) {
  std::string end;
  if ((levels & kTraceSearch) != 0) absl::StrAppend(&end, "{", order, "} ");
  if ((levels & kTraceTimes) != 0) absl::StrAppendFormat(&end, "%4.0f%% ", 100 * fraction);
  return end;
}

void TraceSearch(const analyzer::CallGraph& graph, const analyzer::PrintedNames& names,
                 unsigned levels, std::string& out) {
  SearchTrace(graph, names, levels, out).Run();
}

}  // namespace gprofhub::cli
