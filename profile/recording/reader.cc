#include "profile/recording/reader.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "profile/format/recording.h"
#include "profile/recording/chunks.h"
#include "profile/recording/counts.h"

namespace gprofhub::profile {

namespace {

// The samples of a recording: histograms, and stacks.

// Memory of the histograms in bytes, computed without allocating them: a histogram takes 500 times
// as much as a sample. DataLoss: the samples span more text than 256 MiB of histogram cover.
absl::StatusOr<uint64_t> CheckSampledText(const RecordingBytes& bytes,
                                          const std::vector<RecordingChunk>& chunks,
                                          const ModuleMap& map, const OwnCode& own);

// Adds the histograms to the modules, whose arcs must have been read already, and to `recording`
// its samples in the runtime's own code and at addresses outside all modules.
absl::Status ReadSamples(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         const ModuleMap& map, const OwnCode& own, const gprofhub_recording& header,
                         Recording& recording);

// Fills Recording::stacks. CheckStackDepths must have accepted them.
absl::Status ReadStacks(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                        const ModuleMap& map, const OwnCode& own, Recording& recording);

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

absl::StatusOr<uint64_t> CheckSampledText(const RecordingBytes& bytes,
                                          const std::vector<RecordingChunk>& chunks,
                                          const ModuleMap& map, const OwnCode& own) {
  absl::flat_hash_set<std::pair<uint32_t, uint64_t>> tiles;
  RETURN_IF_ERROR(ForEachSlot(bytes, chunks, GPROFHUB_SAMPLES,
                              [&](const gprofhub_slot& slot, size_t, uint64_t, uint64_t at) {
                                const std::optional<ModulePlace> place = map.Find(slot.key);
                                if (!place || own.Holds(slot.key, place)) return absl::OkStatus();
                                tiles.insert({place->module, place->pc & ~(kTileBytes - 1)});
                                if (tiles.size() <= kMaxTiles) return absl::OkStatus();
                                return bytes.Broken("samples in too large a text section", at);
                              }));
  return tiles.size() * (kTileBins * sizeof(uint64_t) + sizeof(Histogram));
}

absl::Status ReadSamples(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         const ModuleMap& map, const OwnCode& own, const gprofhub_recording& header,
                         Recording& recording) {
  std::map<std::pair<uint32_t, uint64_t>, Histogram> tiles;
  RETURN_IF_ERROR(ForEachSlot(
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
      }));
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
  RETURN_IF_ERROR(
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
                  }));
  for (size_t i = 0; i < recording.stacks.size(); ++i) {
    if (parents[i].second == 0) continue;
    const auto parent = frames.find({parents[i].first, parents[i].second - 1});
    // A frame whose caller's slot was never completed is a root.
    if (parent != frames.end()) recording.stacks[i].frame.parent = parent->second;
  }
  return absl::OkStatus();
}

absl::Status ReadFirstCalls(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                            const ModuleMap& map, const OwnCode& own, Recording& recording) {
  for (const RecordingChunk& chunk : chunks) {
    if (chunk.head.kind == GPROFHUB_SITES) return absl::OkStatus();  // mcount counted a part
  }
  absl::flat_hash_map<uint64_t, uint64_t> number_of;
  RETURN_IF_ERROR(ForEachSlot(bytes, chunks, GPROFHUB_FIRST_CALLS,
                              [&](const gprofhub_slot& slot, size_t, uint64_t, uint64_t) {
                                if (slot.count == 0) return absl::OkStatus();
                                uint64_t& number = number_of[slot.key];
                                if (number == 0 || slot.count < number) number = slot.count;
                                return absl::OkStatus();
                              }));
  std::vector<std::pair<uint64_t, uint64_t>> order;  // number, pc
  for (const auto& [pc, number] : number_of) order.emplace_back(number, pc);
  std::sort(order.begin(), order.end());
  for (const auto& [number, pc] : order) {
    const std::optional<ModulePlace> place = map.Find(pc);
    if (place && !own.Holds(pc, place)) recording.first_calls.push_back(*place);
  }
  return absl::OkStatus();
}

