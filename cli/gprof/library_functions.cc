#include "cli/gprof/library_functions.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "profile/image/read_image.h"

namespace gprofhub::cli {
namespace {

constexpr uint64_t kDistance = 16;  // between functions

std::string InBrackets(const std::string& path) {
  if (absl::StartsWith(path, "[")) return path;
  return absl::StrCat("[", path.substr(path.find_last_of('/') + 1), "]");
}

// The most common of a function's exported names: open, not open64, and not _IO_printf.
const std::string& UsualName(const profile::SymbolTable& symbols,
                             const analyzer::TableFunction& function) {
  const std::string* usual = &function.symbol->name;
  const auto rank = [](const std::string& name) {
    return std::make_pair(name.find_first_not_of('_'), name.size());
  };
  for (auto symbol = std::lower_bound(
           symbols.functions.begin(), symbols.functions.end(), function.address,
           [](const profile::FunctionSymbol&a, uint64_t address) { return a.address < address; });
       symbol != symbols.functions.end() && symbol->address == function.address; ++symbol) {
    if (!symbol->is_local && rank(symbol->name) < rank(*usual)) usual = &symbol->name;
  }
  return *usual;
}

}  // namespace

LibraryFunctions::LibraryFunctions(const profile::SymbolTable& image)
    : next_(std::max(image.text_high, image.etext)) {
  if (!image.functions.empty()) {
    const profile::FunctionSymbol& last = image.functions.back();
    next_ = std::max(next_, last.address + last.size);
  }
  next_ = (next_ / kDistance + 1) * kDistance;
}

const LibraryFunctions::Module& LibraryFunctions::ModuleAt(const std::string& path,
                                                           const std::string& build_id) {
  std::unique_ptr<Module>& module = read_[absl::StrCat(path, " ", build_id)];
  if (module != nullptr) return *module;
  module = std::make_unique<Module>();
  module->name = InBrackets(path);
  const absl::StatusOr<std::string> found = profile::ReadElfBuildId(path);
  if (!found.ok() || *found != build_id) return *module;
  absl::StatusOr<profile::SymbolTable> symbols =
      profile::ReadElfSymbols(path, {.with_lines = false});
  if (!symbols.ok()) return *module;
  module->symbols = *std::move(symbols);
  module->table = analyzer::BuildFunctionTable(module->symbols, analyzer::SymbolPolicy::kExact);
  return *module;
}

uint64_t LibraryFunctions::AddressOf(const Module& module, uint64_t pc) {
  const uint32_t row = analyzer::FindByAddress(module.table, pc);
  const bool is_known = row != analyzer::kNoFunction;
  const analyzer::TableFunction* const known = is_known ? &module.table.functions[row] : nullptr;
  const auto [placed, is_new] =
      placed_.try_emplace({&module, is_known ? known->address : 0}, next_);
  if (!is_new) return placed->second;
  profile::FunctionSymbol function;
  function.address = next_;
  function.size = kDistance;
  function.name = is_known ? UsualName(module.symbols, *known) : module.name;
  function.is_function = true;
  functions_.push_back(std::move(function));
  next_ += kDistance;
  return placed->second;
}

std::vector<profile::RawArc> LibraryFunctions::Place(const std::vector<profile::CallsOut>& calls) {
  std::vector<profile::RawArc> arcs;
  for (const profile::CallsOut& out : calls) {
    const Module& module = ModuleAt(out.path, out.build_id);
    for (const profile::RawArc& arc : out.arcs) {
      arcs.push_back({arc.from_pc, AddressOf(module, arc.self_pc), arc.count});
    }
  }
  return arcs;
}

void LibraryFunctions::AddTo(profile::SymbolTable& symbols) const {
  if (functions_.empty()) return;
  uint32_t index = 0;
  for (const profile::FunctionSymbol& function : symbols.functions) {
    index = std::max(index, function.table_index + 1);
  }
  for (const profile::FunctionSymbol& function : functions_) {
    symbols.functions.push_back(function);
    symbols.functions.back().table_index = index++;
  }
}

}  // namespace gprofhub::cli
