// The computed profile of stacks that a profiler sampled: calls are the samples whose stacks
// contain them (ComputedProfile::sampled_calls), times are samples.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analyzer/functions/function_table.h"
#include "profile/computed.h"
#include "profile/stacks/resolve.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

// Sums stacks. The sum does not depend on the order of adding.
class SampledProfile {
 public:
  // Adds stacks with functions of `image`. All stacks of one image have the same SymbolTable, which
  // must outlive this.
  void Add(const profile::ImageStacks& stacks, const profile::SymbolTable& image);

  // The result has the functions that occurred on a stack. The samples of a function or an arc are
  // those whose stack contains it, each counted once. A function's self_samples were taken in it. A
  // call's count is the samples of its arc.
  profile::ComputedProfile Take();

 private:
  struct Arc {
    uint32_t caller = 0;  // rows of the function table
    uint32_t site = 0;
    uint32_t callee = 0;
    auto operator<=>(const Arc&) const = default;
  };
  struct Samples {
    uint64_t self = 0;   // the callee innermost
    uint64_t child = 0;  // the callee elsewhere on the stack
  };
  struct Image {
    const profile::SymbolTable* symbols = nullptr;
    FunctionTable table;
    std::map<uint32_t, Samples> functions;  // by row of the table
    std::map<Arc, Samples> arcs;
  };

  Image& ImageOf(const profile::SymbolTable& symbols);

  std::map<std::string, Image> images_;  // by build-id
  uint64_t samples_ = 0;
  uint64_t elsewhere_ = 0;  // taken in no known function
};

}  // namespace gprofhub::analyzer
