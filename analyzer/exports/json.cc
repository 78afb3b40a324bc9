#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/exports/formats.h"
#include "analyzer/exports/path_text.h"
#include "analyzer/listing/quantities.h"

namespace gprofhub::analyzer {
namespace {

std::string Dump(const nlohmann::json& value) {
  // Names need not be UTF-8.
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class JsonWriter {
 public:
  JsonWriter(const ExportInput& input, TextSink sink)
      : input_(input),
        listing_(input.listing),
        units_(UnitsPerSample(input.listing)),
        sink_(sink) {}

  void Write() {
    sink_(absl::StrCat("{\"schema\":\"gprofhub-gprof-1\",\"image\":", Dump(input_.image),
                       ",\"dimension\":", Dump(listing_.dimension), ",\"rate\":", listing_.rate,
                       ",\"samples\":", Dump(listing_.total_samples),
                       ",\"stacks_recorded\":", input_.profile.stacks.empty() ? "false" : "true"));
    Array("functions", listing_.rows.size(), [&](size_t i) { return Function(i); });
    Array("cycles", listing_.graph.cycles.size(), [&](size_t i) { return Cycle(i); });
    Array("calls", listing_.graph.arcs.size(), [&](size_t i) { return Call(i); });
    Array("blocks", input_.profile.blocks.size(), [&](size_t i) { return Block(i); });
    const FurtherListings& further = input_.further;
    OptionalArray("sources", further.sources, Source);
    OptionalArray("executions", further.executions,
                  [&](const ExecutionCount& execution) { return Execution(execution); });
    OptionalArray("profiles", further.profiles, Profile);
    const auto name = [](const std::string& name) { return nlohmann::json(name); };
    OptionalArray("function_order", further.function_order, name);
    OptionalArray("file_order", further.file_order, name);
    sink_("}\n");
  }

 private:
  // Null elements are omitted.
  template <typename Element>
  void Array(absl::string_view name, size_t count, Element element) {
    sink_(absl::StrCat(",\n\"", name, "\":["));
    bool is_first = true;
    for (size_t i = 0; i < count; ++i) {
      const nlohmann::json value = element(i);
      if (value.is_null()) continue;
      sink_(absl::StrCat(is_first ? "\n" : ",\n", Dump(value)));
      is_first = false;
    }
    sink_("]");
  }

  template <typename Listing, typename Element>
  void OptionalArray(absl::string_view name, const Listing& listing, Element element) {
    if (!listing) return;
    Array(name, listing->size(), [&](size_t i) { return element((*listing)[i]); });
  }

  nlohmann::json Function(size_t index) const {
    const auto row = static_cast<uint32_t>(index);
    const GraphNode& node = listing_.graph.nodes[row];
    if (node.self == 0 && listing_.graph.ArcsFrom(row).empty() &&
        listing_.graph.ArcsTo(row).empty()) {
      return nullptr;
    }
    nlohmann::json value = {{"id", row},
                            {"name", FrameName(input_, row)},
                            {"linkage_name", listing_.rows.LinkageName(row)},
                            {"address", absl::StrCat("0x", absl::Hex(listing_.rows.Address(row)))},
                            {"self", node.self * units_},
                            {"self_error", std::sqrt(node.self) * units_},
                            {"children", node.child * units_},
                            {"calls", node.calls},
                            {"recursive_calls", node.self_calls}};
    const absl::string_view unit = QuantityUnit(listing_.rows.LinkageName(row));
    if (!unit.empty()) value["unit"] = std::string(unit);
    if (node.cycle != 0) value["cycle"] = node.cycle;
    if (listing_.rows.Line(row) != 0) {
      value["file"] = listing_.rows.File(row);
      value["line"] = listing_.rows.Line(row);
    }
    return value;
  }

  nlohmann::json Cycle(size_t index) const {
    const auto id = static_cast<uint32_t>(index) + 1;
    const GraphNode& node = listing_.graph.nodes[listing_.graph.CycleNode(id)];
    return {{"id", id},
            {"members", listing_.graph.cycles[index]},
            {"self", node.self * units_},
            {"children", node.child * units_},
            {"calls", node.calls},
            {"internal_calls", node.self_calls}};
  }

  nlohmann::json Call(size_t index) const {
    const GraphArc& arc = listing_.graph.arcs[index];
    const ArcTime time = listing_.graph.TimeOf(static_cast<uint32_t>(index));
    return {{"caller", arc.caller},
            {"callee", arc.callee},
            {"count", arc.count},
            {"self", time.self * units_},
            {"children", time.child * units_}};
  }

  nlohmann::json Block(size_t index) const {
    const profile::BasicBlock& block = input_.profile.blocks[index];
    return {{"address", absl::StrCat("0x", absl::Hex(block.pc))}, {"count", block.count}};
  }

  static nlohmann::json Source(const SourceAnnotation& source) {
    nlohmann::json lines = nlohmann::json::array();
    for (const LineCounts& line : source.counts) {
      lines.push_back({{"line", line.line}, {"counts", line.counts}});
    }
    return {{"file", source.path},
            {"executable_lines", source.executable_lines},
            {"executions", source.executions},
            {"lines", std::move(lines)}};
  }

  nlohmann::json Execution(const ExecutionCount& execution) const {
    const ListingRows& rows = listing_.rows;
    nlohmann::json value = {{"linkage_name", rows.LinkageName(execution.row)},
                            {"address", absl::StrCat("0x", absl::Hex(execution.address))},
                            {"count", execution.count}};
    if (rows.Line(execution.row) != 0) {
      value["file"] = rows.File(execution.row);
      value["line"] = rows.Line(execution.row);
    }
    return value;
  }

  static nlohmann::json Profile(const ProfileRecords& profile) {
    return {{"file", profile.path},
            {"version", profile.version},
            {"histograms", profile.histograms},
            {"arcs", profile.arcs},
            {"blocks", profile.blocks}};
  }

  const ExportInput& input_;
  const ListingInput& listing_;
  const double units_;
  TextSink sink_;
};

}  // namespace

void WriteJson(const ExportInput& input, TextSink sink) { JsonWriter(input, sink).Write(); }

}  // namespace gprofhub::analyzer
