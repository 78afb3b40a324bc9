// The functions of one image, sorted by address. Selects the symbols that count as functions, and
// maps addresses to functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/parallel.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Policy for selecting the symbols that become functions.
enum class SymbolPolicy {
  // The symbols that GNU gprof 2.40 lists (rules: function_table.cc).
  kGnu,
  // Every function that the compiler emitted. Clones (.part, .isra, .constprop, .cold) keep their
  // own names. The symbol's size determines the end.
  kExact,
};

// The address is outside of all functions.
inline constexpr uint32_t kNoFunction = UINT32_MAX;
inline constexpr uint32_t kNoSymbol = UINT32_MAX;

struct TableFunction {
  uint64_t address = 0;
  uint64_t end = 0;                                 // first address not covered
  const profile::FunctionSymbol* symbol = nullptr;  // in the SymbolTable
  // The row to which calls into this one are attributed: itself for a function; for a bare label,
  // which takes samples but no calls, the function before it; kNoFunction for a label before every
  // function.
  uint32_t call_target = kNoFunction;
  // Index in the symbol table of the first symbol at this address, or kNoSymbol.
  uint32_t first_index = kNoSymbol;
};

struct FunctionTable {
  std::vector<TableFunction> functions;  // ascending by address, one per address
};

// Selects the functions among the symbols. The rows point into `symbols`. O(n log n) at most.
FunctionTable BuildFunctionTable(const profile::SymbolTable& symbols, SymbolPolicy policy);

// All symbols at the address.
absl::Span<const profile::FunctionSymbol> SymbolsAt(const profile::SymbolTable& symbols,
                                                    uint64_t address);

// Whether GNU gprof treats a local symbol of this name as a function.
bool GnuAcceptsLocalName(absl::string_view name);

// The row covering `pc`, or kNoFunction.
uint32_t FindByAddress(const FunctionTable& table, uint64_t pc);

// The row that a call to `pc` belongs to (TableFunction::call_target),
// or kNoFunction.
uint32_t FindCallTarget(const FunctionTable& table, uint64_t pc);

// Index for the two lookups above. A lookup takes constant time, unless many functions are crowded
// into few addresses. The table must outlive the finder and must not change.
class FunctionFinder {
 public:
  explicit FunctionFinder(const FunctionTable& table);

  uint32_t ByAddress(uint64_t pc) const;
  uint32_t CallTarget(uint64_t pc) const;

  // Prefetch the memory that a lookup of `pc` reads: first the bucket, then, once the bucket is
  // cached, the row.
  void FetchBucket(uint64_t pc) const {
    if (!buckets_.empty()) base::Prefetch(&buckets_[BucketOf(pc)]);
  }
  void FetchRow(uint64_t pc) const {
    if (!buckets_.empty()) base::Prefetch(&rows_[buckets_[BucketOf(pc)]] - 1);
  }

 private:
  // Any, for an address below the first; there must be buckets.
  size_t BucketOf(uint64_t pc) const {
    return std::min<uint64_t>((pc - low_) >> shift_, buckets_.size() - 2);
  }

  const std::vector<TableFunction>& rows_;
  uint64_t low_ = 0;
  int shift_ = 0;  // a bucket holds the rows of 2^shift_ addresses
  // First row of each bucket, and the end of the last.
  std::vector<uint32_t> buckets_;
};

// Attribution of samples to functions: each histogram bin is credited to the functions that it
// overlaps, in proportion to the overlap.

// Histograms count in units of this many bytes.
inline constexpr uint64_t kUnitBytes = 2;

struct AssignedSamples {
  std::vector<double> by_function;  // parallel to FunctionTable::functions
  double total = 0;                 // all samples, attributed or not
};

// Linear in bins plus functions per histogram.
AssignedSamples AssignSamples(const FunctionTable& table,
                              absl::Span<const profile::Histogram> histograms, SymbolPolicy policy);

// Splits code into pieces, each from one source line.

// A piece of code from one line. It ends where the next piece begins.
struct LineCode {
  uint64_t address = 0;
  const profile::FunctionSymbol* symbol = nullptr;  // the containing symbol, or null
  // Linkage name of the source function; the inlined function's for inlined code.
  const std::string* name = nullptr;
};

// The image's code in pieces, ascending by address. A new piece begins where the line, its
// file or the function changes. Code without a known line belongs to the piece before.
// The pieces point into `symbols`.
std::vector<LineCode> CodeByLine(const profile::SymbolTable& symbols);

// Maps addresses to rows of a line table.

// Fastest for ascending addresses: a search starts at the previous result. The rows ascend by
// address and must outlive the finder.
class LineFinder {
 public:
  explicit LineFinder(const std::vector<profile::LineRow>& lines) : lines_(lines) {}

  // The last row at or before the address; null if the line is unknown.
  const profile::LineRow* Find(uint64_t address);

 private:
  const std::vector<profile::LineRow>& lines_;
  size_t at_ = 0;  // row of the previous address, or 0
};

}  // namespace gprofhub::analyzer
