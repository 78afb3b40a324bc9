#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/exports/formats.h"
#include "analyzer/exports/path_text.h"
#include "proto/pprof.pb.h"

namespace gprofhub::analyzer {
namespace {

constexpr double kBillionths = 1e9;

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

}  // namespace

void WritePprof(const ExportInput& input, TextSink sink) {
  sink(PprofWriter(input).Build().SerializeAsString());
}

}  // namespace gprofhub::analyzer
