// All profile data of the processes of one target, summed module by module: the input of
// ComputeProfile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/merge.h"
#include "profile/raw_profile.h"
#include "profile/recording/recording.h"
#include "profile/symbols.h"

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
  uint64_t calls_nowhere = 0;  // to addresses outside of all modules
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

}  // namespace gprofhub::analyzer
