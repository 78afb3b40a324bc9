// The calls and block executions in a recording.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "profile/format/recording.h"
#include "profile/recording/chunks.h"

namespace gprofhub::profile {

// Adds up the tables and counters of all threads: arcs and blocks of the modules,
// Recording::cross_arcs, and calls at addresses outside all modules. The modules must have been
// read already. DataLoss: the counters do not match each other or their sites.
absl::Status ReadCounts(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                        const ModuleMap& map, Recording& recording);

// Counts of the counters in the text (profile/format/recording.h, gprofhub_site), added up over
// threads and converted to calls.

// Addresses at run time.
struct CountedArc {
  uint64_t from = 0;  // GPROFHUB_CALLER_UNKNOWN: spontaneous
  uint64_t self = 0;
  uint64_t count = 0;
};
struct CountedBlock {
  uint64_t pc = 0;
  uint64_t count = 0;
};

// Call AddWords() for all threads, then AddSites(), then AddTableArc(); then query. Each function
// is linear in its input.
class SiteCounts {
 public:
  // One thread's chunks of a set.
  struct Words {
    std::vector<uint64_t> counted;
    std::vector<uint64_t> excluded;  // empty: none
    bool is_off = false;             // counting was off when the recording ended

    uint64_t Count(size_t at) const {
      if (excluded.empty()) return counted[at];
      return (is_off ? 0 : counted[at]) - excluded[at];
    }
  };

  // False: other threads of the set, or the exclusion, have a different number of words.
  bool AddWords(uint32_t set, Words words);

  // The sites of a set. False: a site has no word of its own, or the set was added before.
  bool AddSites(uint32_t set, uint64_t base, const std::vector<gprofhub_site>& sites);

  // An arc of the tables that were counted in addition to the sites, with `from` as in them: true
  // if it is a call. False: it leads from a site to a function that is not counted.
  bool AddTableArc(uint64_t from, uint64_t self, uint64_t count);

  // All calls, with the excess of each function's entry count as spontaneous.
  std::vector<CountedArc> Arcs() const;
  const std::vector<CountedBlock>& blocks() const { return blocks_; }

 private:
  struct Function {
    uint64_t entered = 0;
    uint64_t called = 0;  // from known sites, not in arcs_
  };
  struct Set {
    std::vector<Words> threads;
    bool described = false;
  };

  Function& AddFunction(uint64_t self);

  std::map<uint32_t, Set> sets_;
  absl::flat_hash_map<uint64_t, Function> functions_;
  absl::flat_hash_set<uint64_t> indirect_sites_;
  std::vector<uint64_t> function_order_;
  std::vector<CountedArc> arcs_;  // to any address
  std::vector<CountedBlock> blocks_;
};

}  // namespace gprofhub::profile
