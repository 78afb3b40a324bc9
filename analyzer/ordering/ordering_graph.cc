#include "analyzer/ordering/ordering_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "absl/strings/string_view.h"
#include "analyzer/graph/call_graph.h"

namespace gprofhub::analyzer {

namespace {

constexpr double kPullPower = 0.8;
constexpr uint32_t kNoRow = UINT32_MAX;
constexpr size_t kFewArcs = 1 << 16;  // not worth merging yet

}  // namespace

std::vector<OrderingCalls> CallsByPair(const OrderingGraph& graph) {
  std::vector<OrderingCalls> all;
  all.reserve(graph.arcs.size());
  for (const OrderingArc& arc : graph.arcs) all.push_back({arc.caller, arc.callee, arc.count});
  std::stable_sort(all.begin(), all.end(), [](const OrderingCalls& a, const OrderingCalls& b) {
    return std::tie(a.caller, a.callee) < std::tie(b.caller, b.callee);
  });
  std::vector<OrderingCalls> pairs;
  for (const OrderingCalls& calls : all) {
    if (pairs.empty() || pairs.back().caller != calls.caller ||
        pairs.back().callee != calls.callee) {
      pairs.push_back(calls);
    } else {
      pairs.back().count += calls.count;
    }
  }
  return pairs;
}

uint32_t OrderingGraphBuilder::FunctionOf(const profile::ComputedProfile& profile,
                                          const profile::FunctionCost& function) {
  const absl::string_view name = profile.strings[function.name];
  const absl::string_view file = profile.strings[function.is_static ? function.file : 0];
  const auto [entry, inserted] =
      rows_.try_emplace(std::make_pair(std::string(name), std::string(file)),
                        static_cast<uint32_t>(graph_.functions.size()));
  if (inserted) {
    graph_.functions.emplace_back();
    graph_.functions.back().name = std::string(name);
    graph_.functions.back().file = std::string(file);
    last_profile_.push_back(0);
    name_bytes_ += name.size() + file.size();
  }
  return entry->second;
}

uint64_t OrderingGraphBuilder::MemoryUsed() const {
  // Each name is stored in the graph and in the table, whose entries have two strings.
  constexpr uint64_t kEntryBytes = 2 * sizeof(std::string) + 32;
  return graph_.functions.size() * (2 * sizeof(OrderingFunction) + kEntryBytes) + 2 * name_bytes_ +
         graph_.arcs.capacity() * sizeof(OrderingArc);
}

void OrderingGraphBuilder::AddRun(const profile::ComputedProfile& profile, double weight,
                                  const std::vector<bool>& excluded) {
  ++graph_.runs;
  AddToRun(profile, weight, excluded);
}

void OrderingGraphBuilder::AddToRun(const profile::ComputedProfile& profile, double weight,
                                    const std::vector<bool>& excluded) {
  const uint32_t run = graph_.runs - 1;
  const uint32_t number = ++profiles_;
  graph_.weight += weight;
  std::vector<uint32_t> rows(profile.functions.size(), kNoRow);
  for (size_t i = 0; i < rows.size(); ++i) {
    const profile::FunctionCost& cost = profile.functions[i];
    if (cost.is_module || (i < excluded.size() && excluded[i])) continue;
    rows[i] = FunctionOf(profile, cost);
    OrderingFunction& function = graph_.functions[rows[i]];
    function.size = std::max(function.size, cost.size);
    function.calls += cost.calls;
    if (function.runs == 0 || function.last_run != run) {
      ++function.runs;
      function.last_run = run;
    }
    if (last_profile_[rows[i]] != number) {
      last_profile_[rows[i]] = number;
      function.weight += weight;
    }
  }
  constexpr uint64_t kFurthest = std::numeric_limits<uint32_t>::max();
  for (const profile::ArcCost& cost : profile.arcs) {
    if (cost.caller >= rows.size() || rows[cost.caller] == kNoRow || rows[cost.callee] == kNoRow ||
        rows[cost.caller] == rows[cost.callee] || cost.count == 0) {
      continue;
    }
    const double pull = weight * std::pow(static_cast<double>(cost.count), kPullPower);
    graph_.arcs.push_back({rows[cost.caller], rows[cost.callee],
                           static_cast<uint32_t>(std::min(cost.site_offset, kFurthest)), cost.count,
                           pull});
    graph_.functions[rows[cost.callee]].pull += pull;
  }
  if (graph_.arcs.size() > 2 * merged_ + kFewArcs) MergeArcs();
}

// Arcs of earlier runs stay in front, so that sums do not depend on the time of this call.
void OrderingGraphBuilder::MergeArcs() {
  const auto is_before = [](const OrderingArc& a, const OrderingArc& b) {
    return a.site != b.site ? a.site < b.site : a.callee < b.callee;
  };
  std::vector<OrderingArc>& arcs = graph_.arcs;
  SortByCaller(graph_.functions.size(), is_before, arcs);
  size_t kept = 0;
  for (const OrderingArc& arc : arcs) {
    OrderingArc* const last = kept == 0 ? nullptr : &arcs[kept - 1];
    if (last != nullptr && last->caller == arc.caller && last->site == arc.site &&
        last->callee == arc.callee) {
      last->count += arc.count;
      last->pull += arc.pull;
    } else {
      arcs[kept++] = arc;
    }
  }
  arcs.resize(kept);
  merged_ = kept;
}

OrderingGraph OrderingGraphBuilder::Take() {
  MergeArcs();
  rows_.clear();
  merged_ = 0;
  return std::move(graph_);
}

}  // namespace gprofhub::analyzer
