#include "analyzer/listing/choose_rows.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::analyzer {
namespace {

// Names of the profiler's own functions over the decades. Their time does not belong to the
// program.
bool IsProfiler(absl::string_view name) {
  static constexpr absl::string_view kNames[] = {
      "_gprof_mcount",     "mcount",     "_mcount",  "__mcount",
      "__mcount_internal", "__mcleanup", "<locore>", "<hicore>",
  };
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// By row: whether one of the specs chooses it; empty if no spec chooses a row. `last` selects which
// end of a run of chosen rows counts.
std::vector<bool> MatchRows(const ListingRows& rows, const std::vector<Symspec>& specs,
                            uint32_t ChosenRun::*last = &ChosenRun::last_chosen) {
  std::vector<bool> matched;
  for (const Symspec& spec : specs) {
    for (const ChosenRun& run : ChosenRuns(rows, spec)) {
      matched.resize(rows.size());
      std::fill(matched.begin() + run.first, matched.begin() + run.*last + 1, true);
    }
  }
  return matched;
}

}  // namespace

void ChooseRows(const SymspecLists& lists, ListingInput& input) {
  for (size_t choice = 0; choice < kChoices; ++choice) {
    input.chosen[choice] = {MatchRows(input.rows, lists.include[choice]),
                            MatchRows(input.rows, lists.exclude[choice])};
  }
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    if (!IsProfiler(input.rows.LinkageName(row))) continue;
    for (const Choice choice : {Choice::kFlat, Choice::kGraph, Choice::kTime}) {
      std::vector<bool>& excluded = input.chosen[static_cast<size_t>(choice)].excluded;
      excluded.resize(input.rows.size());
      excluded[row] = true;
    }
  }
}

TimeRole RoleOf(const ChosenRows& rows, uint32_t row) {
  if (rows.Contains(row)) return TimeRole::kCounted;
  return rows.IsExcluded(row) ? TimeRole::kExcluded : TimeRole::kInherited;
}

ArcFilter::Pairs::Pairs(const ListingRows& rows,
                        const std::vector<std::pair<Symspec, Symspec>>& specs) {
  for (const auto& [from, to] : specs) {
    Pair pair{MatchRows(rows, {from}, &ChosenRun::last_caller),
              MatchRows(rows, {to}, &ChosenRun::last_matched)};
    has_callers |= !pair.from.empty();
    if (!pair.from.empty() && !pair.to.empty()) pairs.push_back(std::move(pair));
  }
}

bool ArcFilter::Pairs::Has(uint32_t caller, uint32_t callee) const {
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](const Pair& pair) { return pair.from[caller] && pair.to[callee]; });
}

void ChooseEntries(ListingInput& input) {
  const CallGraph& graph = input.graph;
  const ChosenRows& chosen = input.Chosen(Choice::kGraph);
  input.in_graph.assign(graph.nodes.size(), false);
  for (auto node = graph.callees_first.rbegin(); node != graph.callees_first.rend(); ++node) {
    const uint32_t function = *node;
    // With its callers or without: nothing was chosen, and it is not excluded.
    if (function < graph.function_count() && chosen.included.empty() &&
        !chosen.IsExcluded(function)) {
      input.in_graph[function] = true;
      continue;
    }
    const absl::Span<const uint32_t> members =
        function < graph.function_count()
            ? absl::MakeConstSpan(&function, 1)
            : absl::MakeConstSpan(graph.cycles[function - graph.function_count()]);
    bool inherited = false;
    for (const uint32_t member : members) {
      for (const uint32_t arc : graph.ArcsTo(member)) {
        const uint32_t caller = graph.arcs[arc].caller;
        if (graph.Representative(caller) != *node && input.in_graph[caller]) inherited = true;
      }
    }
    input.in_graph[*node] = inherited;
    for (const uint32_t member : members) {
      input.in_graph[member] = inherited ? chosen.IsIncluded(member) || !chosen.IsExcluded(member)
                                         : chosen.Contains(member);
    }
  }
}

}  // namespace gprofhub::analyzer
