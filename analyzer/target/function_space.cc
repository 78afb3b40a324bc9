#include "analyzer/target/function_space.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::analyzer {

FunctionSpace::FunctionSpace(const std::vector<TargetModule>& modules) : first_{0} {
  for (const TargetModule& module : modules) {
    const bool has_brackets = absl::StartsWith(module.name, "[");
    module_names_.push_back(has_brackets ? module.name : absl::StrCat("[", module.name, "]"));
    FunctionTable table;
    if (module.symbols != nullptr) {
      table = BuildFunctionTable(*module.symbols, SymbolPolicy::kExact);
    }
    tables_.push_back(std::make_unique<const FunctionTable>(std::move(table)));
    const bool is_known = module.symbols != nullptr;
    finders_.push_back(is_known ? std::make_unique<const FunctionFinder>(*tables_.back())
                                : nullptr);
    const size_t functions = is_known ? tables_.back()->functions.size() : 1;
    first_.push_back(first_.back() + static_cast<uint32_t>(functions));
  }
}

size_t FunctionSpace::ModuleOf(uint32_t function) const {
  return static_cast<size_t>(std::upper_bound(first_.begin(), first_.end(), function) -
                             first_.begin()) -
         1;
}

uint32_t FunctionSpace::Find(size_t module, uint64_t pc) const {
  if (finders_[module] == nullptr) return first_[module];
  const uint32_t row = finders_[module]->ByAddress(pc);
  return row == kNoFunction ? kNoFunction : first_[module] + row;
}

bool FunctionSpace::IsModule(uint32_t function) const {
  return finders_[ModuleOf(function)] == nullptr;
}

uint64_t FunctionSpace::AddressOf(uint32_t function) const {
  const size_t module = ModuleOf(function);
  if (finders_[module] == nullptr) return 0;
  return tables_[module]->functions[function - first_[module]].address;
}

const std::string& FunctionSpace::NameOf(uint32_t function) const {
  const size_t module = ModuleOf(function);
  if (finders_[module] == nullptr) return module_names_[module];
  return tables_[module]->functions[function - first_[module]].symbol->name;
}

}  // namespace gprofhub::analyzer
