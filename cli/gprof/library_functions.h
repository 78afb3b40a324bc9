// Functions of other modules that the image's functions called, from a recording. A listing has
// only one image, so each function gets an address behind the image's own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/functions/function_table.h"
#include "profile/raw_profile.h"
#include "profile/recording/calls_out.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

class LibraryFunctions {
 public:
  explicit LibraryFunctions(const profile::SymbolTable& image);

  // The calls, with the functions' addresses here. Names are read from the module's file, if the
  // file has not changed since the run. Otherwise the module is one function, "[libc.so.6]".
  std::vector<profile::RawArc> Place(const std::vector<profile::CallsOut>& calls);

  // Adds the functions to those of the image.
  void AddTo(profile::SymbolTable& symbols) const;

 private:
  struct Module {
    std::string name;               // in brackets
    profile::SymbolTable symbols;   // empty: unknown
    analyzer::FunctionTable table;  // of the symbols
  };

  const Module& ModuleAt(const std::string& path, const std::string& build_id);
  uint64_t AddressOf(const Module& module, uint64_t pc);

  uint64_t next_ = 0;                                    // address
  std::map<std::string, std::unique_ptr<Module>> read_;  // by path and build-id
  // Addresses in the listing, by module and address in the module; address 0: the whole module.
  std::map<std::pair<const Module*, uint64_t>, uint64_t> placed_;
  std::vector<profile::FunctionSymbol> functions_;  // ascending by address
};

}  // namespace gprofhub::cli
