#include "profile/recording/reader.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "profile/recording/chunks.h"
#include "profile/recording/format.h"
#include "profile/recording/site_counts.h"

namespace gprofhub::profile {
namespace {

constexpr uint64_t kTileBytes = 4096;
constexpr uint64_t kBinBytes = 2;
constexpr uint64_t kTileBins = kTileBytes / kBinBytes;
constexpr size_t kMaxTiles = 16384;  // 256 MiB of bins
constexpr uint64_t kBlockCallBytes = 5;

using Slot = gprofhub_slot;
using Bytes = RecordingBytes;
using Chunk = RecordingChunk;

std::string Text(const char* bytes, size_t size) {
  return std::string(bytes, strnlen(bytes, size));
}

// A place in a module.
struct Place {
  uint32_t module;
  uint64_t pc;  // as linked
};

// Which module an address belongs to. Where one was loaded at the addresses of
// another that had gone, the later one is taken: each elementary interval
// between bounds belongs to the latest of those that cover it.
class ModuleMap {
 public:
  void Add(uint64_t low, uint64_t high, uint64_t bias, uint64_t order, uint32_t module) {
    loads_.push_back({low, high, bias, order, module});
  }

  void Build() {
    // (address, begins, load)
    std::vector<std::tuple<uint64_t, bool, size_t>> bounds;
    for (size_t i = 0; i < loads_.size(); ++i) {
      bounds.emplace_back(loads_[i].low, true, i);
      bounds.emplace_back(loads_[i].high, false, i);
    }
    std::sort(bounds.begin(), bounds.end());
    std::set<std::pair<uint64_t, size_t>> open;  // by order, the latest last
    for (const auto& [address, begins, load] : bounds) {
      if (begins) {
        open.insert({loads_[load].order, load});
      } else {
        open.erase({loads_[load].order, load});
      }
      intervals_[address] = open.empty() ? -1 : static_cast<int64_t>(open.rbegin()->second);
    }
  }

  std::optional<Place> Find(uint64_t pc) const {
    auto next = intervals_.upper_bound(pc);
    if (next == intervals_.begin()) return std::nullopt;
    const int64_t load = std::prev(next)->second;
    if (load < 0) return std::nullopt;
    return Place{loads_[load].module, pc - loads_[load].bias};
  }

