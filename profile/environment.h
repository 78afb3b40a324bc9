// The environment in which a process ran: what may decide about its counts besides its code.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace gprofhub::profile {

// Texts are untrusted, and empty if unknown.
struct Environment {
  std::string architecture;  // "x86_64", "aarch64"
  std::string emulator;      // name of the program that emulated the processor; empty: none known
  std::string processor;     // vendor and model
  std::string features;      // by which libc chooses variants of functions, separated by spaces
  std::string tunables;      // GLIBC_TUNABLES
  uint32_t processors = 0;   // that the process was allowed to use; 0: unknown

  friend auto operator<=>(const Environment&, const Environment&) = default;
};

// Of a target's processes, this many different environments are kept: the first in order.
inline constexpr size_t kMostEnvironments = 8;

// Adds one to `environments`, which are ascending and different. An unknown one is left out.
void AddEnvironment(const Environment& environment, std::vector<Environment>& environments);

}  // namespace gprofhub::profile
