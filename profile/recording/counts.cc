#include "profile/recording/counts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "profile/recording/format.h"
#include "profile/recording/site_counts.h"

namespace gprofhub::profile {
namespace {

// The words of a chunk of counters, or of the counts excluded from one.
absl::StatusOr<std::vector<uint64_t>> ReadWords(const RecordingBytes& bytes,
                                                const RecordingChunk& chunk) {
  const uint64_t words = chunk.head.words;
  if (words < sizeof(gprofhub_chunk) || words > chunk.head.bytes ||
      chunk.head.capacity > (chunk.head.bytes - words) / sizeof(uint64_t)) {
    return bytes.Broken("a chunk that claims more counters than it holds", chunk.offset);
  }
  std::vector<uint64_t> values(chunk.head.capacity);
  for (uint64_t i = 0; i < values.size(); ++i) {
    values[i] = bytes.At<uint64_t>(chunk.offset + words + i * sizeof(uint64_t));
  }
  return values;
}

// The counts of the counters in the text, in all threads.
absl::StatusOr<SiteCounts> ReadSiteCounts(const RecordingBytes& bytes,
                                          const std::vector<RecordingChunk>& chunks) {
  SiteCounts counts;
  std::map<std::pair<uint32_t, uint32_t>, const RecordingChunk*> excluded;  // by set and thread
  for (const RecordingChunk& chunk : chunks) {
    if (chunk.head.kind != GPROFHUB_EXCLUDED || chunk.head.capacity == 0) continue;
    excluded[{chunk.head.set, chunk.head.thread}] = &chunk;
  }
  for (const RecordingChunk& chunk : chunks) {
    if (chunk.head.kind != GPROFHUB_COUNTERS || chunk.head.capacity == 0) continue;
    absl::StatusOr<std::vector<uint64_t>> words = ReadWords(bytes, chunk);
    if (!words.ok()) return words.status();
    SiteCounts::Words thread;
    thread.counted = *std::move(words);
    // Each exclusion belongs to one chunk of counters: a duplicate is damage.
    const auto exclusion = excluded.extract({chunk.head.set, chunk.head.thread});
    if (!exclusion.empty()) {
      thread.is_off = exclusion.mapped()->head.used != 0;
      absl::StatusOr<std::vector<uint64_t>> without = ReadWords(bytes, *exclusion.mapped());
      if (!without.ok()) return without.status();
      thread.excluded = *std::move(without);
    }
    if (!counts.AddWords(chunk.head.set, std::move(thread))) {
      return bytes.Broken("counters that do not fit those of another thread", chunk.offset);
    }
  }
  for (const RecordingChunk& chunk : chunks) {
    if (chunk.head.kind != GPROFHUB_SITES) continue;
    std::vector<gprofhub_site> sites(RecordsIn(chunk, 0));
    for (uint64_t i = 0; i < sites.size(); ++i) {
      sites[i] = bytes.At<gprofhub_site>(chunk.offset + sizeof(gprofhub_chunk) +
                                         i * sizeof(gprofhub_site));
    }
    if (!counts.AddSites(chunk.head.set, chunk.head.base, sites)) {
      return bytes.Broken("sites that do not fit the counters", chunk.offset);
    }
  }
  return counts;
}

// A call site's bytes in use at the peak.
uint64_t HeldAtPeak(const gprofhub_recording& header, const gprofhub_in_use& site) {
  const bool has_changed = header.peaks % 2 == 0 && site.change == header.peaks;
  return has_changed ? site.then : site.now;
}

absl::Status ReadArcs(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                      const ModuleMap& map, SiteCounts& sites, Recording& recording) {
  // Tables of several threads contain the same arcs, which are added up here.
  using Key = std::tuple<uint32_t, uint64_t, uint64_t>;
  absl::flat_hash_map<Key, size_t> rows;
  absl::flat_hash_map<std::tuple<uint32_t, uint64_t, uint32_t, uint64_t>, uint64_t> cross;
  const auto add = [&](uint64_t from_pc, uint64_t self_pc, uint64_t count) {
    const std::optional<ModulePlace> callee = map.Find(self_pc);
    if (!callee) {
      recording.unattributed_calls += count;
      return;
    }
    const std::optional<ModulePlace> caller = map.Find(from_pc);
    const bool same = caller && caller->module == callee->module;
    const uint64_t from = same ? caller->pc : 0;
    std::vector<RawArc>& arcs = recording.modules[callee->module].profile.arcs;
    const auto [row, is_new] = rows.insert({Key(callee->module, from, callee->pc), arcs.size()});
    if (is_new) arcs.push_back({from, callee->pc, 0});
    arcs[row->second].count += count;
    if (caller && !same) {
      cross[{caller->module, caller->pc, callee->module, callee->pc}] += count;
    }
  };
  absl::Status status = ForEachSlot(
      bytes, chunks, GPROFHUB_ARCS, [&](const gprofhub_slot& slot, size_t, uint64_t, uint64_t) {
        if (slot.count > 0 && sites.AddTableArc(slot.context, slot.key, slot.count)) {
          add(slot.context & ~GPROFHUB_TAIL_CONTEXT, slot.key, slot.count);
        }
        return absl::OkStatus();
      });
  for (const CountedArc& arc : sites.Arcs()) add(arc.from, arc.self, arc.count);
  const auto header = bytes.At<gprofhub_recording>(0);
  absl::Status in_use = ForEach<gprofhub_in_use>(
      bytes, chunks, GPROFHUB_IN_USE, GPROFHUB_PROBE_SLOTS,
      [&](const gprofhub_in_use& site, size_t chunk, uint64_t, uint64_t) {
        if (const uint64_t held = HeldAtPeak(header, site); site.from != 0 && held > 0) {
          add(site.from, chunks[chunk].head.base, held);
        }
        return absl::OkStatus();
      });
  if (!in_use.ok()) return in_use;
  for (const auto& [key, count] : cross) {
    const auto [from_module, from_pc, to_module, self_pc] = key;
    recording.cross_arcs.push_back({from_module, from_pc, to_module, self_pc, count});
  }
  std::sort(recording.cross_arcs.begin(), recording.cross_arcs.end(),
            [](const CrossArc& a, const CrossArc& b) {
              return std::tie(a.from_module, a.from_pc, a.to_module, a.self_pc) <
                     std::tie(b.from_module, b.from_pc, b.to_module, b.self_pc);
            });
  return status;
}

absl::Status ReadBlocks(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                        const ModuleMap& map, const SiteCounts& sites, Recording& recording) {
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, size_t> rows;
  const auto add = [&](uint64_t address, uint64_t count) {
    const std::optional<ModulePlace> place = map.Find(address);
    if (!place) return;
    std::vector<BasicBlock>& blocks = recording.modules[place->module].profile.blocks;
    const auto [row, is_new] = rows.insert({{place->module, place->pc}, blocks.size()});
    if (is_new) blocks.push_back({place->pc, 0});
    blocks[row->second].count += count;
  };
  const uint32_t stated = bytes.At<gprofhub_recording>(0).call_bytes;
  const uint64_t call_bytes = stated == 0 ? 5 : stated;
  for (const CountedBlock& block : sites.blocks()) add(block.pc, block.count);
  return ForEachSlot(bytes, chunks, GPROFHUB_BLOCKS,
                     [&](const gprofhub_slot& slot, size_t, uint64_t, uint64_t) {
                       if (slot.count > 0) add(slot.key - call_bytes, slot.count);
                       return absl::OkStatus();
                     });
}

}  // namespace

absl::Status ReadCounts(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                        const ModuleMap& map, Recording& recording) {
  absl::StatusOr<SiteCounts> sites = ReadSiteCounts(bytes, chunks);
  if (!sites.ok()) return sites.status();
  if (absl::Status status = ReadArcs(bytes, chunks, map, *sites, recording); !status.ok()) {
    return status;
  }
  return ReadBlocks(bytes, chunks, map, *sites, recording);
}

}  // namespace gprofhub::profile
