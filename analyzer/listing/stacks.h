// Measured times in the place of estimated ones, in listings of one image.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/measured_times.h"
#include "analyzer/graph/stack_forest.h"
#include "analyzer/listing/rows.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// The frames of the profile's stacks, each with the row it is of; `finder` is of
// the rows' table.
std::vector<StackNode> StacksByRow(const profile::RawProfile& profile, const ListingRows& rows,
                                   const FunctionFinder& finder);

// The stacks of an image's samples, resolved against the rows of a listing; of
// line-by-line listings none are.
class ListingStacks {
 public:
  // Both must outlive the stacks.
  ListingStacks(const profile::RawProfile& profile, const ListingRows& rows);

  // Adds the arcs that stand on stacks and were not counted, with a count of 0.
  // Before CallGraph::Finish.
  void AddUncountedArcs(CallGraph& graph) const;

  // Replaces what Propagate estimated. Returns what there is to say of it, a
  // line; nothing where no stacks were recorded.
  std::string Apply(CallGraph& graph) const;

 private:
  MeasuredTimes Measure(std::vector<uint32_t> representatives, size_t nodes) const;

  const ListingRows& rows_;
  KnownCalls known_;
  std::vector<StackNode> forest_;
};

}  // namespace gprofhub::analyzer
