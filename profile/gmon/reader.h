// Reads profile files: GNU gmon.out (profile/format/gmon.h), and the older BSD formats on request.
// The bytes are untrusted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/gmon/check.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

struct GmonReadOptions {
  enum class Format {
    kAuto,  // GNU; an older format has no magic and is never guessed
    kGnu,
    // 4.4BSD (version 0x51879), otherwise the older one without a version and a rate (100 per
    // second is assumed, as in GNU gprof).
    kBsd,
  };
  Format format = Format::kAuto;
  // Bytes of an address, 4 or 8, from the image. If absent, both are tried and the one that reads
  // the whole file consistently is used.
  std::optional<int> address_size;
  // If absent, found from the version.
  std::optional<bool> big_endian;
  // Bit 0 of an address in Thumb code is the processor's mode: addresses of arcs and basic blocks
  // are read without it. Histograms' bounds stay as they are, because their bins begin there.
  bool has_mode_bit = false;
  // The image that wrote the file, which must outlive the reading. If the callers in the file are
  // rounded down, each is moved into the function that made the call.
  const SymbolTable* image = nullptr;
  // And within that function to the middle of the block, which halves the error of its line.
  bool to_middle = false;
};

// Reads a gmon file whose bytes were checked, in one pass.

// GmonCursor cursor(bytes, layout);
// for (auto arcs = cursor.NextArcs(); !arcs.empty(); arcs = cursor.NextArcs()) …
// RawProfile rest = cursor.TakeRest();
class GmonCursor {
 public:
  // `layout` is that of `bytes`, which must have been checked; all must outlive this. The contents
  // of `memory`, another profile's histograms, are dropped, and their memory is reused.
  GmonCursor(absl::string_view bytes, const GmonLayout& layout, const GmonReadOptions& options,
             std::vector<Histogram> memory = {});

  // The next arcs in the file, a batch that fits the L1 cache. Valid until the next call. Empty at
  // the end.
  absl::Span<const RawArc> NextArcs();

  // Everything before this byte has been read, and is not read again.
  size_t offset() const { return static_cast<size_t>(at_ - bytes_.data()); }

  // Everything but the arcs. Call once, after the end is reached.
  RawProfile TakeRest();

 private:
  template <typename Numbers>
  void ReadGnuRecords();
  template <typename Numbers>
  void ReadGnuArcs();
  template <typename Numbers>
  void ReadGnuHistogram();
  template <typename Numbers>
  void ReadGnuBlocks();
  template <typename Numbers>
  void ReadBsdRecords();
  Histogram& HistogramFrom(uint64_t low_pc);

  const absl::string_view bytes_;
  const GmonLayout& layout_;
  const GmonReadOptions& options_;
  const char* at_;
  RawProfile rest_;
  std::array<RawArc, 256> arcs_;
  size_t filled_ = 0;  // of arcs_
};

// A checked file, not read yet.
class GmonFile {
 public:
  // Created by OpenGmon; `bytes` must outlive it.
  GmonFile(absl::string_view bytes, GmonLayout layout, const GmonReadOptions& options)
      : bytes_(bytes), layout_(std::move(layout)), options_(options) {}

  uint64_t arcs() const { return layout_.arcs; }
  bool MayHaveFunctionsAsCallers() const {
    return !layout_.has_exact_callers && !layout_.has_rounded_callers;
  }
  // This must outlive the cursor.
  GmonCursor Read(std::vector<Histogram> memory = {}) const {
    return GmonCursor(bytes_, layout_, options_, std::move(memory));
  }

 private:
  absl::string_view bytes_;
  GmonLayout layout_;
  GmonReadOptions options_;
};

// Checks a whole file. `file_name` is only for messages.
//
// Errors name the file, the record, the field, its offset in bytes and a remedy. DataLoss: the file
// ends early or contains something impossible. InvalidArgument: not a profile, another version, bad
// options, or both address sizes fit. A rejected file costs no memory in proportion to its size,
// except 32 bytes per histogram.
absl::StatusOr<GmonFile> OpenGmon(absl::string_view bytes, absl::string_view file_name,
                                  const GmonReadOptions& options = {});

// Also reads it: a result takes at most four times the size of `bytes`. Histogram records of one
// range are added up; arcs and blocks stay in file order. Histograms without bins are left out.
absl::StatusOr<RawProfile> ReadGmon(absl::string_view bytes, absl::string_view file_name,
                                    const GmonReadOptions& options = {});

// Properties of the profiles of an image's processes, by its architecture
// (SymbolTable::architecture).

// GmonReadOptions::has_mode_bit.
bool HasModeBit(absl::string_view architecture);

// Options for reading a gmon.out of a program of this architecture. InvalidArgument, listing the
// known ones, for another one.
absl::StatusOr<GmonReadOptions> GmonOptionsFor(absl::string_view architecture);

}  // namespace gprofhub::profile
