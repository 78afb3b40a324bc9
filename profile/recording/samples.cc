#include "profile/recording/samples.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "profile/recording/format.h"

namespace gprofhub::profile {
namespace {

constexpr uint64_t kTileBytes = 4096;
constexpr uint64_t kBinBytes = 2;
constexpr uint64_t kTileBins = kTileBytes / kBinBytes;
constexpr size_t kMaxTiles = 16384;  // 256 MiB of bins

Histogram EmptyTile(uint64_t low, const gprofhub_recording& header) {
  Histogram tile;
  tile.low_pc = low;
  tile.high_pc = low + kTileBytes;
  tile.rate = header.rate;
  tile.dimension = TextOf(header.dimension, sizeof header.dimension);
  tile.abbreviation = header.abbreviation;
  tile.bins.resize(kTileBins);
  return tile;
}

}  // namespace

absl::StatusOr<uint64_t> CheckSampledText(const RecordingBytes& bytes,
                                          const std::vector<RecordingChunk>& chunks,
                                          const ModuleMap& map, const OwnCode& own) {
  absl::flat_hash_set<std::pair<uint32_t, uint64_t>> tiles;
  const absl::Status status =
      ForEachSlot(bytes, chunks, GPROFHUB_SAMPLES,
                  [&](const gprofhub_slot& slot, size_t, uint64_t, uint64_t at) {
                    const std::optional<ModulePlace> place = map.Find(slot.key);
                    if (!place || own.Holds(slot.key, place)) return absl::OkStatus();
                    tiles.insert({place->module, place->pc & ~(kTileBytes - 1)});
                    if (tiles.size() <= kMaxTiles) return absl::OkStatus();
                    return bytes.Broken("samples in too much text", at);
                  });
  if (!status.ok()) return status;
  return tiles.size() * (kTileBins * sizeof(uint64_t) + sizeof(Histogram));
}

absl::Status ReadSamples(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         const ModuleMap& map, const OwnCode& own, const gprofhub_recording& header,
                         Recording& recording) {
  std::map<std::pair<uint32_t, uint64_t>, Histogram> tiles;
  absl::Status status = ForEachSlot(
      bytes, chunks, GPROFHUB_SAMPLES, [&](const gprofhub_slot& slot, size_t, uint64_t, uint64_t) {
        const std::optional<ModulePlace> place = map.Find(slot.key);
        if (own.Holds(slot.key, place)) {
          recording.overhead_samples += slot.count;
          return absl::OkStatus();
        }
        if (!place) {
          recording.unattributed_samples += slot.count;
          return absl::OkStatus();
        }
        const uint64_t low = place->pc & ~(kTileBytes - 1);
        auto tile = tiles.find({place->module, low});
        if (tile == tiles.end()) {
          tile = tiles.emplace(std::pair(place->module, low), EmptyTile(low, header)).first;
        }
        tile->second.bins[(place->pc - low) / kBinBytes] += slot.count;
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  for (uint32_t m = 0; m < recording.modules.size(); ++m) {
    RecordedModule& module = recording.modules[m];
    const uint64_t first = module.text_low & ~(kTileBytes - 1);
    // GNU gprof prints no flat profile without a histogram.
    if (module.is_program || !module.profile.arcs.empty()) {
      tiles.emplace(std::pair(m, first), EmptyTile(first, header));
    }
  }
  for (auto& [key, tile] : tiles) {
    recording.modules[key.first].profile.histograms.push_back(std::move(tile));
  }
  return absl::OkStatus();
}

absl::Status ReadStacks(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                        const ModuleMap& map, const OwnCode& own, Recording& recording) {
  // Slots refer to their parents by index in the same table.
  absl::flat_hash_map<std::pair<size_t, uint64_t>, int64_t> frames;
  std::vector<std::pair<size_t, uint64_t>> parents;
  const uint32_t nowhere = static_cast<uint32_t>(recording.modules.size());
  absl::Status status =
      ForEachSlot(bytes, chunks, GPROFHUB_STACKS,
                  [&](const gprofhub_slot& slot, size_t chunk, uint64_t index, uint64_t) {
                    const std::optional<ModulePlace> place = map.Find(slot.key);
                    frames[{chunk, index}] = static_cast<int64_t>(recording.stacks.size());
                    parents.push_back({chunk, slot.context});
                    ModuleFrame read;
                    read.module = place ? place->module : nowhere;
                    read.frame.pc = place ? place->pc : slot.key;
                    read.frame.samples = own.Holds(slot.key, place) ? 0 : slot.count;
                    recording.stacks.push_back(read);
                    return absl::OkStatus();
                  });
  if (!status.ok()) return status;
  for (size_t i = 0; i < recording.stacks.size(); ++i) {
    if (parents[i].second == 0) continue;
    const auto parent = frames.find({parents[i].first, parents[i].second - 1});
    // A frame whose caller's slot was never completed is a root.
    if (parent != frames.end()) recording.stacks[i].frame.parent = parent->second;
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
