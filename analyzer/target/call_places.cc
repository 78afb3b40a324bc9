#include "analyzer/target/call_places.h"

#include <cstddef>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "analyzer/functions/line_finder.h"

namespace gprofhub::analyzer {
namespace {

// Whether the source file is a library's header, and not the program's own. Compilers and build
// systems keep these in recognisable folders.
bool IsForeign(absl::string_view file) {
  return absl::StartsWith(file, "/usr/") || absl::StartsWith(file, "/opt/") ||
         absl::StartsWith(file, "external/") || absl::StrContains(file, "/external/") ||
         absl::StrContains(file, "include/c++/") || absl::StrContains(file, "lib/gcc");
}

struct Place {
  size_t module = 0;
  const profile::LineRow* line = nullptr;
  const profile::LineRow* outer = nullptr;  // of the inlined call
  bool is_rest = false;                     // to a function that SplitOff marks
};

// By function: whether it is the second part of a function that the compiler split to inline the
// first part. The source contains no call of that part.
std::vector<bool> SplitOff(const FunctionSpace& functions) {
  std::vector<bool> is_split;
  is_split.reserve(functions.size());
  for (uint32_t i = 0; i < functions.size(); ++i) {
    is_split.push_back(absl::StrContains(functions.NameOf(i), ".part."));
  }
  return is_split;
}

std::vector<Place> FindPlaces(const TargetProfile& target, const FunctionSpace& functions,
                              const std::vector<SiteArc>& arcs) {
  const std::vector<bool> is_split = SplitOff(functions);
  std::vector<Place> places(arcs.size());
  for (size_t m = 0, i = 0; m < target.modules.size(); ++m) {
    const uint32_t end = functions.FirstOf(m + 1);
    if (target.modules[m].symbols == nullptr) {
      while (i < arcs.size() && arcs[i].caller < end) ++i;
      continue;
    }
    const profile::SymbolTable& symbols = *target.modules[m].symbols;
    LineFinder entries(symbols.lines);
    LineFinder lines(symbols.lines);
    LineFinder outer_lines(symbols.call_lines);
    while (i < arcs.size() && arcs[i].caller < end) {
      const uint32_t caller = arcs[i].caller;
      const uint64_t address = functions.AddressOf(caller);
      const profile::LineRow* const entry = entries.Find(address);
      for (; i < arcs.size() && arcs[i].caller == caller; ++i) {
        if (arcs[i].site_offset == 0) continue;
        const uint64_t call = address + arcs[i].site_offset - 1;
        Place& place = places[i];
        place.module = m;
        place.line = lines.Find(call);
        place.is_rest = is_split[arcs[i].callee];
        if (place.is_rest || place.line == nullptr || entry == nullptr ||
            place.line->file != entry->file) {
          place.outer = outer_lines.Find(call);
        }
      }
    }
  }
  return places;
}

}  // namespace

// A call that was inlined along with a header's function has two lines: its own, which is
// in the header, and the line where the author of the caller called the header's function.
// The second line is used if the header is a library's, or if the caller has the first line in
// several places, which only the second line distinguishes.
void NameCallSites(const TargetProfile& target, const FunctionSpace& functions,
                   const std::vector<SiteArc>& arcs, FileIndices& files,
                   std::vector<profile::ArcCost>& costs) {
  const std::vector<Place> places = FindPlaces(target, functions, arcs);
  using CallKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
  const auto key_of = [&](size_t i) {
    return CallKey(arcs[i].caller, arcs[i].callee, places[i].line->file, places[i].line->line);
  };
  absl::flat_hash_map<CallKey, const profile::LineRow*> only;  // null: several
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].line == nullptr || places[i].outer == nullptr) continue;
    const auto [entry, inserted] = only.try_emplace(key_of(i), places[i].outer);
    if (inserted || entry->second == nullptr) continue;
    const bool same = entry->second->file == places[i].outer->file &&
                      entry->second->line == places[i].outer->line;
    if (!same) entry->second = nullptr;
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    const profile::LineRow* named = place.line;
    if (place.outer != nullptr) {
      const bool own = named != nullptr && !place.is_rest && only.at(key_of(i)) != nullptr &&
                       !IsForeign(files.Name(place.module, named->file));
      if (!own) named = place.outer;
    }
    if (named == nullptr) continue;
    costs[i].site_file = files.Index(place.module, named->file);
    costs[i].site_line = named->line;
  }
}

}  // namespace gprofhub::analyzer
