#include "page/call_graph.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/text.h"
#include "profile/demangle.h"
#include "profile/names.h"

namespace gprofhub::page {

namespace {

// Divisors that normalise the numbers of a profile.
struct Units {
  explicit Units(const profile::ComputedProfile& profile)
      : executions(std::max(1u, profile.repetitions)),
        samples(profile.sample_rate > 0 ? profile.sample_rate * executions : 0) {}
  double Count(uint64_t count) const { return static_cast<double>(count) / executions; }
  double Time(double count) const { return samples > 0 ? count / samples : 0; }
  double executions;
  double samples;  // per unit of the dimension
};

double ShareOf(const profile::ComputedProfile& profile, double samples) {
  return profile.total_samples > 0 ? std::min(1.0, samples / profile.total_samples) : 0;
}

double Total(const profile::FunctionCost& function) {
  return function.self_samples + function.child_samples;
}

// Collects the arcs of one side of a function, by the function at their other end.
class ArcSums {
 public:
  void Add(const profile::ComputedProfile& profile, const Units& units, uint32_t function,
           const profile::ArcCost& arc) {
    auto& [neighbour, most] = by_function_[function];
    neighbour.function = function;
    neighbour.calls += units.Count(arc.count);
    neighbour.self_time += units.Time(arc.self_samples);
    neighbour.children_time += units.Time(arc.child_samples);
    ++neighbour.sites;
    if (neighbour.sites == 1 || arc.count > most) {
      most = arc.count;
      neighbour.site_file = std::string(profile.strings[arc.site_file]);
      neighbour.site_line = arc.site_line;
    }
  }

  std::vector<Neighbour> Take() {
    std::vector<Neighbour> neighbours;
    for (auto& [function, neighbour] : by_function_) neighbours.push_back(neighbour.first);
    std::sort(neighbours.begin(), neighbours.end(), [](const Neighbour& a, const Neighbour& b) {
      const double a_time = a.self_time + a.children_time, b_time = b.self_time + b.children_time;
      return std::tuple(-a_time, -a.calls, a.function) < std::tuple(-b_time, -b.calls, b.function);
    });
    return neighbours;
  }

