// The tables of one profile, one after another.
#pragma once

#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

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
