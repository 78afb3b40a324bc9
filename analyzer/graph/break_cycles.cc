// The minimum feedback arc set. Arrange the members of a cycle in a sequence. The back arcs, from a
// function to an earlier one, break the cycle: all other arcs lead forwards and cannot close one.
// Each set that breaks the cycle is the set of back arcs of some sequence. So the problem is to
// find the sequence with the fewest back arcs. It is NP-hard, and cycles of call graphs are either
// small or huge.
//
// Small cycles: dynamic programming after Held and Karp. The cost of the best sequence of a set of
// functions is the cost of one member in the last place plus that of the best sequence of the
// others. All 2^n sets are computed from smaller ones: exact, in 2^n n steps.
//
// Large cycles: the initial sequence follows Eades, Lin and Smyth ("A fast and effective heuristic
// for the feedback arc set problem", 1993). Sinks of the remaining graph go to the end, sources to
// the beginning. If there are neither, the function with the largest surplus of outgoing over
// incoming calls goes to the beginning. Then local search moves each function to its best place
// until nothing improves. Some of the remaining back arcs may close no cycle because others are
// cut: these are restored, those with the most calls first.
//
// Arc-disjoint cycles give a lower bound: each of them needs a cut of its own. They are searched
// through the back arcs, each by the shortest path.
//
// The heuristic has a limit of steps, so it ends for graphs of any size.
#include "analyzer/graph/break_cycles.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace gprofhub::analyzer {

namespace {

// Cost of a set of arcs: the number of arcs, then the number of calls.
struct Cost {
  int64_t arcs = 0;
  int64_t calls = 0;

  friend Cost operator+(Cost a, Cost b) { return {a.arcs + b.arcs, a.calls + b.calls}; }
  friend Cost operator-(Cost a, Cost b) { return {a.arcs - b.arcs, a.calls - b.calls}; }
  friend bool operator<(Cost a, Cost b) {
    return std::pair(a.arcs, a.calls) < std::pair(b.arcs, b.calls);
  }
};

struct LocalArc {
  uint32_t from = 0;
  uint32_t to = 0;
  uint32_t index = 0;  // in the graph's arcs
  Cost cost;
};

// The members of one cycle, numbered from 0, and the arcs among them.
struct Cycle {
  size_t size = 0;
  std::vector<LocalArc> arcs;
  std::vector<std::vector<uint32_t>> out, in;  // arcs of each member
};

// Counts are capped, so that sums of them cannot overflow.
Cost CostOf(uint64_t count) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  return {1, static_cast<int64_t>(std::min(count, kMost))};
}

Cycle Extract(const CallGraph& graph, uint32_t number, std::vector<uint32_t>& local_of) {
  const std::vector<uint32_t>& members = graph.cycles[number - 1];
  Cycle cycle;
  cycle.size = members.size();
  cycle.out.resize(cycle.size);
  cycle.in.resize(cycle.size);
  for (uint32_t i = 0; i < members.size(); ++i) local_of[members[i]] = i;
  for (uint32_t from = 0; from < members.size(); ++from) {
    for (const uint32_t index : graph.ArcsFrom(members[from])) {
      const GraphArc& arc = graph.arcs[index];
      if (arc.caller == arc.callee || graph.nodes[arc.callee].cycle != number) continue;
      const uint32_t to = local_of[arc.callee];
      cycle.out[from].push_back(static_cast<uint32_t>(cycle.arcs.size()));
      cycle.in[to].push_back(static_cast<uint32_t>(cycle.arcs.size()));
      cycle.arcs.push_back({from, to, index, CostOf(arc.count)});
    }
  }
  return cycle;
}

// Place in the sequence, by member.
using Places = std::vector<double>;

std::vector<uint32_t> ArcsBack(const Cycle& cycle, const Places& places) {
  std::vector<uint32_t> back;
  for (uint32_t i = 0; i < cycle.arcs.size(); ++i) {
    if (places[cycle.arcs[i].to] < places[cycle.arcs[i].from]) back.push_back(i);
  }
  return back;
}

Places BestRow(const Cycle& cycle) {
  const size_t sets = size_t{1} << cycle.size;
  constexpr Cost kNone = {std::numeric_limits<int32_t>::max(), 0};
  std::vector<Cost> best(sets, kNone);
  std::vector<uint8_t> last(sets, 0);
  best[0] = {};
  for (size_t set = 0; set < sets; ++set) {
    for (uint32_t next = 0; next < cycle.size; ++next) {
      if ((set >> next & 1) != 0) continue;
      Cost cost = best[set];
      for (const uint32_t arc : cycle.out[next]) {
        if ((set >> cycle.arcs[arc].to & 1) != 0) cost = cost + cycle.arcs[arc].cost;
      }
      const size_t with = set | size_t{1} << next;
      if (!(cost < best[with])) continue;
      best[with] = cost;
      last[with] = static_cast<uint8_t>(next);
    }
  }
  Places places(cycle.size);
  size_t set = sets - 1;
  for (size_t place = cycle.size; place-- > 0;) {
    places[last[set]] = static_cast<double>(place);
    set &= ~(size_t{1} << last[set]);
  }
  return places;
}

