// Counts calls, tail calls and function entries.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace gprofhub {

// Assembly that cannot be counted soundly; what() says why and what to do.
class CannotInstrument : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The same program with counters, and their tables at its end; *counted says
// whether there are any. Throws CannotInstrument.
std::string CountCalls(std::string_view text, bool* counted);

}  // namespace gprofhub
