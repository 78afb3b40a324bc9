#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_map.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/exports/formats.h"
#include "analyzer/exports/path_text.h"

namespace gprofhub::analyzer {

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

}  // namespace gprofhub::analyzer
