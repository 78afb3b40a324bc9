// The question of a bisection: the calls that changed.
#pragma once

#include <string>

namespace gprofhub::cli {

struct Question {
  std::string target;    // Bazel label of one test
  std::string function;  // linkage name
  std::string caller;    // linkage name; empty: the calls from everywhere

  friend bool operator==(const Question&, const Question&) = default;
};

// The caller's name in findings for calls from outside of the profiled code.
inline constexpr char kOutside[] = "<spontaneous>";

}  // namespace gprofhub::cli
