// One block per function: its self cost, then for each call the callee, the count and the inclusive
// cost. Names are numbered: the first mention has the name, later ones only the number.
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analyzer/exports/formats.h"
#include "analyzer/exports/path_text.h"

namespace gprofhub::analyzer {
namespace {

constexpr double kMillionths = 1e6;

class CallgrindWriter {
 public:
  CallgrindWriter(const ExportInput& input, TextSink sink)
      : input_(input),
        graph_(input.listing.graph),
        scale_(UnitsPerSample(input.listing) * kMillionths),
        sink_(sink) {}

  void Write() {
    const bool is_time = input_.listing.dimension == "seconds";
    const std::string event = is_time ? "us" : "Micro";
    sink_(absl::StrCat(
        "# callgrind format\nversion: 1\ncreator: gprofhub\ncmd: ", WithoutBreaks(input_.image),
        "\npositions: line\nevent: ", event, " : ",
        is_time ? "Microseconds" : absl::StrCat("Millionths of ", input_.listing.dimension),
        "\nevents: ", event, "\nsummary: ", Cost(SelfTotal()),
        "\n\nob=", Numbered(objects_, input_.image), "\n"));
    for (uint32_t row = 0; row < input_.listing.rows.size(); ++row) WriteFunction(row);
  }

 private:
  using Numbers = absl::flat_hash_map<std::string, size_t>;

  int64_t Cost(double samples) const { return std::llround(samples * scale_); }

  // Sum over all rows: the credits of a sample on the border of two rows may exceed 1 slightly.
  double SelfTotal() const {
    double total = 0;
    for (uint32_t row = 0; row < input_.listing.rows.size(); ++row) total += graph_.nodes[row].self;
    return total;
  }

  static std::string Numbered(Numbers& numbers, absl::string_view name) {
    const auto [place, is_new] =
        numbers.try_emplace(WithoutBreaks(name.empty() ? "???" : name), numbers.size() + 1);
    if (!is_new) return absl::StrCat("(", place->second, ")");
    return absl::StrCat("(", place->second, ") ", place->first);
  }

  void WriteFunction(uint32_t row) {
    const GraphNode& node = graph_.nodes[row];
    const auto arcs = graph_.ArcsFrom(row);
    if (node.self == 0 && arcs.empty() && graph_.ArcsTo(row).empty()) return;
    const ListingRows& rows = input_.listing.rows;
    std::string text = absl::StrCat("\nfl=", Numbered(files_, rows.File(row)),
                                    "\nfn=", Numbered(functions_, FrameName(input_, row)), "\n",
                                    rows.Line(row), " ", Cost(node.self), "\n");
    for (const uint32_t index : arcs) {
      const GraphArc& arc = graph_.arcs[index];
      if (arc.count == 0) continue;  // found in the code, never taken
      const ArcTime time = graph_.TimeOf(index);
      absl::StrAppend(&text, "cfi=", Numbered(files_, rows.File(arc.callee)),
                      "\ncfn=", Numbered(functions_, FrameName(input_, arc.callee)),
                      "\ncalls=", arc.count, " ", rows.Line(arc.callee), "\n", rows.Line(row), " ",
                      Cost(time.self + time.child), "\n");
    }
    sink_(text);
  }

  const ExportInput& input_;
  const CallGraph& graph_;
  const double scale_;
  TextSink sink_;
  Numbers objects_, files_, functions_;
};

}  // namespace

void WriteCallgrind(const ExportInput& input, TextSink sink) {
  CallgrindWriter(input, sink).Write();
}

}  // namespace gprofhub::analyzer