// Eades, Lin and Smyth's heuristic.
Places FirstRow(const Cycle& cycle) {
  std::vector<int64_t> out(cycle.size), in(cycle.size);
  std::vector<bool> placed(cycle.size);
  std::set<std::pair<int64_t, uint32_t>> by_surplus;  // the largest first
  std::deque<uint32_t> ends;                          // sources and sinks
  for (uint32_t v = 0; v < cycle.size; ++v) {
    out[v] = static_cast<int64_t>(cycle.out[v].size());
    in[v] = static_cast<int64_t>(cycle.in[v].size());
    by_surplus.insert({in[v] - out[v], v});
  }
  Places places(cycle.size);
  double first = 0;
  double beyond = static_cast<double>(cycle.size);
  const auto lose = [&](uint32_t v, std::vector<int64_t>& degree) {
    if (placed[v]) return;
    by_surplus.erase({in[v] - out[v], v});
    if (--degree[v] == 0) ends.push_back(v);
    by_surplus.insert({in[v] - out[v], v});
  };
  while (!by_surplus.empty()) {
    uint32_t v = by_surplus.begin()->second;
    while (!ends.empty() && placed[ends.front()]) ends.pop_front();
    if (!ends.empty()) v = ends.front();
    placed[v] = true;
    by_surplus.erase({in[v] - out[v], v});
    places[v] = out[v] == 0 ? --beyond : first++;
    for (const uint32_t arc : cycle.out[v]) lose(cycle.arcs[arc].to, in);
    for (const uint32_t arc : cycle.in[v]) lose(cycle.arcs[arc].from, out);
  }
  return places;
}

// Moves `v` to its best place, if that is better than the present one. Only the places of functions
// with an arc to or from `v` need to be considered.
bool MoveToBestPlace(const Cycle& cycle, uint32_t v, Places& places) {
  struct Neighbour {
    double place = 0;
    Cost passing;  // the added cost of a place behind it rather than before it
  };
  std::vector<Neighbour> around;
  Cost here, front;
  for (const uint32_t arc : cycle.out[v]) {
    const LocalArc& out = cycle.arcs[arc];
    around.push_back({places[out.to], out.cost});
    if (places[out.to] < places[v]) here = here + out.cost;
  }
  for (const uint32_t arc : cycle.in[v]) {
    const LocalArc& in = cycle.arcs[arc];
    around.push_back({places[in.from], Cost{} - in.cost});
    front = front + in.cost;
    if (places[v] < places[in.from]) here = here + in.cost;
  }
  std::sort(around.begin(), around.end(),
            [](const Neighbour& a, const Neighbour& b) { return a.place < b.place; });
  Cost cost = front, best = here;
  std::optional<double> place;
  if (cost < best) best = cost, place = around.front().place - 1;
  for (size_t i = 0; i < around.size(); ++i) {
    cost = cost + around[i].passing;
    const bool is_last = i + 1 == around.size();
    if (!is_last && around[i + 1].place == around[i].place) continue;  // both ways to one
    if (!(cost < best)) continue;
    const double next = is_last ? around[i].place + 2 : around[i + 1].place;
    const double between = around[i].place + (next - around[i].place) / 2;
    if (between <= around[i].place || between >= next) continue;  // no number is left between them
    best = cost, place = between;
  }
  if (place) places[v] = *place;
  return place.has_value();
}

// Whole numbers again, in the same order.
void Renumber(Places& places) {
  std::vector<uint32_t> row(places.size());
  std::iota(row.begin(), row.end(), 0);
  std::sort(row.begin(), row.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(places[a], a) < std::pair(places[b], b);
  });
  for (uint32_t i = 0; i < row.size(); ++i) places[row[i]] = i;
}

void Improve(const Cycle& cycle, Places& places, uint64_t& steps) {
  bool better = true;
  while (better) {
    better = false;
    for (uint32_t v = 0; v < cycle.size; ++v) {
      const uint64_t cost = cycle.out[v].size() + cycle.in[v].size();
      if (steps < cost) return;
      steps -= cost;
      better |= MoveToBestPlace(cycle, v, places);
    }
    Renumber(places);
  }
}

// A shortest path from one member to another through arcs that are not `gone`: its arcs, or none.
class Ways {
 public:
  explicit Ways(const Cycle& cycle) : cycle_(cycle), through_(cycle.size), seen_(cycle.size) {}

  std::vector<uint32_t> Find(uint32_t from, uint32_t to, const std::vector<bool>& gone,
                             uint64_t& steps) {
    ++round_;
    std::vector<uint32_t> front = {from};
    seen_[from] = round_;
    for (size_t i = 0; i < front.size() && seen_[to] != round_; ++i) {
      for (const uint32_t arc : cycle_.out[front[i]]) {
        if (steps == 0) return {};
        --steps;
        const uint32_t next = cycle_.arcs[arc].to;
        if (gone[arc] || seen_[next] == round_) continue;
        seen_[next] = round_;
        through_[next] = arc;
        front.push_back(next);
      }
    }
    std::vector<uint32_t> way;
    if (seen_[to] != round_) return way;
    for (uint32_t at = to; at != from; at = cycle_.arcs[way.back()].from) {
      way.push_back(through_[at]);
    }
    return way;
  }

