// Puts counters into a compiler's assembly text: one increment beside each call,
// tail call and function entry, or basic block, and a table that says what they
// mean (runtime/counters/counters.h has the other side).
#pragma once

#include <string>
#include <string_view>

#include "runtime/assembler/call_counters.h"

namespace gprofhub {

// What to count.
struct CounterKinds {
  bool calls = false;   // calls, tail calls, function entries
  bool blocks = false;  // basic blocks
};

// True for what gcc or clang wrote; false for assembly written by hand, which is
// to be left alone.
bool IsCompilerOutput(std::string_view text);

// The same program with counters. `text` is x86-64 assembly in AT&T syntax as
// gcc (with -dp) or clang writes it. Text between #APP and #NO_APP, which is the
// user's own, stays as it is. Throws CannotInstrument or OptionMissing.
std::string Instrument(std::string_view text, CounterKinds kinds);

}  // namespace gprofhub