 private:
  struct Load {
    uint64_t low, high, bias, order;
    uint32_t module;
  };
  std::vector<Load> loads_;
  std::map<uint64_t, int64_t> intervals_;  // from this address on: load or -1
};

absl::Status ReadModules(const Bytes& bytes, const std::vector<Chunk>& chunks, Recording& recording,
                         ModuleMap& map) {
  std::map<std::pair<std::string, std::string>, uint32_t> known;
  absl::Status status = ForEach<gprofhub_module>(
      bytes, chunks, GPROFHUB_MODULES, 0,
      [&](const gprofhub_module& record, size_t, uint64_t, uint64_t at) {
        if (record.state == 0) return absl::OkStatus();
        if (record.low >= record.high || record.text_low >= record.text_high ||
            record.build_id_bytes > sizeof record.build_id) {
          return bytes.Broken("an impossible module", at);
        }
        const std::string path = Text(record.path, sizeof record.path);
        const std::string build_id = absl::BytesToHexString(absl::string_view(
            reinterpret_cast<const char*>(record.build_id), record.build_id_bytes));
        const uint32_t fresh = static_cast<uint32_t>(recording.modules.size());
        const auto [entry, is_new] = known.insert({{path, build_id}, fresh});
        if (is_new) {
          RecordedModule module;
          module.path = path;
          module.build_id = build_id;
          module.is_program = path == recording.program;
          module.text_low = record.text_low;
          module.text_high = record.text_high;
          recording.modules.push_back(std::move(module));
        }
        map.Add(record.low, record.high, record.bias, record.order, entry->second);
        return absl::OkStatus();
      });
  if (status.ok()) map.Build();
  return status;
}

// The words of a chunk of counters, or of what is excluded from one.
absl::StatusOr<std::vector<uint64_t>> ReadWords(const Bytes& bytes, const Chunk& chunk) {
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

// What the counters in the text counted, in all threads.
absl::StatusOr<SiteCounts> ReadSiteCounts(const Bytes& bytes, const std::vector<Chunk>& chunks) {
  SiteCounts counts;
  std::map<std::pair<uint32_t, uint32_t>, const Chunk*> excluded;  // by set and thread
  for (const Chunk& chunk : chunks) {
    if (chunk.head.kind != GPROFHUB_EXCLUDED || chunk.head.capacity == 0) continue;
    excluded[{chunk.head.set, chunk.head.thread}] = &chunk;
  }
  for (const Chunk& chunk : chunks) {
    if (chunk.head.kind != GPROFHUB_COUNTERS || chunk.head.capacity == 0) continue;
    absl::StatusOr<std::vector<uint64_t>> words = ReadWords(bytes, chunk);
    if (!words.ok()) return words.status();
    SiteCounts::Words thread;
    thread.counted = *std::move(words);
    // One chunk of counters takes it: what is given twice is damaged.
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
  for (const Chunk& chunk : chunks) {
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

absl::Status ReadArcs(const Bytes& bytes, const std::vector<Chunk>& chunks, const ModuleMap& map,
                      SiteCounts& sites, Recording& recording) {
  // Tables of several threads hold the same arcs: added up here.
  using Key = std::tuple<uint32_t, uint64_t, uint64_t>;
  absl::flat_hash_map<Key, size_t> rows;
  absl::flat_hash_map<std::tuple<uint32_t, uint64_t, uint32_t, uint64_t>, uint64_t> cross;
  const auto add = [&](uint64_t from_pc, uint64_t self_pc, uint64_t count) {
    const std::optional<Place> callee = map.Find(self_pc);
    if (!callee) {
      recording.unattributed_calls += count;
      return;
    }
    const std::optional<Place> caller = map.Find(from_pc);
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
  absl::Status status =
      ForEachSlot(bytes, chunks, GPROFHUB_ARCS, [&](const Slot& slot, size_t, uint64_t, uint64_t) {
        if (slot.count > 0 && sites.AddTableArc(slot.context, slot.key, slot.count)) {
          add(slot.context, slot.key, slot.count);
        }
        return absl::OkStatus();
      });
  for (const CountedArc& arc : sites.Arcs()) add(arc.from, arc.self, arc.count);
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

absl::Status ReadBlocks(const Bytes& bytes, const std::vector<Chunk>& chunks, const ModuleMap& map,
                        const SiteCounts& sites, Recording& recording) {
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, size_t> rows;
  const auto add = [&](uint64_t address, uint64_t count) {
    const std::optional<Place> place = map.Find(address);
    if (!place) return;
    std::vector<BasicBlock>& blocks = recording.modules[place->module].profile.blocks;
    const auto [row, is_new] = rows.insert({{place->module, place->pc}, blocks.size()});
    if (is_new) blocks.push_back({place->pc, 0});
    blocks[row->second].count += count;
  };
  for (const CountedBlock& block : sites.blocks()) add(block.pc, block.count);
  return ForEachSlot(bytes, chunks, GPROFHUB_BLOCKS,
                     [&](const Slot& slot, size_t, uint64_t, uint64_t) {
                       if (slot.count > 0) add(slot.key - kBlockCallBytes, slot.count);
                       return absl::OkStatus();
                     });
}

// Where the runtime's own code is: the stubs that it is linked into a program
// with, or all of the object that was loaded before one.
class OwnCode {
 public:
  OwnCode(const gprofhub_recording& header, const ModuleMap& map, const Recording& recording)
      : low_(header.own_low), high_(header.own_high), module_(recording.modules.size()) {
    const std::optional<Place> place = map.Find(low_);
    if (place && !recording.modules[place->module].is_program) module_ = place->module;
  }

  bool Holds(uint64_t pc, const std::optional<Place>& place) const {
    return (pc >= low_ && pc < high_) || (place && place->module == module_);
  }

 private:
  uint64_t low_;
  uint64_t high_;
  size_t module_;
};

Histogram EmptyTile(uint64_t low, const gprofhub_recording& header) {
  Histogram tile;
  tile.low_pc = low;
  tile.high_pc = low + kTileBytes;
  tile.rate = header.rate;
  tile.dimension = Text(header.dimension, sizeof header.dimension);
  tile.abbreviation = header.abbreviation;
  tile.bins.resize(kTileBins);
  return tile;
}

// Samples lie within a program's code: a tile takes 500 times as much as a sample.
absl::Status CheckTiles(const Bytes& bytes, const std::vector<Chunk>& chunks, const ModuleMap& map,
                        const OwnCode& own) {
  absl::flat_hash_set<std::pair<uint32_t, uint64_t>> tiles;
  return ForEachSlot(bytes, chunks, GPROFHUB_SAMPLES,
                     [&](const Slot& slot, size_t, uint64_t, uint64_t at) {
                       const std::optional<Place> place = map.Find(slot.key);
                       if (!place || own.Holds(slot.key, place)) return absl::OkStatus();
                       tiles.insert({place->module, place->pc & ~(kTileBytes - 1)});
                       if (tiles.size() <= kMaxTiles) return absl::OkStatus();
                       return bytes.Broken("samples in too much text", at);
                     });
}

absl::Status ReadSamples(const Bytes& bytes, const std::vector<Chunk>& chunks, const ModuleMap& map,
                         const OwnCode& own, const gprofhub_recording& header,
                         Recording& recording) {
  std::map<std::pair<uint32_t, uint64_t>, Histogram> tiles;
  absl::Status status = ForEachSlot(
      bytes, chunks, GPROFHUB_SAMPLES, [&](const Slot& slot, size_t, uint64_t, uint64_t) {
        const std::optional<Place> place = map.Find(slot.key);
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

absl::Status ReadStacks(const Bytes& bytes, const std::vector<Chunk>& chunks, const ModuleMap& map,
                        const OwnCode& own, Recording& recording) {
  // Slots name their parents by index in their own table.
  absl::flat_hash_map<std::pair<size_t, uint64_t>, int64_t> frames;
  std::vector<std::pair<size_t, uint64_t>> parents;
  const uint32_t nowhere = static_cast<uint32_t>(recording.modules.size());
  absl::Status status =
      ForEachSlot(bytes, chunks, GPROFHUB_STACKS,
                  [&](const Slot& slot, size_t chunk, uint64_t index, uint64_t) {
                    const std::optional<Place> place = map.Find(slot.key);
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
    // A frame whose caller's slot was never completed stands alone.
    if (parent != frames.end()) recording.stacks[i].frame.parent = parent->second;
  }
  return absl::OkStatus();
}

std::string MechanismName(uint32_t mechanism, absl::string_view dimension) {
  switch (mechanism) {
    case GPROFHUB_SAMPLING_OFF:
      return "off";
    case GPROFHUB_PERF_TASK_CLOCK:
      return "perf task clock";
    case GPROFHUB_TIMER_CREATE:
      return "timer_create";
    case GPROFHUB_ITIMER_PROF:
      return "setitimer";
    case GPROFHUB_PERF_HARDWARE:
      return absl::StrCat("perf hardware ", dimension);
    default:
      return "unknown";
  }
}

absl::Status ReadThreads(const Bytes& bytes, const std::vector<Chunk>& chunks,
                         Recording& recording) {
  uint64_t cpu_ns = 0;
  absl::Status status =
      ForEach<gprofhub_thread>(bytes, chunks, GPROFHUB_THREADS, 0,
                               [&](const gprofhub_thread& thread, size_t, uint64_t, uint64_t) {
                                 recording.samples += thread.signals;
                                 recording.periods += thread.weight;
                                 cpu_ns += thread.cpu_ns_last;
                                 return absl::OkStatus();
                               });
  recording.cpu_seconds = static_cast<double>(cpu_ns) / 1e9;
  if (cpu_ns > 0) {
    recording.rate_achieved = static_cast<double>(recording.samples) / recording.cpu_seconds;
  }
  return status;
}

void ReadHeader(const gprofhub_recording& header, Recording& recording) {
  static constexpr const char* kLossNames[] = GPROFHUB_LOSS_NAMES;
  recording.program = Text(header.program, sizeof header.program);
  recording.pid = header.pid;
  recording.parent_pid = header.parent_pid;
  recording.start_seconds = header.start_seconds;
  recording.finished = header.state == GPROFHUB_FINISHED;
  recording.rank = static_cast<int64_t>(header.rank_plus_one) - 1;
  recording.dimension = Text(header.dimension, sizeof header.dimension);
  recording.mechanism = MechanismName(header.mechanism, recording.dimension);
  recording.rate_asked = header.mechanism == GPROFHUB_PERF_HARDWARE ? 0 : header.rate_asked;
  recording.rate = header.rate;
  recording.user_seconds = static_cast<double>(header.user_ns) / 1e9;
  recording.system_seconds = static_cast<double>(header.system_ns) / 1e9;
  recording.threads = header.threads;
  for (int i = 0; i < GPROFHUB_LOSSES; ++i) {
    recording.losses.emplace_back(kLossNames[i], header.losses[i]);
  }
}

}  // namespace

const RecordedModule* FindModule(const Recording& recording, absl::string_view build_id) {
  for (const RecordedModule& module : recording.modules) {
    if (build_id.empty() ? module.is_program : module.build_id == build_id) return &module;
  }
  return nullptr;
}

RawProfile ProfileOfModule(const Recording& recording, size_t module) {
  RawProfile profile = recording.modules[module].profile;
  profile.has_spontaneous = true;
  // Kept are the frames on the way to a sample in the module.
  std::vector<bool> is_kept(recording.stacks.size(), false);
  for (size_t i = 0; i < recording.stacks.size(); ++i) {
    const ModuleFrame& leaf = recording.stacks[i];
    if (leaf.frame.samples == 0 || leaf.module != module) continue;
    for (int64_t at = static_cast<int64_t>(i); at >= 0 && !is_kept[at];
         at = recording.stacks[at].frame.parent) {
      is_kept[at] = true;
    }
  }
  std::vector<int64_t> rows(recording.stacks.size(), -1);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!is_kept[i]) continue;
    rows[i] = static_cast<int64_t>(profile.stacks.size());
    const ModuleFrame& kept = recording.stacks[i];
    StackFrame frame = kept.frame;
    if (kept.module != module) {
      frame.samples = 0;
      const bool is_end =
          kept.module == recording.modules.size() && kept.frame.pc == kFramesMissing;
      frame.pc = is_end ? kFramesMissing : kFrameElsewhere;
    }
    profile.stacks.push_back(frame);
  }
  for (StackFrame& frame : profile.stacks) {
    if (frame.parent >= 0) frame.parent = rows[frame.parent];
  }
  return profile;
}

bool IsRecording(absl::string_view bytes) {
  return bytes.substr(0, sizeof gprofhub_recording::magic) == GPROFHUB_RECORDING_MAGIC;
}

absl::StatusOr<Recording> ReadRecording(absl::string_view data, absl::string_view file_name) {
  const Bytes bytes(data, file_name);
  if (!IsRecording(data)) {
    return bytes.Foreign("not a recording (at byte 0 it does not begin with \"gprofhub\")");
  }
  if (!bytes.Holds(0, sizeof(gprofhub_recording))) return bytes.Broken("a cut header", data.size());
  const auto header = bytes.At<gprofhub_recording>(0);
  if (header.byte_order != GPROFHUB_BYTE_ORDER) {
    return bytes.Foreign("recorded on a machine of another byte order; read it there");
  }
  if (header.version != GPROFHUB_RECORDING_VERSION) {
    return bytes.Foreign(absl::StrCat("a recording whose version, at byte 8, is ", header.version,
                                      ", this reads ", GPROFHUB_RECORDING_VERSION,
                                      "; use the gprofhub that the runtime came with"));
  }
  Recording recording;
  ReadHeader(header, recording);
  absl::StatusOr<std::vector<Chunk>> chunks = ReadDirectory(bytes, header);
  if (!chunks.ok()) return chunks.status();
  ModuleMap map;
  absl::Status status = ReadModules(bytes, *chunks, recording, map);
  if (!status.ok()) return status;
  const OwnCode own(header, map, recording);
  // What is rejected is rejected before the arrays, larger than the file, are made.
  status = CheckStacks(bytes, *chunks);
  if (status.ok()) status = CheckTiles(bytes, *chunks, map, own);
  if (!status.ok()) return status;
  absl::StatusOr<SiteCounts> sites = ReadSiteCounts(bytes, *chunks);
  if (!sites.ok()) return sites.status();
  status = ReadArcs(bytes, *chunks, map, *sites, recording);
  if (status.ok()) status = ReadBlocks(bytes, *chunks, map, *sites, recording);
  if (status.ok()) status = ReadSamples(bytes, *chunks, map, own, header, recording);
  if (status.ok()) status = ReadStacks(bytes, *chunks, map, own, recording);
  if (status.ok()) status = ReadThreads(bytes, *chunks, recording);
  if (!status.ok()) return status;
  return recording;
}

}  // namespace gprofhub::profile
