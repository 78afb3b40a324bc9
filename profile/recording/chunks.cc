#include "profile/recording/chunks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "profile/format/recording.h"

namespace gprofhub::profile {

namespace {

// Assigns the samples of a recording to its modules that have a profile.
class SampleOwners {
 public:
  SampleOwners(const Recording& recording, size_t module, const HasProfile& has_profile)
      : recording_(recording) {
    // The last place is that of code outside of all modules.
    for (size_t i = 0; i <= recording.modules.size(); ++i) {
      has_profile_.push_back(i == module ||
                             (has_profile != nullptr && i < recording.modules.size() &&
                              has_profile(recording.modules[i].build_id)));
    }
    first_ = static_cast<size_t>(std::find(has_profile_.begin(), has_profile_.end(), true) -
                                 has_profile_.begin());
  }

  bool HasProfileOf(size_t module) const { return has_profile_[module]; }
  // Of samples without a stack in modules without a profile.
  size_t first() const { return first_; }

  // The owner of the samples whose innermost frame is this one.
  size_t OfFrame(size_t frame) const {
    for (int64_t at = static_cast<int64_t>(frame); at >= 0;
         at = recording_.stacks[at].frame.parent) {
      if (has_profile_[recording_.stacks[at].module]) return recording_.stacks[at].module;
    }
    return first_;
  }

 private:
  const Recording& recording_;
  std::vector<bool> has_profile_;
  size_t first_ = 0;
};

// By frame of the recording's stacks: whether it is on the path to a sample of the module.
std::vector<bool> FramesUpFrom(const Recording& recording, size_t module,
                               const SampleOwners& owners) {
  std::vector<bool> is_kept(recording.stacks.size(), false);
  for (size_t i = 0; i < recording.stacks.size(); ++i) {
    if (recording.stacks[i].frame.samples == 0 || owners.OfFrame(i) != module) continue;
    for (int64_t at = static_cast<int64_t>(i); at >= 0 && !is_kept[at];
         at = recording.stacks[at].frame.parent) {
      is_kept[at] = true;
    }
  }
  return is_kept;
}

// The recording's modules as other objects; the last one is the code outside of all modules.
std::vector<OtherObject> ObjectsOf(const Recording& recording) {
  std::vector<OtherObject> objects;
  for (const RecordedModule& module : recording.modules) {
    OtherObject& object = objects.emplace_back();
    object.name = module.path.substr(module.path.find_last_of('/') + 1);
    for (const Histogram& histogram : module.profile.histograms) {
      for (const uint64_t bin : histogram.bins) object.samples += bin;
    }
  }
  objects.push_back({"unknown", recording.unattributed_samples});
  for (const ModuleFrame& frame : recording.stacks) {
    uint64_t& without = objects[frame.module].samples;
    without -= std::min(without, frame.frame.samples);
  }
  return objects;
}

}  // namespace

std::string MissingCalls(const Recording& recording) {
  const auto lost = [&](gprofhub_loss kind) {
    return kind < recording.losses.size() ? recording.losses[kind].second : 0;
  };
  std::vector<std::string> reasons;
  if (const uint64_t calls = lost(GPROFHUB_LOST_ARCS); calls > 0) {
    reasons.push_back(
        absl::StrCat("no memory was left to count ", calls, calls == 1 ? " call" : " calls"));
  }
  if (const uint64_t tables = lost(GPROFHUB_UNRECORDED_CHUNKS); tables > 0) {
    reasons.push_back(absl::StrCat("the file could not hold ", tables,
                                   tables == 1 ? " table" : " tables", " of counts"));
  }
  return absl::StrJoin(reasons, "; ");
}

const RecordedModule* FindModule(const Recording& recording, absl::string_view build_id) {
  for (const RecordedModule& module : recording.modules) {
    if (build_id.empty() ? module.is_program : module.build_id == build_id) return &module;
  }
  return nullptr;
}

uint64_t MemoryOf(const Recording& recording) {
  uint64_t memory = recording.cross_arcs.capacity() * sizeof(CrossArc) +
                    recording.stacks.capacity() * sizeof(ModuleFrame) +
                    recording.first_calls.capacity() * sizeof(ModulePlace);
  for (const RecordedModule& module : recording.modules) {
    memory += sizeof(RecordedModule) + module.path.size() + MemoryOf(module.profile);
  }
  return memory;
}

RawProfile ProfileOfModule(const Recording& recording, size_t module,
                           const HasProfile& has_profile) {
  RawProfile profile = recording.modules[module].profile;
  profile.has_spontaneous = true;
  const SampleOwners owners(recording, module, has_profile);
  std::vector<OtherObject> objects = ObjectsOf(recording);
  std::vector<uint32_t> others(objects.size(), 0);  // by module: StackFrame::other
  const auto other_of = [&](size_t of) {
    if (others[of] == 0) {
      profile.others.push_back({objects[of].name, 0});
      others[of] = static_cast<uint32_t>(profile.others.size());
    }
    return others[of];
  };
  for (size_t i = 0; i < objects.size() && owners.first() == module; ++i) {
    if (owners.HasProfileOf(i) || objects[i].samples == 0) continue;
    profile.others[other_of(i) - 1].samples = objects[i].samples;
  }
  const std::vector<bool> is_kept = FramesUpFrom(recording, module, owners);
  std::vector<int64_t> rows(recording.stacks.size(), -1);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!is_kept[i]) continue;
    rows[i] = static_cast<int64_t>(profile.stacks.size());
    const ModuleFrame& kept = recording.stacks[i];
    StackFrame frame = kept.frame;
    if (frame.samples > 0 && owners.OfFrame(i) != module) frame.samples = 0;
    const bool is_end = kept.module == recording.modules.size() && kept.frame.pc == kFramesMissing;
    if (kept.module != module && !is_end) frame.other = other_of(kept.module);
    profile.stacks.push_back(frame);
  }
  for (StackFrame& frame : profile.stacks) {
    if (frame.parent >= 0) frame.parent = rows[frame.parent];
  }
  return profile;
}

