// Inserts counters into a compiler's assembly text: one increment at each call, tail call and
// function entry, or basic block, and a table that describes them (runtime/counters/counters.h
// reads it).
#pragma once

#include <string>
#include <string_view>

#include "runtime/assembler/call_counters.h"

namespace gprofhub {

// The kinds of counters to insert.
struct CounterKinds {
  bool calls = false;   // calls, tail calls, function entries
  bool blocks = false;  // basic blocks
};

// True for the output of gcc or clang; false for hand-written assembly, which is left unchanged.
bool IsCompilerOutput(std::string_view text);

// True if functions of the text call mcount: it was compiled with -pg.
bool UsesMcount(std::string_view text);

// Returns the program with counters, in the place of calls of mcount, if it has these. `text` is x86-64 assembly in AT&T syntax as gcc (with -dp) or
// clang writes it. Inline assembly (between #APP and #NO_APP) stays unchanged. Throws
// CannotInstrument or OptionMissing.
std::string Instrument(std::string_view text, CounterKinds kinds);

}  // namespace gprofhub
