// The tables of one profile, one after another.
#pragma once

#include <string>

#include "analyzer/listing/prepare.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/text_buffer.h"

namespace gprofhub::analyzer {

// The arcs that break the cycles of a call graph, as text.

// For each cycle a line, followed by the arcs in the syntax of the option that excludes them.
std::string PrintCutCycles(const ListingInput& input, const CycleBreaking& breaking);

// Listings are pages: from the second on, each begins with a form feed.
class Pages {
 public:
  explicit Pages(TextSink sink) : sink_(sink) {}  // must outlive this

  void Begin() {
    if (!is_first_) sink_("\f\n");
    is_first_ = false;
  }
  // Reports that other text was printed before the first page.
  void SetNotFirst() { is_first_ = false; }
  TextSink sink() const { return sink_; }

 private:
  TextSink sink_;
  bool is_first_ = true;
};

// Prints the tables of options.tables, with which the input was prepared: the flat profile, the
// call graph and the index by name; in traditional style the graph first.
void PrintTables(const ListingInput& input, const ListingOptions& options, Pages& pages);

}  // namespace gprofhub::analyzer