std::vector<CallsOut> CallsOutOf(const Recording& recording, size_t module) {
  std::map<uint32_t, CallsOut> by_module;
  for (const CrossArc& arc : recording.cross_arcs) {
    if (arc.from_module != module) continue;
    by_module[arc.to_module].arcs.push_back({arc.from_pc, arc.self_pc, arc.count});
  }
  std::vector<CallsOut> calls;
  for (auto& [to, out] : by_module) {
    out.path = recording.modules[to].path;
    out.build_id = recording.modules[to].build_id;
    calls.push_back(std::move(out));
  }
  return calls;
}

namespace {

constexpr int kMaxStackDepth = 1024;  // the runtime records up to 256 frames

// Bytes of a record or slot of a kind, and slots beyond the capacity; 0 bytes if the kind is not an
// array of records.
struct RecordKind {
  uint64_t bytes;
  uint64_t extra;
};

RecordKind KindOf(uint32_t kind) {
  switch (kind) {
    case GPROFHUB_ARCS:
    case GPROFHUB_SAMPLES:
    case GPROFHUB_STACKS:
    case GPROFHUB_BLOCKS:
    case GPROFHUB_FIRST_CALLS:
      return {sizeof(gprofhub_slot), GPROFHUB_PROBE_SLOTS};
    case GPROFHUB_IN_USE:
      return {sizeof(gprofhub_in_use), GPROFHUB_PROBE_SLOTS};
    case GPROFHUB_MODULES:
      return {sizeof(gprofhub_module), 0};
    case GPROFHUB_THREADS:
      return {sizeof(gprofhub_thread), 0};
    case GPROFHUB_SITES:
      return {sizeof(gprofhub_site), 0};
    default:
      return {0, 0};
  }
}

absl::Status CheckRecords(const RecordingBytes& bytes, const RecordingChunk& chunk) {
  const auto [record_bytes, extra] = KindOf(chunk.head.kind);
  if (record_bytes == 0) return absl::OkStatus();
  const uint64_t room = (chunk.head.bytes - sizeof(gprofhub_chunk)) / record_bytes;
  if (chunk.head.capacity <= room && extra <= room - chunk.head.capacity) return absl::OkStatus();
  return bytes.Broken("a chunk that declares more records than it contains", chunk.offset);
}

}  // namespace

