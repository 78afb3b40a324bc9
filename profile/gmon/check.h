// Checks a profile's bytes: counts everything, and stores only the shapes of the histograms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Reads the fields of a profile file one by one, and reports the position of errors.

struct GmonEncoding {
  int address_size;
  bool big_endian;
};

// After a failed read status() is the error and the values read are zero.
class GmonFields {
 public:
  // Both texts must outlive it; `file_name` is for messages.
  GmonFields(absl::string_view bytes, absl::string_view file_name, GmonEncoding encoding)
      : bytes_(bytes), file_name_(file_name), encoding_(encoding) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return bytes_.size() - offset_; }
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  GmonEncoding encoding() const { return encoding_; }

  // Sets the record's name for messages: "record 3 (arc)".
  void BeginRecord(absl::string_view what, uint64_t number, absl::string_view kind = "") {
    record_ = what;
    number_ = number;
    kind_ = kind;
  }

  // Skips consecutive records: `tag`, then `size` bytes. Returns their number. `bits` gets the bits
  // that are set in the last byte of any record's first word.
  uint64_t PassAll(unsigned char tag, size_t size, unsigned char& bits);

  uint64_t Number(absl::string_view field, size_t size);
  uint64_t Word(absl::string_view field) {
    return Number(field, static_cast<size_t>(encoding_.address_size));
  }
  absl::string_view Raw(absl::string_view field, uint64_t size);
  // Skips `count` items of `size` bytes.
  void Skip(absl::string_view field, uint64_t count, uint64_t size);

  // Keeps only the first failure.
  void Fail(absl::string_view field, size_t offset, absl::string_view problem);

 private:
  absl::string_view bytes_;
  absl::string_view file_name_;
  GmonEncoding encoding_;
  size_t offset_ = 0;
  absl::string_view record_ = "header";
  uint64_t number_ = 0;  // 0: none
  absl::string_view kind_;
  absl::Status status_;
};

// A histogram without its samples. Several records may add to it.
struct HistogramShape {
  uint64_t high_pc;
  uint32_t bins;
};

// Layout of a file, assuming one encoding; or the reason why it cannot have that encoding.
struct GmonLayout {
  GmonEncoding encoding;
  absl::Status status;
  size_t offset = 0;  // position of the error, or the end
  uint64_t arcs = 0;
  // The file is marked: callers are exact. Otherwise: all may be rounded down
  // (profile/format/gmon.h).
  bool has_exact_callers = false;
  bool has_rounded_callers = false;
  uint64_t blocks = 0;
  uint64_t address_mask = UINT64_MAX;  // of the addresses of arcs and blocks
  // By low_pc, the ranges being disjoint.
  absl::btree_map<uint64_t, HistogramShape> histograms;
  Histogram unit;  // rate, dimension and abbreviation of all histograms
  // BSD only: where the bins and the arcs begin.
  std::optional<size_t> bsd_bins;
  size_t bsd_arcs = 0;

  bool Empty() const { return histograms.empty() && arcs == 0 && blocks == 0; }
};

// `file_name` is for messages.
GmonLayout CheckGnuLayout(absl::string_view bytes, absl::string_view file_name,
                          GmonEncoding encoding);

// low_pc (word), high_pc (word), ncnt (4: bytes of header and bins); 4.4BSD continues with version
// (4), rate (4), spare (12). Then the bins, then arcs whose count is a word, too.
GmonLayout CheckBsdLayout(absl::string_view bytes, absl::string_view file_name,
                          GmonEncoding encoding, bool with_version);

}  // namespace gprofhub::profile
