// Counts calls, tail calls and function entries.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace gprofhub {

// Assembly that cannot be counted correctly, only assembled; what() is the reason.
class CannotInstrument : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The compiler lacks an option that counting needs in every file; what() names it.
class OptionMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the program with counters, and their tables at its end; *counted: whether there are any.
// Throws CannotInstrument or OptionMissing.
std::string CountCalls(std::string_view text, bool* counted);

}  // namespace gprofhub
