// Call graph navigation over a computed profile: one function with its callers above and its
// callees below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "profile/computed.h"

namespace gprofhub::page {

// The function at the other end of an arc, all call sites together. Counts and times are per
// execution of the target.
struct Neighbour {
  uint32_t function = 0;  // row; profile.functions.size(): code outside the profile
  double calls = 0;
  double self_time = 0;      // in the profile's dimension, of the callee, handed to the caller
  double children_time = 0;  // what the callee inherits, handed to the caller
  std::string site_file;     // of the site with the most calls
  uint32_t site_line = 0;
  uint32_t sites = 0;
};

struct GraphEntry {
  uint32_t function = 0;
  double calls = 0;       // without recursion
  double self_calls = 0;  // recursive
  double self_time = 0;
  double children_time = 0;
  double share = 0;  // total, as a share of all samples, 0 to 1
  uint32_t cycle = 0;
  std::vector<Neighbour> callers;  // most time first, then most calls; without recursion
  std::vector<Neighbour> callees;
};

// Callers and callees of these rows as of one function, in the order of GraphEntry. Calls among the
// rows are left out.
struct Neighbours {
  std::vector<Neighbour> callers, callees;
};
Neighbours NeighboursOf(const profile::ComputedProfile& profile, const std::vector<uint32_t>& rows);

// `function` is a row of the profile.
GraphEntry EntryOf(const profile::ComputedProfile& profile, uint32_t function);

// The entry without its neighbours.
GraphEntry CostOf(const profile::ComputedProfile& profile, uint32_t function);

// The rows of the members of a cycle.
std::vector<uint32_t> MembersOf(const profile::ComputedProfile& profile, uint32_t cycle);

// The rows that findings, trends and addresses mean by a function's linkage name: the rows with
// this name or alias, and then the pieces that the compiler made of it (`f.isra.0`, `f.part.0`,
// `f.cold`; profile/names.h). The most expensive row of each kind is first. A piece's own name
// means that piece. `name` may also be the name as text (base::ToUtf8).
std::vector<uint32_t> FindRows(const profile::ComputedProfile& profile, absl::string_view name);

// The first of FindRows.
std::optional<uint32_t> FindFunction(const profile::ComputedProfile& profile,
                                     absl::string_view name);

// At most `limit` rows, sorted by total time, then by calls, descending. Only those whose linkage
// or demangled name contains `part`, ignoring case; all if it is empty.
std::vector<uint32_t> HottestFunctions(const profile::ComputedProfile& profile,
                                       absl::string_view part, size_t limit);

// The linkage name and the demangled name. "<spontaneous>" for a row beyond the last.
absl::string_view NameOf(const profile::ComputedProfile& profile, uint32_t function);
std::string DisplayNameOf(const profile::ComputedProfile& profile, uint32_t function);

// A subgraph that is small enough to draw: the hottest functions, and the arcs among them.
struct DrawnGraph {
  struct Node {
    std::string name, display;
    double self_share = 0, share = 0, calls = 0;
  };
  struct Edge {
    size_t from = 0, to = 0;  // nodes
    double calls = 0, share = 0;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};
DrawnGraph HottestGraph(const profile::ComputedProfile& profile, size_t nodes);

}  // namespace gprofhub::page
