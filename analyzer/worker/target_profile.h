// All profile data of the processes of one target, summed module by module: the input of
// ComputeProfile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/graph/function_table.h"
#include "profile/computed.h"
#include "profile/environment.h"
#include "profile/merge.h"
#include "profile/raw_profile.h"
#include "profile/recording/chunks.h"
#include "profile/recording/perf_text.h"

namespace gprofhub::analyzer {

// A program, shared object, or other code that was loaded.
struct TargetModule {
  std::string name;                               // file name without directory
  std::string build_id;                           // may be empty
  const profile::SymbolTable* symbols = nullptr;  // null: not known
  // Ascending by dimension and rate; histograms of different shapes may overlap.
  std::vector<profile::Histogram> histograms;
  // From pc 0: spontaneous. Calls from other modules are in cross_arcs only.
  std::vector<profile::RawArc> arcs;
};

// Profiles that were sampled in the same way.
struct Sampling {
  double periods = 0;   // represented by the samples: the sum of all bins, and more
  double samples = 0;   // of equal weight; not more precise than the actual ones
  double overhead = 0;  // periods in the runtime's own code, in no histogram
  double nowhere = 0;   // periods outside of all modules, in no histogram
};

struct ProcessStacks {
  std::string dimension;
  uint32_t rate = 0;
  std::vector<profile::ModuleFrame> frames;  // indices of modules are those of TargetProfile
};

struct TargetProfile {
  std::vector<TargetModule> modules;          // ascending by (name, build_id)
  std::vector<profile::CrossArc> cross_arcs;  // ascending; indices into modules
  std::vector<ProcessStacks> stacks;
  std::map<std::pair<std::string, uint32_t>, Sampling> sampling;  // by (dimension, rate)
  uint64_t calls_nowhere = 0;                      // to addresses outside of all modules
  uint64_t incomplete = 0;                         // processes whose recording lacks calls
  std::vector<profile::Environment> environments;  // of processes: ascending and different
};

class TargetSum {
 public:
  // Adds one process's profile of the image of `symbols`, which must outlive the result of Take.
  // OutOfRange: a sum exceeds 64 bits.
  absl::Status AddProfile(const profile::SymbolTable& symbols, profile::RawProfile profile);

  // Adds all data of a process. `symbols_of` returns the symbols of a build-id, or null; they must
  // outlive the result of Take.
  absl::Status AddRecording(
      const profile::Recording& recording,
      const std::function<const profile::SymbolTable*(absl::string_view)>& symbols_of);

  // The sum. Only the order of `stacks` depends on the order of addition.
  TargetProfile Take();

 private:
  struct Module {
    std::string name;
    std::string build_id;
    const profile::SymbolTable* symbols = nullptr;
    std::map<std::tuple<std::string, uint32_t, uint64_t, uint64_t, size_t>, profile::Histogram>
        histograms;
    profile::ProfileMerger arcs;
  };

  uint32_t ModuleOf(const std::string& name, const std::string& build_id,
                    const profile::SymbolTable* symbols);
  absl::Status AddData(profile::RawProfile profile, Module& module);

  std::vector<Module> modules_;
  std::map<std::string, uint32_t> rows_;  // by build-id, else by name
  absl::flat_hash_map<std::tuple<uint32_t, uint64_t, uint32_t, uint64_t>, uint64_t> cross_;
  TargetProfile sum_;
};

// A common rate for samples that were taken at several rates: an exact one for listings, and an
// effective one that expresses the precision of a sum.

// The least common multiple of `rates`, in samples per unit; 0 counts as 1, and the result for no
// rates is 1. Counts scaled by the result over their own rate stay integers, and their times stay
// unchanged. INVALID_ARGUMENT if the result exceeds 32 bits, the size of the field in a profile's
// header.
absl::StatusOr<uint32_t> ExactRate(const std::set<uint32_t>& rates);

struct CommonRate {
  // The dimension that most samples count; the others are not comparable.
  std::string dimension = "seconds";
  // Rate at which the samples of that dimension are counted, per unit.
  double rate = 0;
  double left_out = 0;  // samples of other dimensions

  // The number of samples at `rate` per period at `rate_of_histogram`; 0 if its dimension differs.
  double Weight(const std::string& dimension_of_histogram, uint32_t rate_of_histogram) const;
};

// The rate at which counts have the precision of the original samples.
CommonRate ChooseRate(const std::map<std::pair<std::string, uint32_t>, Sampling>& sampling);

// Attributes of a function in a computed profile other than costs and names.

// Sets the function's line, size, binding and code; returns its source file, an index into
// SymbolTable::files. File and line come from the debug information, else from the entry's row in
// `lines`; 0: unknown.
uint32_t DescribeCode(const TableFunction& function, LineFinder& lines,
                      profile::FunctionCost& cost);

// The computed profile of stacks that a profiler sampled: calls are the samples whose stacks
// contain them (ComputedProfile::sampled_calls), times are samples.

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
