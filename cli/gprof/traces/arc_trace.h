// Arcs as GNU gprof adds them, and its searches for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/symspec_rows.h"

namespace gprofhub::cli {

// The arcs that symspecs name.
class NamedArcs {
 public:
  // `rows` must outlive the arcs.
  NamedArcs(const analyzer::ListingRows& rows, unsigned levels) : rows_(rows), levels_(levels) {}

  void AddCallers(const analyzer::ChosenRun& callers);
  // Adds functions that the callers added last call. Returns what is traced.
  std::string AddCallees(const analyzer::ChosenRun& callees);
  // Whether a symspec matches callers. It may have no callees.
  bool has_callers() const { return !entries_.empty(); }
  // Appends what is traced to `out`.
  bool Contains(uint32_t caller, uint32_t callee, std::string& out) const;

 private:
  struct Entry {
    analyzer::ChosenRun callers;
    std::vector<analyzer::ChosenRun> callees;  // the oldest first
  };

  const analyzer::ListingRows& rows_;
  const unsigned levels_;
  std::vector<Entry> entries_;  // by callers.first
  size_t latest_ = 0;           // the entry added last
};

struct ChosenArcs {
  NamedArcs included;  // if it has callers, these alone
  NamedArcs excluded;
};

// The arcs so far. Every function appends what is traced to `out`.
class ArcTrace {
 public:
  // `rows` must outlive the trace.
  ArcTrace(const analyzer::ListingRows& rows, unsigned levels) : rows_(rows), levels_(levels) {}

  void Add(uint32_t caller, uint32_t callee, uint64_t count, std::string& out);
  // The count of the arc; null if it is not there. An arc to a function's first row is to all
  // of the function.
  uint64_t* Find(uint32_t caller, uint32_t callee, std::string& out);

 private:
  struct Arc {
    uint32_t callee;
    uint64_t count;
  };

  const analyzer::ListingRows& rows_;
  const unsigned levels_;
  absl::flat_hash_map<uint32_t, std::vector<Arc>> arcs_;  // by caller, the oldest first
};

}  // namespace gprofhub::cli