absl::StatusOr<gprofhub_recording> ReadHeader(const RecordingBytes& bytes) {
  if (bytes.Start(sizeof gprofhub_recording::magic) != GPROFHUB_RECORDING_MAGIC) {
    return bytes.Foreign("not a recording (at byte 0 it does not begin with \"gprofhub\")");
  }
  if (!bytes.Holds(0, sizeof(gprofhub_recording)))
    return bytes.Broken("truncated header", bytes.size());
  const auto header = bytes.At<gprofhub_recording>(0);
  if (header.byte_order != GPROFHUB_BYTE_ORDER) {
    return bytes.Foreign(
        "recorded on a machine with a different byte order; read it on such a machine");
  }
  if (header.version == GPROFHUB_SHARED_VERSION) {
    return bytes.Foreign(
        "has the recordings of all processes of a test; `gprofhub info` lists them, and `gprofhub "
        "gprof`, `gmon` and `upload` read them");
  }
  if (header.version != GPROFHUB_RECORDING_VERSION) {
    return bytes.Foreign(absl::StrCat("unsupported version at byte 8: ", header.version,
                                      " (supported: ", GPROFHUB_RECORDING_VERSION,
                                      "); use the gprofhub of the same release as the runtime"));
  }
  return header;
}

absl::StatusOr<std::vector<RecordingChunk>> ReadDirectory(const RecordingBytes& bytes,
                                                          const gprofhub_recording& header) {
  std::vector<RecordingChunk> chunks;
  uint64_t total = 0;
  for (uint32_t which = 0; which < GPROFHUB_DIRECTORY_CHUNKS; ++which) {
    const uint64_t directory = header.directory[which];
    if (directory == 0) continue;
    const uint64_t entries_bytes = GPROFHUB_DIRECTORY_ENTRIES * sizeof(gprofhub_directory_entry);
    if (!bytes.Holds(directory, sizeof(gprofhub_chunk) + entries_bytes)) {
      return bytes.Broken("a directory outside the file", directory);
    }
    total += entries_bytes;
    for (uint32_t i = 0; i < GPROFHUB_DIRECTORY_ENTRIES; ++i) {
      const uint64_t at = directory + sizeof(gprofhub_chunk) + i * sizeof(gprofhub_directory_entry);
      const auto entry = bytes.At<gprofhub_directory_entry>(at);
      if (entry.kind == 0) continue;
      if (entry.bytes < sizeof(gprofhub_chunk) || !bytes.Holds(entry.offset, entry.bytes)) {
        return bytes.Broken("a directory entry that points outside the file", at);
      }
      total += entry.bytes;
      const auto head = bytes.At<gprofhub_chunk>(entry.offset);
      if (head.magic != GPROFHUB_CHUNK_MAGIC || head.kind != entry.kind ||
          head.bytes != entry.bytes) {
        return bytes.Broken("a chunk that does not match its directory entry", entry.offset);
      }
      chunks.push_back({entry.offset, at, which * GPROFHUB_DIRECTORY_ENTRIES + i, head});
      RETURN_IF_ERROR(CheckRecords(bytes, chunks.back()));
    }
    // Chunks do not overlap, so their total size is at most the file's.
    if (total > bytes.size()) return bytes.Broken("overlapping chunks", directory);
  }
  return chunks;
}