 private:
  std::map<uint32_t, std::pair<Neighbour, uint64_t>> by_function_;
};

}  // namespace

GraphEntry CostOf(const profile::ComputedProfile& profile, uint32_t function) {
  const Units units(profile);
  const profile::FunctionCost& cost = profile.functions[function];
  GraphEntry entry;
  entry.function = function;
  entry.calls = units.Count(cost.calls);
  entry.self_calls = units.Count(cost.self_calls);
  entry.self_time = units.Time(cost.self_samples);
  entry.children_time = units.Time(cost.child_samples);
  entry.share = ShareOf(profile, Total(cost));
  entry.cycle = cost.cycle;
  return entry;
}

GraphEntry EntryOf(const profile::ComputedProfile& profile, uint32_t function) {
  GraphEntry entry = CostOf(profile, function);
  Neighbours neighbours = NeighboursOf(profile, {function});
  entry.callers = std::move(neighbours.callers);
  entry.callees = std::move(neighbours.callees);
  return entry;
}

Neighbours NeighboursOf(const profile::ComputedProfile& profile,
                        const std::vector<uint32_t>& rows) {
  const Units units(profile);
  const auto is_own = [&rows](uint32_t row) { return absl::c_linear_search(rows, row); };
  ArcSums callers, callees;
  for (const profile::ArcCost& arc : profile.arcs) {
    const bool from_own = is_own(arc.caller), to_own = is_own(arc.callee);
    if (from_own == to_own) continue;
    if (to_own) callers.Add(profile, units, arc.caller, arc);
    if (from_own) callees.Add(profile, units, arc.callee, arc);
  }
  return {callers.Take(), callees.Take()};
}

std::vector<uint32_t> MembersOf(const profile::ComputedProfile& profile, uint32_t cycle) {
  std::vector<uint32_t> members;
  for (uint32_t i = 0; i < profile.functions.size(); ++i) {
    if (cycle != 0 && profile.functions[i].cycle == cycle) members.push_back(i);
  }
  return members;
}

std::vector<uint32_t> FindRows(const profile::ComputedProfile& profile, absl::string_view name) {
  // Texts differ from names only where a name is not UTF-8.
  const bool may_be_text = absl::StrContains(name, "<0x");
  const auto is_called = [&](absl::string_view linkage) {
    return linkage == name || (may_be_text && base::ToUtf8(linkage) == name);
  };
  std::vector<uint32_t> rows, pieces;
  for (uint32_t i = 0; i < profile.functions.size(); ++i) {
    const absl::string_view linkage = NameOf(profile, i);
    if (is_called(linkage)) {
      rows.push_back(i);
    } else if (is_called(profile::WithoutCloneSuffixes(linkage, profile::CloneKinds::kAll))) {
      pieces.push_back(i);
    }
  }
  for (const profile::AliasCost& alias : profile.aliases) {
    if (is_called(profile.strings[alias.name]) && !absl::c_linear_search(rows, alias.function)) {
      rows.push_back(alias.function);
    }
  }
  const auto costs_more = [&profile](uint32_t a, uint32_t b) {
    return Total(profile.functions[a]) > Total(profile.functions[b]);
  };
  absl::c_stable_sort(rows, costs_more);
  absl::c_stable_sort(pieces, costs_more);
  for (const uint32_t piece : pieces) {
    if (!absl::c_linear_search(rows, piece)) rows.push_back(piece);
  }
  return rows;
}

std::optional<uint32_t> FindFunction(const profile::ComputedProfile& profile,
                                     absl::string_view name) {
  const std::vector<uint32_t> rows = FindRows(profile, name);
  return rows.empty() ? std::nullopt : std::optional<uint32_t>(rows.front());
}

std::vector<uint32_t> HottestFunctions(const profile::ComputedProfile& profile,
                                       absl::string_view part, size_t limit) {
  const std::string wanted = absl::AsciiStrToLower(part);
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < profile.functions.size(); ++i) {
    if (!wanted.empty() && !absl::StrContains(absl::AsciiStrToLower(NameOf(profile, i)), wanted) &&
        !absl::StrContains(absl::AsciiStrToLower(DisplayNameOf(profile, i)), wanted)) {
      continue;
    }
    rows.push_back(i);
  }
  const auto hotter = [&profile](uint32_t a, uint32_t b) {
    const profile::FunctionCost &left = profile.functions[a], &right = profile.functions[b];
    return std::tuple(-Total(left), right.calls, a) < std::tuple(-Total(right), left.calls, b);
  };
  const size_t kept = std::min(limit, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(kept), rows.end(), hotter);
  rows.resize(kept);
  return rows;
}

absl::string_view NameOf(const profile::ComputedProfile& profile, uint32_t function) {
  if (function >= profile.functions.size()) return profile::kSpontaneousName;
  return profile.strings[profile.functions[function].name];
}

std::string DisplayNameOf(const profile::ComputedProfile& profile, uint32_t function) {
  return profile::Demangle(NameOf(profile, function));
}

DrawnGraph HottestGraph(const profile::ComputedProfile& profile, size_t nodes) {
  const Units units(profile);
  DrawnGraph graph;
  std::map<uint32_t, size_t> node_of;
  for (const uint32_t row : HottestFunctions(profile, "", nodes)) {
    const profile::FunctionCost& cost = profile.functions[row];
    node_of.emplace(row, graph.nodes.size());
    graph.nodes.push_back({std::string(NameOf(profile, row)), DisplayNameOf(profile, row),
                           ShareOf(profile, cost.self_samples), ShareOf(profile, Total(cost)),
                           units.Count(cost.calls)});
  }
  std::map<std::pair<size_t, size_t>, DrawnGraph::Edge> edges;
  for (const profile::ArcCost& arc : profile.arcs) {
    const auto from = node_of.find(arc.caller), to = node_of.find(arc.callee);
    if (from == node_of.end() || to == node_of.end()) continue;
    DrawnGraph::Edge& edge = edges[{from->second, to->second}];
    edge.from = from->second;
    edge.to = to->second;
    edge.calls += units.Count(arc.count);
    edge.share += ShareOf(profile, arc.self_samples + arc.child_samples);
  }
  for (const auto& [ends, edge] : edges) graph.edges.push_back(edge);
  return graph;
}

}  // namespace gprofhub::page
