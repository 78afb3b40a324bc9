// The functions of one image, sorted by address: which symbols count as
// functions, and which function an address belongs to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/parallel.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Which symbols become functions.
enum class SymbolPolicy {
  // What GNU gprof 2.40 lists (docs of the rules: function_table.cc).
  kGnu,
  // Every function the compiler made, its clones (.part, .isra, .constprop,
  // .cold) under their own names, ending where the symbol's size says.
  kExact,
};

// No function: the address lies outside every function.
inline constexpr uint32_t kNoFunction = UINT32_MAX;
inline constexpr uint32_t kNoSymbol = UINT32_MAX;

struct TableFunction {
  uint64_t address = 0;
  uint64_t end = 0;                                 // first address not covered
  const profile::FunctionSymbol* symbol = nullptr;  // in the SymbolTable
  // The row that calls into this one belong to: itself for a function; for a
  // bare label, which takes samples but no calls, the function before it;
  // kNoFunction for a label before every function.
  uint32_t call_target = kNoFunction;
  // The place in the symbol table of the first of the symbols at this address;
  // kNoSymbol: there is none.
  uint32_t first_index = kNoSymbol;
};

struct FunctionTable {
  std::vector<TableFunction> functions;  // ascending by address, one per address
};

// Chooses among the symbols, to which the rows point; O(n log n) at most.
FunctionTable BuildFunctionTable(const profile::SymbolTable& symbols, SymbolPolicy policy);

// Whether GNU gprof takes a local symbol of this name for a function.
bool GnuAcceptsLocalName(absl::string_view name);

// The row covering `pc`, or kNoFunction.
uint32_t FindByAddress(const FunctionTable& table, uint64_t pc);

// The row that a call to `pc` belongs to (TableFunction::call_target),
// or kNoFunction.
uint32_t FindCallTarget(const FunctionTable& table, uint64_t pc);

// Answers the two questions above. Made for many questions: each takes constant time,
// unless many functions are crowded into a few addresses. The table must outlive it and
// stay as it is.
class FunctionFinder {
 public:
  explicit FunctionFinder(const FunctionTable& table);

  uint32_t ByAddress(uint64_t pc) const;
  uint32_t CallTarget(uint64_t pc) const;

  // Begin to fetch what the question about `pc` will read: first the bucket; then, when
  // that is there, the row.
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

// Samples to functions: every bin of the histograms credited to the functions
// it overlaps, in proportion to the overlap.

// Histograms count in units of this many bytes.
inline constexpr uint64_t kUnitBytes = 2;

struct AssignedSamples {
  std::vector<double> by_function;  // parallel to FunctionTable::functions
  double total = 0;                 // all samples, attributed or not
};

// Linear in bins plus functions per histogram.
AssignedSamples AssignSamples(const FunctionTable& table,
                              const std::vector<profile::Histogram>& histograms,
                              SymbolPolicy policy);

// Code cut into pieces, each of which comes from one source line.

// A piece of code that comes from one line. It reaches to the next piece.
struct LineCode {
  uint64_t address = 0;
  const profile::FunctionSymbol* symbol = nullptr;  // the one it is in; null if it is in none
  // Linkage name of the function that it comes from: of an inlined one's, that one.
  const std::string* name = nullptr;
};

// The image's code in pieces, ascending by address. A new piece begins where the line, its
// file or the function changes. Code without a known line belongs to the piece before.
// The pieces point into `symbols`.
std::vector<LineCode> CodeByLine(const profile::SymbolTable& symbols);

// Which line of a table an address belongs to.

// Fastest for addresses that ascend: it looks on from where the last was found. The rows
// ascend by address, and outlive this.
class LineFinder {
 public:
  explicit LineFinder(const std::vector<profile::LineRow>& lines) : lines_(lines) {}

  // The last row at or before the address; null where no line is known.
  const profile::LineRow* Find(uint64_t address);

 private:
  const std::vector<profile::LineRow>& lines_;
  size_t at_ = 0;  // the last address's row, or 0
};

}  // namespace gprofhub::analyzer
