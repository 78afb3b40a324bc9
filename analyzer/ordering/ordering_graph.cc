#include "analyzer/ordering/ordering_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace gprofhub {
namespace {

constexpr double kPullPower = 0.8;
constexpr uint32_t kNone = UINT32_MAX;

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

uint32_t OrderingGraphBuilder::FunctionOf(const ComputedProfile& profile,
                                          const FunctionCost& function) {
  const std::string& name = profile.strings[function.name];
  const std::string& file = profile.strings[function.is_static ? function.file : 0];
  const auto [entry, inserted] =
      rows_.try_emplace(std::make_pair(name, file), static_cast<uint32_t>(graph_.functions.size()));
  if (inserted) {
    graph_.functions.emplace_back();
    graph_.functions.back().name = name;
    graph_.functions.back().file = file;
    last_profile_.push_back(0);
  }
  return entry->second;
}

void OrderingGraphBuilder::AddRun(const ComputedProfile& profile, double weight,
                                  const std::vector<bool>& excluded) {
  ++graph_.runs;
  AddToRun(profile, weight, excluded);
}

void OrderingGraphBuilder::AddToRun(const ComputedProfile& profile, double weight,
                                    const std::vector<bool>& excluded) {
  const uint32_t run = graph_.runs - 1;
  const uint32_t number = ++profiles_;
  graph_.weight += weight;
  std::vector<uint32_t> rows(profile.functions.size(), kNone);
  for (size_t i = 0; i < rows.size(); ++i) {
    const FunctionCost& cost = profile.functions[i];
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
  for (const ArcCost& cost : profile.arcs) {
    if (cost.caller >= rows.size() || rows[cost.caller] == kNone || rows[cost.callee] == kNone ||
        rows[cost.caller] == rows[cost.callee] || cost.count == 0) {
      continue;
    }
    const uint64_t furthest = std::numeric_limits<uint32_t>::max();
    const ArcKey key = {rows[cost.caller], rows[cost.callee],
                        static_cast<uint32_t>(std::min(cost.site_offset, furthest))};
    const auto [entry, inserted] =
        arcs_.try_emplace(key, static_cast<uint32_t>(graph_.arcs.size()));
    if (inserted) {
      graph_.arcs.push_back({.caller = key.caller, .callee = key.callee, .site = key.site});
    }
    OrderingArc& arc = graph_.arcs[entry->second];
    const double pull = weight * std::pow(static_cast<double>(cost.count), kPullPower);
    arc.count += cost.count;
    arc.pull += pull;
    graph_.functions[key.callee].pull += pull;
  }
}

OrderingGraph OrderingGraphBuilder::Take() {
  std::sort(graph_.arcs.begin(), graph_.arcs.end(), [](const OrderingArc& a, const OrderingArc& b) {
    return std::tie(a.caller, a.site, a.callee) < std::tie(b.caller, b.site, b.callee);
  });
  rows_.clear();
  arcs_.clear();
  return std::move(graph_);
}

}  // namespace gprofhub
