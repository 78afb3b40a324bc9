// The entry of a function with code is followed, deeper in the tree, by the entries of the
// functions inlined into it, directly or indirectly. Each refers to the function that it is a copy
// of, whose name is read once.
//
// Most inlined functions are the standard library's, which do not matter for the program: they are
// seldom built with -pg.
//
// A function that is inlined everywhere has no symbol. Its linkage name in another build may have
// another linkage and signature. So its qualified name, without these, is recorded in addition to
// the linkage name.
#include "profile/dwarf/inlined_functions.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "profile/names/name_hash.h"
#include "profile/names/qualified_name.h"

namespace gprofhub::profile {
namespace {

constexpr size_t kMostInlined = size_t{1} << 21;

bool IsOfStandardLibrary(absl::string_view name) {
  for (const char* prefix : {"_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"}) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

void KeepEachOnce(std::vector<InlinedFunction>& found) {
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace

void InlinedFunctions::Take(Dwarf_Die* die, int depth, NameOf name_of) {
  const int tag = dwarf_tag(die);
  if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) {
    if (depth == 0) open_.clear();
    return;
  }
  while (!open_.empty() && open_.back().first >= depth) open_.pop_back();
  if (tag == DW_TAG_subprogram) {
    Dwarf_Addr entry = 0;
    open_.emplace_back(depth, dwarf_entrypc(die, &entry) == 0 ? entry : 0);
    return;
  }
  if (too_many_ || open_.empty() || open_.back().second == 0) return;
  const Names names = NamesOf(die, name_of);
  if (names.linkage == kNoName) return;
  found_.push_back({open_.back().second, names.linkage});
  if (names.qualified != names.linkage) found_.push_back({open_.back().second, names.qualified});
  if (found_.size() < kMostInlined) return;
  KeepEachOnce(found_);
  too_many_ = found_.size() > kMostInlined / 2;
  if (too_many_) found_.clear();
}

std::vector<InlinedFunction> InlinedFunctions::Finish() {
  KeepEachOnce(found_);
  return std::move(found_);
}

InlinedFunctions::Names InlinedFunctions::NamesOf(Dwarf_Die* die, NameOf name_of) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin;
  if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &origin) == nullptr) {
    return {};
  }
  const auto [known, is_new] = by_origin_.try_emplace(dwarf_dieoffset(&origin));
  if (!is_new) return known->second;
  const absl::string_view name = name_of(&origin);
  if (name.empty() || IsOfStandardLibrary(name)) return {};
  const uint32_t linkage = NameHash(name);
  const auto [qualified, is_new_name] = qualified_.try_emplace(linkage, linkage);
  if (is_new_name) qualified->second = NameHash(QualifiedName(name));
  return known->second = {linkage, qualified->second};
}

}  // namespace gprofhub::profile
