#include "cli/gprof/traces/arc_trace.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "cli/gprof/options/debug_levels.h"

namespace gprofhub::cli {

namespace {

std::string Lookup(const std::string& parent, const std::string& child, bool in_list) {
  return absl::StrFormat("[arc_lookup]%s parent %s child %s\n", in_list ? "\t" : "", parent, child);
}

std::string AddedArc(uint64_t count, const std::string& parent, const std::string& child) {
  return absl::StrFormat("[arc_add] %d arcs from %s to %s\n", count, parent, child);
}

}  // namespace

void NamedArcs::AddCallers(const analyzer::ChosenRun& callers) {
  const auto behind = [](uint32_t first, const Entry& entry) {
    return first < entry.callers.first;
  };
  const auto place = std::upper_bound(entries_.begin(), entries_.end(), callers.first, behind);
  latest_ = static_cast<size_t>(place - entries_.begin());
  entries_.insert(place, Entry{callers, {}});
}

std::string NamedArcs::AddCallees(const analyzer::ChosenRun& callees) {
  Entry& entry = entries_[latest_];
  const std::string& parent = rows_.LinkageName(entry.callers.first);
  const std::string& child = rows_.LinkageName(callees.first);
  std::string out;
  if ((levels_ & kTraceArcs) != 0) out = AddedArc(0, parent, child);
  if ((levels_ & kTraceLookups) != 0) {
    out += Lookup(parent, child, false);
    for (auto known = entry.callees.rbegin(); known != entry.callees.rend(); ++known) {
      out += Lookup(parent, rows_.LinkageName(known->first), true);
    }
  }
  entry.callees.push_back(callees);
  return out;
}

bool NamedArcs::Contains(uint32_t caller, uint32_t callee, std::string& out) const {
  const bool traced = (levels_ & kTraceLookups) != 0;
  for (const Entry& entry : entries_) {
    if (!entry.callers.HasCaller(caller)) continue;
    const std::string& parent = rows_.LinkageName(entry.callers.first);
    if (traced) out += Lookup(parent, rows_.LinkageName(callee), false);
    for (auto run = entry.callees.rbegin(); run != entry.callees.rend(); ++run) {
      if (traced) out += Lookup(parent, rows_.LinkageName(run->first), true);
      if (run->HasCallee(callee)) return true;
    }
  }
  return false;
}

uint64_t* ArcTrace::Find(uint32_t caller, uint32_t callee, std::string& out) {
  const bool traced = (levels_ & kTraceLookups) != 0;
  const std::string& parent = rows_.LinkageName(caller);
  if (traced) out += Lookup(parent, rows_.LinkageName(callee), false);
  const auto found = arcs_.find(caller);
  if (found == arcs_.end()) return nullptr;
  for (auto arc = found->second.rbegin(); arc != found->second.rend(); ++arc) {
    if (traced) out += Lookup(parent, rows_.LinkageName(arc->callee), true);
    if (rows_.Address(arc->callee) <= rows_.Address(callee) &&
        rows_.Address(callee) < rows_.SymbolEnd(arc->callee)) {
      return &arc->count;
    }
  }
  return nullptr;
}

void ArcTrace::Add(uint32_t caller, uint32_t callee, uint64_t count, std::string& out) {
  const bool traced = (levels_ & kTraceArcs) != 0;
  if (traced) out += AddedArc(count, rows_.LinkageName(caller), rows_.LinkageName(callee));
  if (uint64_t* known = Find(caller, callee, out); known != nullptr) {
    if (traced) absl::StrAppendFormat(&out, "[tally] hit %d += %d\n", *known, count);
    *known += count;
  } else {
    arcs_[caller].push_back({callee, count});
  }
}

}  // namespace gprofhub::cli