// Each frame's depth is its parent's plus one, computed once for each. A slot refers to its parent
// by the parent's index in the same table plus one; 0 is none.
absl::Status CheckStackDepths(const RecordingBytes& bytes,
                              const std::vector<RecordingChunk>& chunks) {
  for (const RecordingChunk& chunk : chunks) {
    if (chunk.head.kind != GPROFHUB_STACKS) continue;
    const uint64_t count = RecordsIn(chunk, GPROFHUB_PROBE_SLOTS);
    const auto slot_at = [&](uint64_t index) {
      return bytes.At<gprofhub_slot>(chunk.offset + sizeof(gprofhub_chunk) +
                                     index * sizeof(gprofhub_slot));
    };
    std::vector<uint16_t> depths(count, 0);
    std::vector<uint64_t> path;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t at = i;
      while (at < count && depths[at] == 0) {
        const gprofhub_slot slot = slot_at(at);
        // A frame whose caller's slot was never completed is a root.
        if (slot.key == 0) break;
        if (path.size() == kMaxStackDepth) {
          return bytes.Broken("a stack that is too deep or leads back to itself", chunk.offset);
        }
        path.push_back(at);
        at = slot.context - 1;
      }
      int depth = at < count ? depths[at] : 0;
      for (; !path.empty(); path.pop_back()) depths[path.back()] = static_cast<uint16_t>(++depth);
      if (depth > kMaxStackDepth) return bytes.Broken("a stack that is too deep", chunk.offset);
    }
  }
  return absl::OkStatus();
}

uint64_t MemoryToRead(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks) {
  // For an arc between modules, the maximum: two entries of hash tables and two rows, each with
  // twice its capacity, and the capacity before growth.
  constexpr uint64_t kBytesOfSlot = 384;
  // For all others: its own bytes, rows made from them, and entries of hash tables.
  constexpr uint64_t kBytesOfByte = 10;
  uint64_t memory = 0;
  for (const RecordingChunk& chunk : chunks) {
    if (chunk.head.kind == GPROFHUB_MARKED) continue;  // for CutWindow
    const auto [record_bytes, extra] = KindOf(chunk.head.kind);
    if (extra == 0) {
      memory += kBytesOfByte * chunk.head.bytes;
      continue;
    }
    const uint64_t first = chunk.offset + sizeof(gprofhub_chunk);
    for (uint64_t slot = 0; slot < RecordsIn(chunk, extra); ++slot) {
      if (bytes.At<uint64_t>(first + slot * record_bytes) != 0) memory += kBytesOfSlot;
    }
    // CheckStackDepths has a depth for each.
    memory += RecordsIn(chunk, extra) * sizeof(uint16_t);
  }
  return memory;
}

// If a module was loaded at the addresses of an unloaded one, the later one counts: each elementary
// interval between bounds belongs to the latest that covers it.
void ModuleMap::Build() {
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

std::optional<ModulePlace> ModuleMap::Find(uint64_t pc) const {
  auto next = intervals_.upper_bound(pc);
  if (next == intervals_.begin()) return std::nullopt;
  const int64_t load = std::prev(next)->second;
  if (load < 0) return std::nullopt;
  return ModulePlace{loads_[load].module, pc - loads_[load].bias};
}

absl::Status ReadModules(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         Recording& recording, ModuleMap& map) {
  std::map<std::pair<std::string, std::string>, uint32_t> known;
  absl::Status status = ForEach<gprofhub_module>(
      bytes, chunks, GPROFHUB_MODULES, 0,
      [&](const gprofhub_module& record, size_t, uint64_t, uint64_t at) {
        if (record.state == 0) return absl::OkStatus();
        if (record.low >= record.high || record.text_low >= record.text_high ||
            record.build_id_bytes > sizeof record.build_id) {
          return bytes.Broken("an invalid module", at);
        }
        const std::string path = TextOf(record.path, sizeof record.path);
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

}  // namespace gprofhub::profile
