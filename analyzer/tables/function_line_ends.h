// What the lines of the call graph say of the functions they name.
//
// A large call graph is printed at the speed of memory: each line names a function here
// or there. So what follows a line's own numbers is made beforehand for every node,
// and lies in one line of the cache together with what else is asked of it, if it is
// as short as most are.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/listing/input.h"
#include "analyzer/text/text_buffer.h"
#include "base/prefetch.h"

namespace gprofhub::analyzer {

class FunctionLineEnds {
 public:
  // `input` must outlive the texts; `index_numbers` are IndexNumbers.
  FunctionLineEnds(const ListingInput& input, const std::vector<uint32_t>& index_numbers);

  // The cycle that the function is a member of as a node, or itself.
  uint32_t Whole(uint32_t node) const { return line_ends_[node].whole; }

  // "/calls     ", all calls of the function's whole: what follows those of one caller.
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

  // Fetches them from memory, to be read soon.
  void Fetch(uint32_t node) const { base::Prefetch(&line_ends_[node]); }

 private:
  struct alignas(64) Text {
    uint32_t whole;
    uint32_t name_size;
    char calls[13];  // of more than seven digits, nothing
    char name[43];   // or where in long_names_ it begins
  };

  void AppendManyCalls(uint32_t node, TextBuffer& out) const;
  absl::string_view LongName(const Text& text) const;

  const CallGraph& graph_;
  std::vector<Text> line_ends_;  // by node
  TextBuffer long_names_;
};

}  // namespace gprofhub::analyzer
