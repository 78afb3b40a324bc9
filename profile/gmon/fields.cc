#include "profile/gmon/fields.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gprofhub::profile {

uint64_t GmonFields::PassAll(unsigned char tag, size_t size) {
  if (!ok()) return 0;
  const char* const begin = bytes_.data() + offset_;
  const char* const end = bytes_.data() + bytes_.size();
  const char* at = begin;
  while (static_cast<size_t>(end - at) > size && static_cast<unsigned char>(*at) == tag) {
    at += 1 + size;
  }
  offset_ += static_cast<size_t>(at - begin);
  return static_cast<uint64_t>(at - begin) / (1 + size);
}

uint64_t GmonFields::Number(absl::string_view field, size_t size) {
  const absl::string_view raw = Raw(field, size);
  uint64_t value = 0;
  for (size_t i = 0; i < raw.size(); ++i) {
    const size_t at = encoding_.big_endian ? i : raw.size() - 1 - i;
    value = value << 8 | static_cast<unsigned char>(raw[at]);
  }
  return value;
}

absl::string_view GmonFields::Raw(absl::string_view field, uint64_t size) {
  if (!ok()) return {};
  if (size > remaining()) {
    Fail(field, offset_,
         absl::StrFormat("needs %d bytes but the file ends after %d more: the file is cut off or "
                         "damaged; run the program again and let it end normally",
                         size, remaining()));
    return {};
  }
  const absl::string_view raw = bytes_.substr(offset_, size);
  offset_ += size;
  return raw;
}

void GmonFields::Skip(absl::string_view field, uint64_t count, uint64_t size) {
  if (!ok()) return;
  if (count <= remaining() / size) {
    offset_ += count * size;
    return;
  }
  Fail(field, offset_,
       absl::StrFormat("%d entries of %d bytes need more than the %d bytes left in the file: the "
                       "file is cut off or damaged; run the program again and let it end normally",
                       count, size, remaining()));
}

void GmonFields::Fail(absl::string_view field, size_t offset, absl::string_view problem) {
  if (!ok()) return;
  std::string record(record_);
  if (number_ > 0) absl::StrAppend(&record, " ", number_);
  if (!kind_.empty()) absl::StrAppend(&record, " (", kind_, ")");
  status_ = absl::DataLossError(
      absl::StrFormat("%s: %s, %s at byte %d: %s", file_name_, record, field, offset, problem));
}

}  // namespace gprofhub::profile
