#include "analyzer/exports/exports.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/text_buffer.h"
#include "profile/gmon/writer.h"
#include "proto/pprof.pb.h"

namespace gprofhub::analyzer {

namespace {

// One block per function: its self cost, then for each call the callee, the count and the inclusive
// cost. Names are numbered: the first mention has the name, later ones only the number.
// Valgrind manual, "Callgrind Format Specification": exact call counts, and for each call the time
// of its arc in the call graph.

constexpr double kMillionths = 1e6;

class CallgrindWriter {
 public:
  CallgrindWriter(const ExportInput& input, TextSink sink)
      : input_(input),
        graph_(input.listing.graph),
        scale_(UnitsPerSample(input.listing) * kMillionths),
        others_(profile::SamplesInOthers(input.profile)),
        others_total_(std::accumulate(others_.begin(), others_.end(), 0.0)),
        sink_(sink) {}

  void Write() {
    const bool is_time = input_.listing.dimension == "seconds";
    const std::string event = is_time ? "us" : "Micro";
    sink_(absl::StrCat(
        "# callgrind format\nversion: 1\ncreator: gprofhub\ncmd: ", WithoutBreaks(input_.image),
        "\npositions: line\nevent: ", event, " : ",
        is_time ? "Microseconds" : absl::StrCat("Millionths of ", input_.listing.dimension),
        "\nevents: ", event, "\nsummary: ", Cost(SelfTotal() + others_total_),
        "\n\nob=", Numbered(objects_, input_.image), "\n"));
    for (uint32_t row = 0; row < input_.listing.rows.size(); ++row) WriteFunction(row);
    WriteOthers();
  }

