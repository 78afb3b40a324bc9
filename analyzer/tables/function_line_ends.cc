#include "analyzer/tables/function_line_ends.h"

#include "analyzer/tables/index_numbers.h"

namespace gprofhub::analyzer {
namespace {

constexpr size_t kCallsWidth = 7;

void RenderCalls(uint64_t calls, TextBuffer& out) {
  out.Append('/');
  out.IntegerRight(calls, kCallsWidth);
  out.Spaces(5);
}

}  // namespace

FunctionLineEnds::FunctionLineEnds(const ListingInput& input,
                                   const std::vector<uint32_t>& index_numbers)
    : graph_(input.graph) {
  line_ends_.resize(graph_.nodes.size());
  TextBuffer rendered;
  for (uint32_t node = 0; node < line_ends_.size(); ++node) {
    const bool is_cycle = node >= graph_.function_count();
    Text& text = line_ends_[node];
    text.whole = is_cycle ? node : graph_.Representative(node);
    rendered.Clear();
    RenderCalls(graph_.nodes[text.whole].calls, rendered);
    if (rendered.size() == sizeof text.calls) {
      std::memcpy(text.calls, rendered.text().data(), sizeof text.calls);
    }
    rendered.Clear();
    if (!is_cycle) rendered.Append(input.names[node]);
    AppendIndexNumber(input, index_numbers, node, rendered);
    rendered.Append('\n');
    text.name_size = static_cast<uint32_t>(rendered.size());
    if (rendered.size() <= sizeof text.name) {
      std::memcpy(text.name, rendered.text().data(), rendered.size());
    } else {
      const size_t offset = long_names_.size();
      std::memcpy(text.name, &offset, sizeof offset);
      long_names_.Append(rendered.text());
    }
  }
}

void FunctionLineEnds::AppendManyCalls(uint32_t node, TextBuffer& out) const {
  RenderCalls(graph_.nodes[Whole(node)].calls, out);
}

absl::string_view FunctionLineEnds::LongName(const Text& text) const {
  size_t offset;
  std::memcpy(&offset, text.name, sizeof offset);
  return long_names_.text().substr(offset, text.name_size);
}

}  // namespace gprofhub::analyzer
