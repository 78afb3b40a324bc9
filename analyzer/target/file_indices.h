// Indices of source files in a list of strings, by module and the module's file number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/target/target_profile.h"
#include "base/string_interner.h"

namespace gprofhub::analyzer {

class FileIndices {
 public:
  // Both outlive this.
  FileIndices(const TargetProfile& target, base::StringInterner& strings);

  // A number that the module does not have maps to an unknown file, "".
  const std::string& Name(size_t module, uint32_t file) const;
  uint32_t Index(size_t module, uint32_t file);

 private:
  const TargetProfile& target_;
  base::StringInterner& strings_;
  std::vector<std::vector<uint32_t>> known_;  // by module and file: 1 + place; 0: not yet
};

}  // namespace gprofhub::analyzer
