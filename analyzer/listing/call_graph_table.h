// The call graph: every function with its callers and callees.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/text_buffer.h"
#include "base/parallel.h"

namespace gprofhub::analyzer {

// Entries in the order of `index_numbers`.
void PrintGraphListing(const ListingInput& input, const ListingOptions& options,
                       const std::vector<uint32_t>& index_numbers, TextSink sink);

// The ends of the call graph's lines, which describe the line's function.
//
// Printing a large call graph is bound by memory latency, as each line names another function. So
// the text after a line's own numbers is formatted in advance, once per node. It fits into one
// cache line, unless the name is long.

class FunctionLineEnds {
 public:
  // `input` must outlive this; `index_numbers` are IndexNumbers.
  FunctionLineEnds(const ListingInput& input, const std::vector<uint32_t>& index_numbers);

  // The cycle that the function is a member of as a node, or itself.
  uint32_t Whole(uint32_t node) const { return line_ends_[node].whole; }

  // "/calls     ": all calls of the function, or of its cycle. It follows the calls of one
  // caller.
  void AppendCalls(uint32_t node, TextBuffer& out) const {
    const Text& text = line_ends_[node];
    if (text.calls[0] == '/') {
      out.AppendPartOf(text.calls, sizeof text.calls);
    } else {
      AppendManyCalls(node, out);
    }
  }
  // "name <cycle n> [place]\n".
  void AppendName(uint32_t node, TextBuffer& out) const {
    const Text& text = line_ends_[node];
    if (text.name_size <= sizeof text.name) {
      out.AppendPartOf(text.name, text.name_size);
    } else {
      out.Append(LongName(text));
    }
  }

  // Prefetches them.
  void Fetch(uint32_t node) const { base::Prefetch(&line_ends_[node]); }

 private:
  struct alignas(64) Text {  // one cache line
    uint32_t whole;
    uint32_t name_size;
    char calls[13];  // empty if the calls have more than seven digits
    char name[43];   // for a longer name: its offset in long_names_
  };

  void AppendManyCalls(uint32_t node, TextBuffer& out) const;
  absl::string_view LongName(const Text& text) const;

  const CallGraph& graph_;
  std::vector<Text> line_ends_;  // by node
  TextBuffer long_names_;
};

}  // namespace gprofhub::analyzer
