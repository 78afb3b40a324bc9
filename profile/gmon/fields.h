// Reads the fields of a profile file one by one, and reports the position of errors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

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

  // Skips consecutive records: `tag`, then `size` bytes. Returns their number.
  uint64_t PassAll(unsigned char tag, size_t size);

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

}  // namespace gprofhub::profile