std::string MechanismName(uint32_t mechanism, absl::string_view dimension) {
  switch (mechanism) {
    case GPROFHUB_SAMPLING_OFF:
      return "off";
    case GPROFHUB_PERF_RING:
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

absl::Status ReadThreads(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
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

Environment EnvironmentOf(const gprofhub_environment& recorded) {
  Environment environment;
  environment.architecture = TextOf(recorded.architecture, sizeof recorded.architecture);
  environment.emulator = TextOf(recorded.emulator, sizeof recorded.emulator);
  environment.processor = TextOf(recorded.processor, sizeof recorded.processor);
  environment.features = TextOf(recorded.features, sizeof recorded.features);
  environment.tunables = TextOf(recorded.tunables, sizeof recorded.tunables);
  environment.processors = recorded.processors;
  return environment;
}

void Describe(const gprofhub_recording& header, Recording& recording) {
  static constexpr const char* kLossNames[] = GPROFHUB_LOSS_NAMES;
  recording.program = TextOf(header.program, sizeof header.program);
  recording.environment = EnvironmentOf(header.environment);
  recording.pid = header.pid;
  recording.parent_pid = header.parent_pid;
  recording.start_seconds = header.start_seconds;
  recording.finished = header.state == GPROFHUB_FINISHED;
  recording.rank = static_cast<int64_t>(header.rank_plus_one) - 1;
  recording.dimension = TextOf(header.dimension, sizeof header.dimension);
  recording.mechanism = MechanismName(header.mechanism, recording.dimension);
  recording.rate_asked = header.mechanism == GPROFHUB_PERF_HARDWARE ? 0 : header.rate_asked;
  recording.rate = header.rate;
  recording.most_periods = uint64_t{1} << (std::bit_width(std::max(header.sample_weights, 1u)) - 1);
  for (const gprofhub_mark& mark : header.marks) {
    if (mark.number != 0) recording.marks.push_back({mark.number, mark.ns});
  }
  std::sort(recording.marks.begin(), recording.marks.end(),
            [](const RecordingMark& a, const RecordingMark& b) { return a.number < b.number; });
  recording.window_seconds = static_cast<double>(header.window_ns) / 1e9;
  recording.user_seconds = static_cast<double>(header.user_ns) / 1e9;
  recording.system_seconds = static_cast<double>(header.system_ns) / 1e9;
  recording.threads = header.threads;
  for (int i = 0; i < GPROFHUB_LOSSES; ++i) {
    recording.losses.emplace_back(kLossNames[i], header.losses[i]);
  }
}

}  // namespace

bool IsRecording(absl::string_view bytes) {
  return bytes.substr(0, sizeof gprofhub_recording::magic) == GPROFHUB_RECORDING_MAGIC;
}

absl::StatusOr<Recording> ReadRecording(absl::string_view data, absl::string_view file_name,
                                        const base::Decoding& decoding) {
  const RecordingBytes bytes(data, file_name);
  ASSIGN_OR_RETURN(const gprofhub_recording header, ReadHeader(bytes));
  Recording recording;
  Describe(header, recording);
  ASSIGN_OR_RETURN(std::vector<RecordingChunk> chunks, ReadDirectory(bytes, header));
  ASSIGN_OR_RETURN(base::Reservation memory, decoding.Take(MemoryToRead(bytes, chunks)));
  ModuleMap map;
  RETURN_IF_ERROR(ReadModules(bytes, chunks, recording, map));
  const OwnCode own(header, map, recording);
  // Invalid files are rejected before the arrays, which are larger than the file, are allocated.
  RETURN_IF_ERROR(CheckStackDepths(bytes, chunks));
  ASSIGN_OR_RETURN(const uint64_t histograms, CheckSampledText(bytes, chunks, map, own));
  ASSIGN_OR_RETURN(base::Reservation more, decoding.Take(histograms));
  RETURN_IF_ERROR(ReadCounts(bytes, chunks, map, recording));
  RETURN_IF_ERROR(decoding.CheckWanted());
  RETURN_IF_ERROR(ReadSamples(bytes, chunks, map, own, header, recording));
  RETURN_IF_ERROR(ReadStacks(bytes, chunks, map, own, recording));
  RETURN_IF_ERROR(ReadFirstCalls(bytes, chunks, map, own, recording));
  RETURN_IF_ERROR(ReadThreads(bytes, chunks, recording));
  more.Leave(histograms);
  memory.Leave(MemoryOf(recording) - std::min(MemoryOf(recording), histograms));
  return recording;
}

}  // namespace gprofhub::profile
