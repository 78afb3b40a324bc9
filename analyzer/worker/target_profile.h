// Everything that the processes of one target left, summed module by module:
// what ComputeProfile starts from.
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
  // Ascending by dimension and rate; of different shapes they may overlap.
  std::vector<profile::Histogram> histograms;
  // From pc 0: spontaneous. Calls from other modules are in cross_arcs only.
  std::vector<profile::RawArc> arcs;
};

// Profiles that were sampled in one way.
struct Sampling {
  double periods = 0;   // that the samples stand for: the sum of all bins, and more
  double samples = 0;   // of one weight, that are no more precise than those there were
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
  uint64_t calls_nowhere = 0;                                     // to addresses of no module
};

class TargetSum {
 public:
  // One process's profile of the image that `symbols` are of, which must outlive
  // what Take returns. OutOfRange: a sum exceeds 64 bits.
  absl::Status AddProfile(const profile::SymbolTable& symbols, profile::RawProfile profile);

  // All of a process. `symbols_of` gives the symbols of a build-id, or null; they
  // must outlive what Take returns.
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

// One rate for samples that were taken at several: an exact one for listings, and
// one that says how precise a sum is.

// The least rate, in samples per unit, that every one of `rates` divides; 0 counts
// as 1, and of no rates it is 1. Counts multiplied by it over their own rate stay
// whole numbers, and the times they stand for stay as they are. INVALID_ARGUMENT if
// it exceeds 32 bits, which is what a profile's header has room for.
absl::StatusOr<uint32_t> ExactRate(const std::set<uint32_t>& rates);

struct CommonRate {
  // The dimension that most samples count; the others are not comparable.
  std::string dimension = "seconds";
  // At which the samples of that dimension are counted, per unit of it.
  double rate = 0;
  double left_out = 0;  // samples of other dimensions

  // How many samples at `rate` a period at `rate_of_histogram` stands for; 0 if its
  // dimension is another.
  double Weight(const std::string& dimension_of_histogram, uint32_t rate_of_histogram) const;
};

// The rate at which counts are as precise as the samples they stand for.
CommonRate ChooseRate(const std::map<std::pair<std::string, uint32_t>, Sampling>& sampling);

// What a computed profile says of a function besides its costs and names.

// Sets the function's line, size, binding and code; returns its source file, an index into
// SymbolTable::files. File and line are those of the debug information, else those of
// the entry's row in `lines`; 0: unknown.
uint32_t DescribeCode(const TableFunction& function, LineFinder& lines,
                      profile::FunctionCost& cost);

// The computed profile of stacks that a profiler sampled: calls are the samples that
// saw them (ComputedProfile::sampled_calls), times are samples.

// Sums stacks. The sum does not depend on the order of adding.
class SampledProfile {
 public:
  // Stacks whose functions are `image`'s. One image's stacks come with one SymbolTable,
  // which must outlive this.
  void Add(const profile::ImageStacks& stacks, const profile::SymbolTable& image);

  // Has the functions that stood on a stack. The samples of a function or an arc are those
  // on whose stack it was, each counted once. A function's self_samples were taken in it. A
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
  uint64_t elsewhere_ = 0;  // taken in no function known
};

}  // namespace gprofhub::analyzer
