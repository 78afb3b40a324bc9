// GNU gprof's debugging levels (-d): bits of a sum. What each traces, and in
// which words, is observed of GNU gprof 2.40; docs/gprof-compatibility.md lists it.
#pragma once

namespace gprofhub::cli {

enum DebugLevel : unsigned {
  kTraceSearch = 2,       // the depth-first search for cycles
  kTraceCycles = 4,       // each cycle's head
  kTraceArcs = 16,        // arcs as they are added
  kTraceSorting = 32,     // comparisons of an entry's arcs
  kTraceSamples = 64,     // records as they are read, and shares of bins
  kTraceSymbols = 128,    // each symbol of the image
  kTraceLookups = 512,    // searches for symbols and arcs
  kTraceTimes = 1024,     // times as they are handed up
  kTraceBlocks = 2048,    // basic blocks as they are read
  kTraceSymspecs = 4096,  // what each symspec chooses
  kTraceSources = 8192,   // where source files are looked for
};

}  // namespace gprofhub::cli
