// Replaces estimated times by measured ones in listings of one image.
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

// The frames of the profile's stacks with their rows. `finder` belongs to the rows' table.
std::vector<StackNode> StacksByRow(const profile::RawProfile& profile, const ListingRows& rows,
                                   const FunctionFinder& finder);

// The stacks of an image's samples, resolved against the rows of a listing. Empty for line-by-line
// listings.
class ListingStacks {
 public:
  // Both must outlive the stacks.
  ListingStacks(const profile::RawProfile& profile, const ListingRows& rows);

  // Adds the arcs that occur on stacks but were not counted, with a count of 0. Call before
  // CallGraph::Finish.
  void AddUncountedArcs(CallGraph& graph) const;

  // Replaces Propagate's estimates. Returns a line about the coverage; empty if no stacks were
  // recorded.
  std::string Apply(CallGraph& graph) const;

 private:
  MeasuredTimes Measure(std::vector<uint32_t> representatives, size_t nodes) const;

  const ListingRows& rows_;
  KnownCalls known_;
  std::vector<StackNode> forest_;
};

}  // namespace gprofhub::analyzer
