// A synthetic program: its functions and the counts of a run, as symbols and profiles that pass
// through the whole analysis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/raw_profile.h"

namespace gprofhub::tests {

class MadeProgram {
 public:
  // `name` is the file's. Programs of one build name and other functions are other builds.
  MadeProgram(std::string name, std::string build);

  // Properties of a function's code, as in profile::FunctionSymbol.
  struct Code {
    std::string toolchain = "";
    uint32_t digest = 0;
    bool is_local = false;
  };

  // Returns the function's number. Samples are of 1/1000 s.
  size_t Add(std::string function, std::string file, uint32_t line, uint64_t samples,
             const Code& code = {"", 0, false});
  // `from` calls `to`; each call has a line of its own in the caller.
  void Call(size_t from, size_t to, uint64_t count);
  // The program's entry point calls it.
  void Start(size_t function);

  profile::SymbolTable Symbols() const;
  profile::RawProfile Profile() const;

 private:
  struct Function {
    std::string name, file;
    uint32_t line = 0;
    uint64_t samples = 0;
    Code code;
  };
  struct Arc {
    size_t from, to;
    uint64_t count;
  };

  uint64_t AddressOf(size_t function) const;
  // The address behind the k-th call of the function.
  uint64_t SiteOf(size_t function, size_t k) const;

  const std::string name_, build_;
  std::vector<Function> functions_;
  std::vector<Arc> arcs_;
  std::vector<size_t> started_;
};

}  // namespace gprofhub::tests
