#include "reporter/matching/function_index.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "profile/names/clone_names.h"

namespace gprofhub::reporter {
namespace {

// File names do not contain NUL, so keys are unambiguous.
std::string StaticKey(absl::string_view name, absl::string_view file) {
  return absl::StrCat(name, absl::string_view("\0", 1), file);
}

}  // namespace

RowMap FunctionIndex::Add(const profile::ComputedProfile& profile) {
  RowMap rows(profile.functions.size(), kSpontaneous);
  if (functions_.empty()) {
    functions_.reserve(rows.size());
    index_.reserve(rows.size());
  }
  const auto add = [&](size_t row, absl::string_view base, bool is_clone) {
    const profile::FunctionCost& function = profile.functions[row];
    rows[row] = IndexOf(base, profile.strings[function.file], function.is_static, is_clone);
    functions_[rows[row]].is_module |= function.is_module;
  };
  // Clones are processed after all functions.
  std::vector<std::pair<size_t, absl::string_view>> clones;
  for (size_t row = 0; row < rows.size(); ++row) {
    const absl::string_view name = profile.strings[profile.functions[row].name];
    const absl::string_view base = profile::WithoutCloneSuffixes(name, profile::CloneKinds::kAll);
    if (base.size() == name.size()) {
      add(row, base, false);
    } else {
      clones.emplace_back(row, base);
    }
  }
  for (const auto& [row, base] : clones) add(row, base, true);
  return rows;
}

uint32_t FunctionIndex::IndexOf(absl::string_view name, absl::string_view file, bool is_static,
                                bool is_clone) {
  if (!is_static) {
    // An earlier profile had only clones of it.
    if (!is_clone && !orphans_.empty()) {
      const std::string key = StaticKey(name, file);
      if (orphans_.erase(key) > 0) {
        const uint32_t clones = index_.at(key);
        return index_.try_emplace(texts_.Keep(name), clones).first->second;
      }
    }
    return Insert(name, name);
  }
  const std::string key = StaticKey(name, file);
  if (!is_clone) {
    orphans_.erase(key);
  } else if (!index_.contains(key)) {
    // A clone is local even if its function is not.
    const auto global = index_.find(name);
    if (global != index_.end()) return global->second;
    orphans_.insert(key);
  }
  return Insert(key, name);
}

uint32_t FunctionIndex::Insert(absl::string_view key, absl::string_view name) {
  const auto known = index_.find(key);
  if (known != index_.end()) return known->second;
  const auto number = static_cast<uint32_t>(functions_.size());
  FunctionPair& pair = functions_.emplace_back();
  pair.name = texts_.Keep(name);
  index_.emplace(key.size() == name.size() ? pair.name : static_keys_.Keep(key), number);
  pair.self_by_run.assign(runs_, 0);
  pair.child_by_run.assign(runs_, 0);
  return number;
}

}  // namespace gprofhub::reporter
