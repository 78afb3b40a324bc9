// A computed profile as people walk it: one function in the middle, who calls it above, whom it
// calls below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "profile/computed.h"

namespace gprofhub::page {

// Another function at an arc, all call sites together. Counts and times are per execution of the
// target.
struct Neighbour {
  uint32_t function = 0;  // row; profile.functions.size(): code outside the profile
  double calls = 0;
  double self_time = 0;      // in the profile's dimension, of the callee, handed to the caller
  double children_time = 0;  // what the callee inherits, likewise
  std::string site_file;     // of the site that calls most
  uint32_t site_line = 0;
  uint32_t sites = 0;
};

struct GraphEntry {
  uint32_t function = 0;
  double calls = 0;       // from other functions
  double self_calls = 0;  // from itself
  double self_time = 0;
  double children_time = 0;
  double share = 0;  // of all samples, 0 to 1; of self and children
  uint32_t cycle = 0;
  std::vector<Neighbour> callers;  // most time first, then most calls; without itself
  std::vector<Neighbour> callees;
};

// `function` is a row of the profile.
GraphEntry EntryOf(const profile::ComputedProfile& profile, uint32_t function);

// Without neighbours.
GraphEntry CostOf(const profile::ComputedProfile& profile, uint32_t function);

// The rows of the members of a cycle.
std::vector<uint32_t> MembersOf(const profile::ComputedProfile& profile, uint32_t cycle);

// The row of the function of this linkage name; of several, the one that costs most.
std::optional<uint32_t> FindFunction(const profile::ComputedProfile& profile,
                                     absl::string_view name);

// Rows, most time in all first, then most calls. Only those whose linkage or demangled name
// contains `part`, whatever its capitals; all if it is empty. At most `limit`.
std::vector<uint32_t> HottestFunctions(const profile::ComputedProfile& profile,
                                       absl::string_view part, size_t limit);

// The linkage name; and the demangled one. Of a row beyond the last: "<spontaneous>".
absl::string_view NameOf(const profile::ComputedProfile& profile, uint32_t function);
std::string DisplayNameOf(const profile::ComputedProfile& profile, uint32_t function);

// A part of the graph that can be drawn: the hottest functions, and the arcs among them.
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
