#include "runtime/assembler/sections.h"

#include "runtime/assembler/text_parts.h"

namespace gprofhub {

bool Sections::Follow(const Statement& statement) {
  const std::string_view name = statement.mnemonic;
  if (name == ".section" || name == ".pushsection") {
    if (name == ".pushsection") stack_.push_back(current_);
    const std::vector<std::string_view> parts = SplitOperands(statement.operands);
    Switch(Named(parts[0], parts));
  } else if (name == ".text" || name == ".data" || name == ".bss") {
    Switch(Named(name, {}));
  } else if (name == ".popsection") {
    if (!stack_.empty()) {
      Switch(stack_.back());
      stack_.pop_back();
    }
  } else if (name == ".previous") {
    Switch(previous_);
  } else {
    return false;
  }
  return true;
}

int Sections::Named(std::string_view name, const std::vector<std::string_view>& parts) {
  std::string group;
  if (parts.size() > 1 && Contains(parts[1], "G")) {
    const size_t at = 3 + (Contains(parts[1], "M") ? 1 : 0);
    if (parts.size() > at) group = parts[at];
  } else if (parts.size() <= 1 && latest_.count(name) != 0) {
    return latest_[name];
  }
  const auto [entry, is_new] =
      known_.insert({{std::string(name), group}, static_cast<int>(all_.size())});
  latest_[entry->first.first] = entry->second;
  if (!is_new) return entry->second;
  Section section;
  section.group = group;
  section.code = parts.size() > 1 ? Contains(parts[1], "x") : StartsWith(name, ".text");
  section.debug = StartsWith(name, ".debug") || StartsWith(name, ".note") ||
                  name == "__patchable_function_entries";
  section.exceptions = StartsWith(name, ".gcc_except_table");
  section.cold = StartsWith(name, ".text.unlikely");
  all_.push_back(section);
  return entry->second;
}

std::string SectionDirective(std::string_view name, std::string_view flags, std::string_view type,
                             const std::string& group) {
  std::string line = "\t.section\t" + std::string(name) + ",\"" + std::string(flags);
  if (!group.empty()) line += "G";
  line += "\",@" + std::string(type);
  if (!group.empty()) line += "," + group + ",comdat";
  return line;
}

std::string KeepDirective(const std::string& label) {
  return "\t.reloc\t., R_X86_64_NONE, " + label;
}

}  // namespace gprofhub