 private:
  // Only their own costs: the format's calls have counts, and these calls were not counted.
  void WriteOthers() {
    const auto rows = static_cast<uint32_t>(input_.listing.rows.size());
    for (uint32_t i = 0; i < others_.size(); ++i) {
      if (others_[i] == 0) continue;
      sink_(absl::StrCat("\nob=", Numbered(objects_, input_.profile.others[i].name),
                         "\nfl=", Numbered(files_, ""),
                         "\nfn=", Numbered(functions_, FrameName(input_, rows + i)), "\n0 ",
                         Cost(static_cast<double>(others_[i])), "\n"));
    }
  }

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
  const std::vector<uint64_t> others_;  // samples, by RawProfile::others
  const double others_total_;
  TextSink sink_;
  Numbers objects_, files_, functions_;
};

void WriteCallgrind(const ExportInput& input, TextSink sink) {
  CallgrindWriter(input, sink).Write();
}

// "outermost;...;innermost VALUE", the input of flamegraph.pl and similar tools.
void WriteFolded(const ExportInput& input, TextSink sink) {
  const double scale = UnitsPerSample(input.listing) * kMillionths;
  const CallPaths paths = FindCallPaths(input.listing, input.profile);
  // Paths with the same text are merged into one line. The lines are sorted.
  std::map<std::string, double> lines;
  std::vector<std::string> spelling(paths.nodes.size());
  for (size_t i = 0; i < paths.nodes.size(); ++i) {
    const PathNode& node = paths.nodes[i];
    const std::string name = WithoutBreaks(FrameName(input, node.row), ";");
    spelling[i] = node.parent < 0
                      ? name
                      : absl::StrCat(spelling[static_cast<size_t>(node.parent)], ";", name);
    if (node.samples > 0) lines[spelling[i]] += node.samples * scale;
  }
  for (const auto& [path, value] : lines) {
    const int64_t rounded = std::llround(value);
    if (rounded > 0) sink(absl::StrCat(path, " ", rounded, "\n"));
  }
}

std::string Dump(const nlohmann::json& value) {
  // Names need not be UTF-8.
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// docs/gprof-json.md has the schema.
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
    const std::vector<uint64_t> others = profile::SamplesInOthers(input_.profile);
    Array("others", others.size(), [&](size_t i) -> nlohmann::json {
      if (others[i] == 0) return nullptr;
      return {{"name", input_.profile.others[i].name},
              {"self", static_cast<double>(others[i]) * units_}};
    });
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
    for (const std::string& alias : listing_.rows.Aliases(row)) value["aliases"].push_back(alias);
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

void WriteJson(const ExportInput& input, TextSink sink) { JsonWriter(input, sink).Write(); }

constexpr double kBillionths = 1e9;

// proto/pprof.proto, not compressed: pprof reads both.
class PprofWriter {
 public:
  explicit PprofWriter(const ExportInput& input) : input_(input) { String(""); }

  pprof::Profile Build() {
    const bool is_time = input_.listing.dimension == "seconds";
    AddType(profile_.add_sample_type(), "samples", "count");
    AddType(profile_.add_sample_type(), is_time ? "time" : input_.listing.dimension,
            is_time ? "nanoseconds" : "billionths");
    profile_.set_default_sample_type(String(is_time ? "time" : input_.listing.dimension));
    const double scale = UnitsPerSample(input_.listing) * kBillionths;
    AddType(profile_.mutable_period_type(), is_time ? "time" : input_.listing.dimension,
            is_time ? "nanoseconds" : "billionths");
    profile_.set_period(std::llround(scale));
    pprof::Mapping* mapping = profile_.add_mapping();
    mapping->set_id(1);
    mapping->set_filename(String(input_.image));
    mapping->set_has_functions(true);

    const CallPaths paths = FindCallPaths(input_.listing, input_.profile);
    if (!paths.measured) profile_.add_comment(String("paths estimated from call counts"));
    for (const PathNode& node : paths.nodes) {
      const int64_t cost = std::llround(node.samples * scale);
      if (cost == 0) continue;
      pprof::Sample* sample = profile_.add_sample();
      for (const PathNode* at = &node;; at = &paths.nodes[static_cast<size_t>(at->parent)]) {
        sample->add_location_id(Location(at->row));
        if (at->parent < 0) break;
      }
      sample->add_value(std::llround(node.samples));
      sample->add_value(cost);
    }
    return std::move(profile_);
  }

 private:
  int64_t String(const std::string& text) {
    const auto [place, is_new] = strings_.try_emplace(text, profile_.string_table_size());
    if (is_new) profile_.add_string_table(text);
    return place->second;
  }

  void AddType(pprof::ValueType* type, const std::string& name, const std::string& unit) {
    type->set_type(String(name));
    type->set_unit(String(unit));
  }

  // One location and one function per row.
  uint64_t Location(uint32_t row) {
    const auto [place, is_new] =
        locations_.try_emplace(row, static_cast<uint64_t>(profile_.location_size()) + 1);
    if (!is_new) return place->second;
    const ListingRows& rows = input_.listing.rows;
    pprof::Function* function = profile_.add_function();
    function->set_id(place->second);
    function->set_name(String(FrameName(input_, row)));
    pprof::Location* location = profile_.add_location();
    location->set_id(place->second);
    pprof::Line* line = location->add_line();
    line->set_function_id(place->second);
    if (row < rows.size()) {
      location->set_mapping_id(1);
      location->set_address(rows.Address(row));
      function->set_system_name(String(rows.LinkageName(row)));
      function->set_filename(String(rows.File(row)));
      function->set_start_line(rows.Line(row));
      line->set_line(rows.Line(row));
    }
    return place->second;
  }

  const ExportInput& input_;
  pprof::Profile profile_;
  absl::flat_hash_map<std::string, int64_t> strings_;
  absl::flat_hash_map<uint32_t, uint64_t> locations_;
};

void WritePprof(const ExportInput& input, TextSink sink) {
  sink(PprofWriter(input).Build().SerializeAsString());
}

// https://www.speedscope.app/file-format-schema.json, a "sampled" profile.
void WriteSpeedscope(const ExportInput& input, TextSink sink) {
  const ListingRows& rows = input.listing.rows;
  const CallPaths paths = FindCallPaths(input.listing, input.profile);
  nlohmann::json frames = nlohmann::json::array();
  absl::flat_hash_map<uint32_t, size_t> frame_of;
  const auto frame = [&](uint32_t row) {
    const auto [place, is_new] = frame_of.try_emplace(row, frames.size());
    if (is_new) {
      nlohmann::json entry = {{"name", FrameName(input, row)}};
      if (row < rows.size() && rows.Line(row) != 0) {
        entry["file"] = rows.File(row);
        entry["line"] = rows.Line(row);
      }
      frames.push_back(std::move(entry));
    }
    return place->second;
  };
  nlohmann::json samples = nlohmann::json::array();
  nlohmann::json weights = nlohmann::json::array();
  double total = 0;
  for (const PathNode& node : paths.nodes) {
    if (node.samples <= 0) continue;
    std::vector<size_t> stack;  // innermost first
    for (const PathNode* at = &node;; at = &paths.nodes[static_cast<size_t>(at->parent)]) {
      stack.push_back(frame(at->row));
      if (at->parent < 0) break;
    }
    samples.push_back(std::vector<size_t>(stack.rbegin(), stack.rend()));
    const double weight = node.samples * UnitsPerSample(input.listing);
    weights.push_back(weight);
    total += weight;
  }
  const bool is_time = input.listing.dimension == "seconds";
  const nlohmann::json document = {
      {"$schema", "https://www.speedscope.app/file-format-schema.json"},
      {"exporter", "gprofhub"},
      {"name", input.image},
      {"activeProfileIndex", 0},
      {"shared", {{"frames", std::move(frames)}}},
      {"profiles",
       {{{"type", "sampled"},
         {"name", input.image + (paths.measured ? "" : " (paths estimated from call counts)")},
         {"unit", is_time ? "seconds" : "none"},
         {"startValue", 0},
         {"endValue", total},
         {"samples", std::move(samples)},
         {"weights", std::move(weights)}}}}};
  // Names need not be UTF-8.
  sink(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  sink("\n");
}

absl::StatusOr<std::string> GmonFile(const profile::RawProfile& profile) {
  return profile::WriteGmon(profile);
}

// Every list of formats has this order. A new one takes a row here, its writer above, and a line
// of docs/gprof-json.md.
constexpr ExportFormat kFormats[] = {
    {.name = "gmon",
     .description = "gprof and gprofhub gprof: all executions in one file",
     .extension = "gmon.out",
     .media_type = "application/octet-stream",
     .make_file = GmonFile},
    {.name = "pprof",
     .description = "pprof",
     .extension = "pb",
     .media_type = "application/octet-stream",
     .write = WritePprof},
    {.name = "callgrind",
     .description = "KCachegrind and callgrind_annotate",
     .extension = "callgrind.out",
     .media_type = "text/plain; charset=utf-8",
     .write = WriteCallgrind},
    {.name = "folded",
     .description = "flame graph programs",
     .extension = "folded.txt",
     .media_type = "text/plain; charset=utf-8",
     .write = WriteFolded},
    {.name = "json",
     .description = "your own programs (docs/gprof-json.md)",
     .extension = "json",
     .media_type = "application/json",
     .has_further_listings = true,
     .write = WriteJson},
    {.name = "speedscope",
     .description = "speedscope",
     .extension = "speedscope.json",
     .media_type = "application/json",
     .write = WriteSpeedscope},
};

}  // namespace

absl::Span<const ExportFormat> DownloadFormats() { return kFormats; }

// All but gmon, the first.
absl::Span<const ExportFormat> ExportFormats() { return DownloadFormats().subspan(1); }

std::vector<std::string> NamesOf(absl::Span<const ExportFormat> formats) {
  std::vector<std::string> names;
  for (const ExportFormat& format : formats) names.emplace_back(format.name);
  return names;
}

absl::StatusOr<ExportFormat> FindFormat(absl::Span<const ExportFormat> formats,
                                        absl::string_view name) {
  for (const ExportFormat& format : formats) {
    if (format.name == name) return format;
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown format '", name, "'; use one of ",
                                                 absl::StrJoin(NamesOf(formats), ", ")));
}

}  // namespace gprofhub::analyzer
