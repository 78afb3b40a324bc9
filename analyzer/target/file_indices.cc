#include "analyzer/target/file_indices.h"

namespace gprofhub::analyzer {

FileIndices::FileIndices(const TargetProfile& target, base::StringInterner& strings)
    : target_(target), strings_(strings) {
  for (const TargetModule& module : target.modules) {
    known_.emplace_back(module.symbols == nullptr ? 0 : module.symbols->files.size(), 0);
  }
}

const std::string& FileIndices::Name(size_t module, uint32_t file) const {
  static const std::string kUnknown;
  return file < known_[module].size() ? target_.modules[module].symbols->files[file] : kUnknown;
}

uint32_t FileIndices::Index(size_t module, uint32_t file) {
  if (file >= known_[module].size()) return 0;
  uint32_t& known = known_[module][file];
  if (known == 0) known = 1 + strings_.IndexOf(Name(module, file));
  return known - 1;
}

}  // namespace gprofhub::analyzer
