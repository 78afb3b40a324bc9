// A common numbering of the functions of all modules of a target.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/functions/function_table.h"
#include "analyzer/target/target_profile.h"

namespace gprofhub::analyzer {

// Numbers ascend by module and address. A module without symbols is one function.
class FunctionSpace {
 public:
  // The modules' symbols must outlive the space.
  explicit FunctionSpace(const std::vector<TargetModule>& modules);

  uint32_t size() const { return first_.back(); }
  // The first function of a module; one for the module after the last.
  uint32_t FirstOf(size_t module) const { return first_[module]; }
  size_t ModuleOf(uint32_t function) const;
  // Empty for a whole module.
  const FunctionTable& TableOf(size_t module) const { return *tables_[module]; }

  // The function at `pc` of a module, or kNoFunction.
  uint32_t Find(size_t module, uint64_t pc) const;
  // Whether the function is a whole module.
  bool IsModule(uint32_t function) const;
  // The function's entry; 0 for a whole module.
  uint64_t AddressOf(uint32_t function) const;
  // "[libc.so.6]" for a whole module.
  const std::string& NameOf(uint32_t function) const;

 private:
  std::vector<std::unique_ptr<const FunctionTable>> tables_;
  std::vector<std::unique_ptr<const FunctionFinder>> finders_;  // null: no symbols
  std::vector<std::string> module_names_;                       // in brackets
  std::vector<uint32_t> first_;                                 // by module, and the end
};

}  // namespace gprofhub::analyzer
