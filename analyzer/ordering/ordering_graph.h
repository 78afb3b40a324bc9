// The input of the orderings: callers, callees, call counts and the training runs of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

struct OrderingFunction {
  std::string name;       // linkage name
  std::string file;       // of a static function; else empty
  uint64_t size = 0;      // bytes; where builds differ, the largest
  uint64_t calls = 0;     // from other functions, over all runs
  double pull = 0;        // sum of the arcs' into it
  double weight = 0;      // of the runs that executed it
  uint32_t runs = 0;      // their number
  uint32_t last_run = 0;  // the last of them, from 0
};

struct OrderingArc {
  uint32_t caller = 0;  // indices into OrderingGraph::functions; never the same
  uint32_t callee = 0;
  uint32_t site = 0;   // bytes from the caller's entry to the return address
  uint64_t count = 0;  // over all runs
  // Sum over runs of weight · count^0.8. A run that calls 10,000 times as often
  // has 1,585 times the pull, so the repetitions of one run do not outweigh the calls that every
  // run makes.
  double pull = 0;
};

struct OrderingGraph {
  std::vector<OrderingFunction> functions;
  std::vector<OrderingArc> arcs;  // ascending by (caller, site, callee)
  double weight = 0;              // of all runs
  uint32_t runs = 0;
};

struct OrderingCalls {
  uint32_t caller = 0;
  uint32_t callee = 0;
  uint64_t count = 0;
};

// The arcs with the call sites of each pair added up, ascending by (caller, callee).
std::vector<OrderingCalls> CallsByPair(const OrderingGraph& graph);

// Sums profiles, one per training run. That is a run, a shard, or all of one target. A target's
// profiles of several commits are one training run, too; otherwise code that only this target
// executes would seem to be common.
class OrderingGraphBuilder {
 public:
  // Functions with the same linkage name (and file, for static ones) are merged across builds.
  // Calls from outside, recursion, modules without symbols, and functions in rows that `excluded`
  // marks are omitted. `weight` > 0.
  void AddRun(const profile::ComputedProfile& profile, double weight = 1,
              const std::vector<bool>& excluded = {});
  // The same for another commit or build of the last added training run: `weight` is added to that
  // run's.
  void AddToRun(const profile::ComputedProfile& profile, double weight,
                const std::vector<bool>& excluded = {});

  // Approximate memory of the graph so far, in bytes.
  uint64_t MemoryUsed() const;

  // The functions in the order in which they were first added.
  OrderingGraph Take();

 private:
  uint32_t FunctionOf(const profile::ComputedProfile& profile,
                      const profile::FunctionCost& function);
  void MergeArcs();

  OrderingGraph graph_;
  std::vector<uint32_t> last_profile_;  // by function: the number of the last that has it
  uint32_t profiles_ = 0;
  uint64_t name_bytes_ = 0;  // of names and files
  absl::flat_hash_map<std::pair<std::string, std::string>, uint32_t> rows_;
  size_t merged_ = 0;  // of graph_.arcs, those that are in order and each once
};

}  // namespace gprofhub::analyzer
