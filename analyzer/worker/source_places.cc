// Source places of calls and of code, from the perspective of the program's authors.
//
// Code that was inlined along with a header's function has two lines: its own, which is in the
// header, and the line where the author of the caller called the header's function
// (SymbolTable::call_lines). The second line is used if the header is a library's. For a call it is
// also used if the caller has the first line in several places, which only the second line
// distinguishes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "analyzer/graph/function_table.h"
#include "analyzer/worker/compute_profile.h"
#include "analyzer/worker/target_profile.h"
#include "profile/computed.h"
#include "profile/names.h"

namespace gprofhub::analyzer {

namespace {

// Which source files are libraries'.
class LibraryFiles {
 public:
  explicit LibraryFiles(const TargetProfile& target) {
    for (const TargetModule& module : target.modules) {
      std::vector<bool>& of_module = of_module_.emplace_back();
      if (module.symbols == nullptr) continue;
      for (const std::string& file : module.symbols->files) {
        of_module.push_back(profile::IsLibraryFile(file));
      }
    }
  }

  bool Have(size_t module, uint32_t file) const {
    return file < of_module_[module].size() && of_module_[module][file];
  }

 private:
  std::vector<std::vector<bool>> of_module_;
};

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
                              const std::vector<SiteArc>& arcs, const LibraryFiles& libraries) {
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
        const bool is_here =
            place.line != nullptr && entry != nullptr && place.line->file == entry->file;
        place.outer = outer_lines.Find(call);
        const bool is_useful = !is_here || place.is_rest ||
                               (place.outer != nullptr && libraries.Have(m, place.line->file) &&
                                !libraries.Have(m, place.outer->file));
        if (!is_useful) place.outer = nullptr;
      }
    }
  }
  return places;
}

}  // namespace

void NameCallSites(const TargetProfile& target, const FunctionSpace& functions,
                   const std::vector<SiteArc>& arcs, FileIndices& files,
                   std::vector<profile::ArcCost>& costs) {
  const LibraryFiles libraries(target);
  const std::vector<Place> places = FindPlaces(target, functions, arcs, libraries);
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
                       !libraries.Have(place.module, named->file);
      if (!own) named = place.outer;
    }
    if (named == nullptr) continue;
    costs[i].site_file = files.Index(place.module, named->file);
    costs[i].site_line = named->line;
  }
}

namespace {

// Code of one function from one line. Pieces ascend by address.
struct Pieces {
  FunctionTable table;                   // each is a row
  std::vector<profile::LineCost> costs;  // by row
};

// Walks over rows of a line table.
class LineCursor {
 public:
  LineCursor(const std::vector<profile::LineRow>& rows, uint64_t address)
      : next_(std::upper_bound(
            rows.begin(), rows.end(), address,
            [](uint64_t at, const profile::LineRow& row) { return at < row.address; })),
        begin_(rows.begin()),
        end_(rows.end()) {}

  // The row in force; null: the line is unknown.
  const profile::LineRow* Row() const {
    return next_ == begin_ || (next_ - 1)->line == 0 ? nullptr : &*(next_ - 1);
  }
  // Where the next row begins.
  uint64_t End() const { return next_ == end_ ? UINT64_MAX : next_->address; }
  void MoveTo(uint64_t address) {
    while (End() <= address) ++next_;
  }

 private:
  std::vector<profile::LineRow>::const_iterator next_, begin_, end_;
};

void AppendPieces(const TableFunction& function, const profile::SymbolTable& symbols, uint32_t row,
                  size_t m, const LibraryFiles& libraries, FileIndices& files, Pieces& pieces) {
  LineCursor lines(symbols.lines, function.address);
  LineCursor calls(symbols.call_lines, function.address);
  for (uint64_t at = function.address, end = 0; at < function.end; at = end) {
    lines.MoveTo(at);
    calls.MoveTo(at);
    end = std::min({function.end, lines.End(), calls.End()});
    const profile::LineRow* place = lines.Row();
    const profile::LineRow* const call = calls.Row();
    const bool is_library = place == nullptr || libraries.Have(m, place->file);
    if (is_library && call != nullptr && !libraries.Have(m, call->file)) place = call;
    if (place == nullptr) continue;
    pieces.table.functions.push_back({at, end});
    pieces.costs.push_back({row, files.Index(m, place->file), place->line, end - at, 0});
  }
}

// One row for each line of a function.
void MergeLines(std::vector<profile::LineCost>& lines, size_t first) {
  const auto key = [](const profile::LineCost& cost) {
    return std::make_tuple(cost.function, cost.file, cost.line);
  };
  const auto begin = lines.begin() + static_cast<ptrdiff_t>(first);
  std::stable_sort(begin, lines.end(), [&](const profile::LineCost& a, const profile::LineCost& b) {
    return key(a) < key(b);
  });
  auto kept = begin;
  for (auto at = begin; at != lines.end(); ++at) {
    if (kept != begin && key(*(kept - 1)) == key(*at)) {
      (kept - 1)->bytes += at->bytes;
      (kept - 1)->samples += at->samples;
    } else {
      *kept++ = *at;
    }
  }
  lines.erase(kept, lines.end());
}

}  // namespace

void AppendLines(const TargetProfile& target, const FunctionSpace& functions,
                 const CommonRate& rate, const std::vector<uint32_t>& rows, FileIndices& files,
                 std::vector<profile::LineCost>& lines) {
  const LibraryFiles libraries(target);
  for (size_t m = 0; m < target.modules.size(); ++m) {
    const TargetModule& module = target.modules[m];
    if (module.symbols == nullptr || module.symbols->lines.empty()) continue;
    Pieces pieces;
    for (uint32_t i = functions.FirstOf(m); i < functions.FirstOf(m + 1); ++i) {
      if (rows[i] == kNoFunction) continue;
      AppendPieces(functions.TableOf(m).functions[i - functions.FirstOf(m)], *module.symbols,
                   rows[i], m, libraries, files, pieces);
    }
    for (const auto& [weight, histograms] : WeighHistograms(module, rate)) {
      const AssignedSamples assigned =
          AssignSamples(pieces.table, histograms, SymbolPolicy::kExact);
      for (size_t i = 0; i < pieces.costs.size(); ++i) {
        pieces.costs[i].samples += weight * assigned.by_function[i];
      }
    }
    const size_t first = lines.size();
    lines.insert(lines.end(), pieces.costs.begin(), pieces.costs.end());
    MergeLines(lines, first);
  }
}

}  // namespace gprofhub::analyzer