 private:
  const Cycle& cycle_;
  std::vector<uint32_t> through_;  // the arc by which a member was reached
  std::vector<uint32_t> seen_;     // in which round
  uint32_t round_ = 0;
};

// Puts back arcs that close no cycle.
void Spare(const Cycle& cycle, std::vector<uint32_t>& cut, uint64_t& steps) {
  std::vector<bool> gone(cycle.arcs.size());
  for (const uint32_t arc : cut) gone[arc] = true;
  std::sort(cut.begin(), cut.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(-cycle.arcs[a].cost.calls, a) < std::pair(-cycle.arcs[b].cost.calls, b);
  });
  Ways ways(cycle);
  std::erase_if(cut, [&](uint32_t arc) {
    const LocalArc& candidate = cycle.arcs[arc];
    const bool closes = !ways.Find(candidate.to, candidate.from, gone, steps).empty();
    if (closes || steps == 0) return false;
    gone[arc] = false;
    return true;
  });
}

// A lower bound of the number of arc-disjoint cycles.
size_t DisjointCycles(const Cycle& cycle, const std::vector<uint32_t>& cut, uint64_t& steps) {
  std::vector<bool> gone(cycle.arcs.size());
  Ways ways(cycle);
  size_t count = 0;
  for (const uint32_t arc : cut) {
    if (gone[arc]) continue;
    const std::vector<uint32_t> way =
        ways.Find(cycle.arcs[arc].to, cycle.arcs[arc].from, gone, steps);
    if (way.empty()) continue;
    gone[arc] = true;
    for (const uint32_t other : way) gone[other] = true;
    ++count;
  }
  return count;
}

BrokenCycle Break(const CallGraph& graph, uint32_t number, const BreakLimits& limits,
                  std::vector<uint32_t>& local_of) {
  const Cycle cycle = Extract(graph, number, local_of);
  BrokenCycle broken;
  broken.cycle = number;
  std::vector<uint32_t> cut;
  if (cycle.size <= limits.exact_members) {
    cut = ArcsBack(cycle, BestRow(cycle));
    broken.at_least = cut.size();
  } else {
    // Each of the three gets a share of the steps. Unused steps go to the next one.
    uint64_t steps = limits.steps / 3;
    Places places = FirstRow(cycle);
    Improve(cycle, places, steps);
    cut = ArcsBack(cycle, places);
    steps += limits.steps / 3;
    Spare(cycle, cut, steps);
    steps += limits.steps / 3;
    broken.at_least = std::max<size_t>(DisjointCycles(cycle, cut, steps), 1);
  }
  for (const uint32_t arc : cut) {
    broken.arcs.push_back(cycle.arcs[arc].index);
    broken.calls += graph.arcs[cycle.arcs[arc].index].count;
  }
  std::sort(broken.arcs.begin(), broken.arcs.end(), [&](uint32_t a, uint32_t b) {
    const GraphArc& x = graph.arcs[a];
    const GraphArc& y = graph.arcs[b];
    return x.count != y.count ? x.count > y.count : a < b;
  });
  return broken;
}

}  // namespace

std::vector<BrokenCycle> BreakCycles(const CallGraph& graph, size_t least_members,
                                     const BreakLimits& limits) {
  std::vector<BrokenCycle> broken;
  std::vector<uint32_t> local_of(graph.function_count());
  for (uint32_t cycle = 1; cycle <= graph.cycles.size(); ++cycle) {
    if (graph.cycles[cycle - 1].size() < least_members) continue;
    broken.push_back(Break(graph, cycle, limits, local_of));
  }
  return broken;
}

CallGraph WithoutArcs(const CallGraph& graph, absl::Span<const BrokenCycle> broken) {
  std::vector<bool> is_cut(graph.arcs.size());
  for (const BrokenCycle& cycle : broken) {
    for (const uint32_t arc : cycle.arcs) is_cut[arc] = true;
  }
  std::vector<double> self;
  for (size_t i = 0; i < graph.function_count(); ++i) self.push_back(graph.nodes[i].self);
  CallGraph result(self);
  for (uint32_t i = 0; i < graph.function_count(); ++i) {
    result.nodes[i].role = graph.nodes[i].role;
    if (const uint64_t calls = graph.SpontaneousCalls(i); calls > 0) {
      result.AddSpontaneous(i, calls);
    }
  }
  for (size_t i = 0; i < graph.arcs.size(); ++i) {
    if (!is_cut[i])
      result.AddCalls(graph.arcs[i].caller, graph.arcs[i].callee, graph.arcs[i].count);
  }
  result.Finish();
  return result;
}

}  // namespace gprofhub::analyzer
