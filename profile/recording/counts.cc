#include "profile/recording/counts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "profile/format/recording.h"

namespace gprofhub::profile {

namespace {

uint64_t WordsOf(const gprofhub_site& site) {
  switch (site.kind) {
    case GPROFHUB_SITE_CALL:
    case GPROFHUB_SITE_ENTRY:
      return 1;
    case GPROFHUB_SITE_INDIRECT:
    case GPROFHUB_SITE_TAIL:
      return 2 * GPROFHUB_SITE_CALLEES;
    default:
      return 0;
  }
}

// For a block's sites: this one adds to the sum of the preceding ones.
bool Continues(const gprofhub_site& site) {
  return site.kind == GPROFHUB_SITE_BLOCK_PLUS || site.kind == GPROFHUB_SITE_BLOCK_MINUS;
}

// Adds the value of a block's site to that of the preceding ones. Unsigned, so that an overflow in
// a damaged file is defined. False: it has no word.
bool AddToBlock(const gprofhub_site& site, const std::vector<uint64_t>& totals,
                uint64_t& executed) {
  if (site.kind == GPROFHUB_SITE_BLOCK) executed = 0;
  if (site.kind == GPROFHUB_SITE_BLOCK_ALSO || totals.empty()) return true;
  if (site.counter >= totals.size()) return false;
  const uint64_t runs = totals[site.counter];
  executed += site.kind == GPROFHUB_SITE_BLOCK_MINUS ? 0 - runs : runs;
  return true;
}

// By word: the sum over threads. Blocks share words only in these sums, and a call's word belongs
// to one site: so AddSites is linear.
std::vector<uint64_t> TotalsOf(const std::vector<SiteCounts::Words>& threads) {
  std::vector<uint64_t> totals(threads.empty() ? 0 : threads.front().counted.size());
  for (const SiteCounts::Words& thread : threads) {
    for (size_t at = 0; at < totals.size(); ++at) totals[at] += thread.Count(at);
  }
  return totals;
}

// Calls visit(address, calls) for each pair of words that begins at `counter`.
template <typename Visit>
void ForEachPair(const std::vector<SiteCounts::Words>& threads, uint64_t counter, Visit visit) {
  for (const SiteCounts::Words& thread : threads) {
    for (uint64_t at = counter; at < counter + 2 * GPROFHUB_SITE_CALLEES; at += 2) {
      const uint64_t calls = thread.Count(at + 1);
      if (calls > 0) visit(thread.counted[at], calls);
    }
  }
}

// Whether each site has the number of words that its kind needs, and shares them with no other.
bool HaveWordsOfTheirOwn(const std::vector<gprofhub_site>& sites, size_t words) {
  std::vector<bool> taken(words);
  for (const gprofhub_site& site : sites) {
    const uint64_t end = site.counter + WordsOf(site);
    for (uint64_t at = site.counter; at < end; ++at) {
      if (at >= words || taken[at]) return false;
      taken[at] = true;
    }
  }
  return true;
}

}  // namespace

bool SiteCounts::AddWords(uint32_t set, Words words) {
  std::vector<Words>& threads = sets_[set].threads;
  const size_t size = words.counted.size();
  if (!threads.empty() && threads.front().counted.size() != size) return false;
  if (!words.excluded.empty() && words.excluded.size() != size) return false;
  threads.push_back(std::move(words));
  return true;
}

bool SiteCounts::AddSites(uint32_t set, uint64_t base, const std::vector<gprofhub_site>& sites) {
  Set& words = sets_[set];
  if (words.described) return false;
  words.described = true;
  const std::vector<uint64_t> totals = TotalsOf(words.threads);
  if (!words.threads.empty() && !HaveWordsOfTheirOwn(sites, totals.size())) return false;
  const auto total = [&totals](uint64_t at) { return totals.empty() ? 0 : totals[at]; };
  uint64_t executed = 0;  // by the block that these sites describe
  for (size_t i = 0; i < sites.size(); ++i) {
    const gprofhub_site& site = sites[i];
    const uint64_t self = base + static_cast<uint64_t>(int64_t{site.self});
    const uint64_t from = base + static_cast<uint64_t>(int64_t{site.from});
    switch (site.kind) {
      case GPROFHUB_SITE_CALL:
        if (const uint64_t calls = total(site.counter)) arcs_.push_back({from, self, calls});
        break;
      case GPROFHUB_SITE_INDIRECT:
        indirect_sites_.insert(from);
        ForEachPair(words.threads, site.counter, [&](uint64_t callee, uint64_t calls) {
          arcs_.push_back({from, callee, calls});
        });
        break;
      case GPROFHUB_SITE_TAIL:
        ForEachPair(words.threads, site.counter, [&](uint64_t caller, uint64_t calls) {
          arcs_.push_back({caller, self, calls});
        });
        break;
      case GPROFHUB_SITE_ENTRY:
        AddFunction(self).entered += total(site.counter);
        break;
      case GPROFHUB_SITE_FUNCTION:
        AddFunction(self);
        break;
      case GPROFHUB_SITE_BLOCK:
      case GPROFHUB_SITE_BLOCK_PLUS:
      case GPROFHUB_SITE_BLOCK_MINUS:
      case GPROFHUB_SITE_BLOCK_ALSO: {
        if (!AddToBlock(site, totals, executed)) return false;
        const bool more = i + 1 < sites.size() && Continues(sites[i + 1]);
        if (!more && static_cast<int64_t>(executed) > 0) blocks_.push_back({self, executed});
        break;
      }
      default:
        break;
    }
  }
  return true;
}

SiteCounts::Function& SiteCounts::AddFunction(uint64_t self) {
  const auto [function, is_new] = functions_.try_emplace(self);
  if (is_new) function_order_.push_back(self);
  return function->second;
}

bool SiteCounts::AddTableArc(uint64_t from, uint64_t self, uint64_t count) {
  const auto function = functions_.find(self);
  if (function == functions_.end()) {
    return !indirect_sites_.contains(from) && (from & GPROFHUB_TAIL_CONTEXT) == 0;
  }
  function->second.called += count;
  return true;
}

std::vector<CountedArc> SiteCounts::Arcs() const {
  std::vector<CountedArc> arcs;
  absl::flat_hash_map<uint64_t, uint64_t> called;
  for (const CountedArc& arc : arcs_) {
    if (!functions_.contains(arc.self)) continue;
    called[arc.self] += arc.count;
    arcs.push_back(arc);
  }
  for (uint64_t self : function_order_) {
    const Function& function = functions_.at(self);
    const uint64_t known = function.called + (called.contains(self) ? called.at(self) : 0);
    // A process that was killed, or still runs, may be between call and entry.
    if (function.entered > known) {
      arcs.push_back({GPROFHUB_CALLER_UNKNOWN, self, function.entered - known});
    }
  }
  return arcs;
}

namespace {

// The words of a chunk of counters, or of the counts excluded from one.
absl::StatusOr<std::vector<uint64_t>> ReadWords(const RecordingBytes& bytes,
                                                const RecordingChunk& chunk) {
  const uint64_t words = chunk.head.words;
  if (words < sizeof(gprofhub_chunk) || words > chunk.head.bytes ||
      chunk.head.capacity > (chunk.head.bytes - words) / sizeof(uint64_t)) {
    return bytes.Broken("a chunk that declares more counters than it contains", chunk.offset);
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
    ASSIGN_OR_RETURN(std::vector<uint64_t> words, ReadWords(bytes, chunk));
    SiteCounts::Words thread;
    thread.counted = std::move(words);
    // Each exclusion belongs to one chunk of counters: a duplicate is damage.
    const auto exclusion = excluded.extract({chunk.head.set, chunk.head.thread});
    if (!exclusion.empty()) {
      thread.is_off = exclusion.mapped()->head.used != 0;
      ASSIGN_OR_RETURN(std::vector<uint64_t> without, ReadWords(bytes, *exclusion.mapped()));
      thread.excluded = std::move(without);
    }
    if (!counts.AddWords(chunk.head.set, std::move(thread))) {
      return bytes.Broken("counters that do not match those of another thread", chunk.offset);
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
      return bytes.Broken("sites that do not match the counters", chunk.offset);
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
  RETURN_IF_ERROR(ForEach<gprofhub_in_use>(
      bytes, chunks, GPROFHUB_IN_USE, GPROFHUB_PROBE_SLOTS,
      [&](const gprofhub_in_use& site, size_t chunk, uint64_t, uint64_t) {
        if (const uint64_t held = HeldAtPeak(header, site); site.from != 0 && held > 0) {
          add(site.from, chunks[chunk].head.base, held);
        }
        return absl::OkStatus();
      }));
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
  ASSIGN_OR_RETURN(SiteCounts sites, ReadSiteCounts(bytes, chunks));
  RETURN_IF_ERROR(ReadArcs(bytes, chunks, map, sites, recording));
  return ReadBlocks(bytes, chunks, map, sites, recording);
}

}  // namespace gprofhub::profile
