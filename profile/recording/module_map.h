// Maps addresses at run time to modules of a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "profile/recording/chunks.h"
#include "profile/recording/recording.h"

namespace gprofhub::profile {

// A place in a module.
struct ModulePlace {
  uint32_t module;  // index into Recording::modules
  uint64_t pc;      // as linked
};

class ModuleMap {
 public:
  // The module was loaded at [low, high); `bias` is the difference of its addresses to those as
  // linked, and `order` ascends with time.
  void Add(uint64_t low, uint64_t high, uint64_t bias, uint64_t order, uint32_t module) {
    loads_.push_back({low, high, bias, order, module});
  }
  // Call after the last Add, before the first Find.
  void Build();

  std::optional<ModulePlace> Find(uint64_t pc) const;

 private:
  struct Load {
    uint64_t low, high, bias, order;
    uint32_t module;
  };
  std::vector<Load> loads_;
  std::map<uint64_t, int64_t> intervals_;  // from this address on: load or -1
};

// Adds the modules to `recording`, whose program must be set, and builds `map`. DataLoss: a module
// is impossible.
absl::Status ReadModules(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         Recording& recording, ModuleMap& map);

// Addresses of the runtime's own code: the stubs that are linked into a program, or the whole
// object that was preloaded.
class OwnCode {
 public:
  OwnCode(const gprofhub_recording& header, const ModuleMap& map, const Recording& recording)
      : low_(header.own_low), high_(header.own_high), module_(recording.modules.size()) {
    const std::optional<ModulePlace> place = map.Find(low_);
    if (place && !recording.modules[place->module].is_program) module_ = place->module;
  }

  bool Holds(uint64_t pc, const std::optional<ModulePlace>& place) const {
    return (pc >= low_ && pc < high_) || (place && place->module == module_);
  }

 private:
  uint64_t low_;
  uint64_t high_;
  size_t module_;
};

}  // namespace gprofhub::profile
