// The cost of one target in one run: the sum of its processes' profiles, per function and per call
// site, over all its modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/types/span.h"
#include "analyzer/graph/function_table.h"
#include "analyzer/worker/target_profile.h"
#include "base/string_interner.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

struct ComputeOptions {
  uint32_t repetitions = 1;  // runs of the target in the sum
  uint32_t profiles = 0;     // processes in the sum
};

// Functions under SymbolPolicy::kExact, their time propagated through all
// modules; those without samples and calls are omitted. A module without symbols is one function.
// If stacks were recorded, inherited time is measured (measured_times.h).
//
// Profiles that were sampled at different rates are added as times. Samples and calls in no
// function, and samples in another dimension than most, become warnings.
profile::ComputedProfile ComputeProfile(const TargetProfile& target, const ComputeOptions& options);

// Indices of source files in a list of strings, by module and the module's file number.

class FileIndices {
 public:
  // Both outlive this.
  FileIndices(const TargetProfile& target, base::StringInterner& strings);

  // A number that the module does not have maps to an unknown file, "".
  const std::string& Name(size_t module, uint32_t file) const;
  uint32_t Index(size_t module, uint32_t file);

 private:
  const TargetProfile& target_;
  base::StringInterner& strings_;
  std::vector<std::vector<uint32_t>> known_;  // by module and file: 1 + place; 0: not yet
};

// A common numbering of the functions of all modules of a target.

// Numbers ascend by module and address. A module without symbols is one function.
class FunctionSpace {
 public:
  // The modules' symbols must outlive the space.
  explicit FunctionSpace(const std::vector<TargetModule>& modules);

  uint32_t size() const { return first_.back(); }
  // The first function of a module; one for the module after the last.
  uint32_t FirstOf(size_t module) const { return first_[module]; }
  size_t ModuleOf(uint32_t function) const;
  // Empty for a whole module.
  const FunctionTable& TableOf(size_t module) const { return *tables_[module]; }

  // The function at `pc` of a module, or kNoFunction.
  uint32_t Find(size_t module, uint64_t pc) const;
  // Whether the function is a whole module.
  bool IsModule(uint32_t function) const;
  // The function's entry; 0 for a whole module.
  uint64_t AddressOf(uint32_t function) const;
  // "[libc.so.6]" for a whole module.
  const std::string& NameOf(uint32_t function) const;

 private:
  std::vector<std::unique_ptr<const FunctionTable>> tables_;
  std::vector<std::unique_ptr<const FunctionFinder>> finders_;  // null: no symbols
  std::vector<std::string> module_names_;                       // in brackets
  std::vector<uint32_t> first_;                                 // by module, and the end
};

// The calls of a target from one call site to one function.

struct SiteArc {
  uint32_t caller = 0;       // function of a FunctionSpace; its size: spontaneous
  uint64_t site_offset = 0;  // bytes from the caller's entry to the return address; 0: not known
  uint32_t callee = 0;
  uint64_t count = 0;
  double self = 0;  // measured samples
  double child = 0;
};

inline std::tuple<uint32_t, uint64_t, uint32_t> Key(const SiteArc& arc) {
  return {arc.caller, arc.site_offset, arc.callee};
}

// Sorts by Key, and sums arcs with equal Keys. All callers' numbers are below `callers`.
void MergeSiteArcs(uint32_t callers, std::vector<SiteArc>& arcs);

// Source places (source_places.cc).

// Sets the file and line of the calls in `costs`, which have the order of `arcs`, ascending by Key.
void NameCallSites(const TargetProfile& target, const FunctionSpace& functions,
                   const std::vector<SiteArc>& arcs, FileIndices& files,
                   std::vector<profile::ArcCost>& costs);

// Appends the lines of the functions with a row, ascending by row, file and line. `rows`: by
// function, kNoFunction for those without.
void AppendLines(const TargetProfile& target, const FunctionSpace& functions,
                 const CommonRate& rate, const std::vector<uint32_t>& rows, FileIndices& files,
                 std::vector<profile::LineCost>& lines);

// The samples of a target's functions.

// Histograms of one dimension and rate, and the weight of their samples.
struct WeightedHistograms {
  double weight = 0;
  absl::Span<const profile::Histogram> histograms;  // the module's
};
std::vector<WeightedHistograms> WeighHistograms(const TargetModule& module, const CommonRate& rate);

// Samples by function, each weighted so that all count at `rate`; the last element is 0, for a node
// "spontaneous". Samples of a module without symbols belong to the whole module.
//
// Also fills the totals of `profile`: rate, dimension, the number of samples, the numbers of those
// in the runtime's own code and in no function, and warnings about lost samples.
std::vector<double> SamplesOfFunctions(const TargetProfile& target, const FunctionSpace& functions,
                                       const CommonRate& rate, profile::ComputedProfile& profile);

}  // namespace gprofhub::analyzer
