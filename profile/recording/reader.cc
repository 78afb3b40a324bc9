#include "profile/recording/reader.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/recording/chunks.h"
#include "profile/recording/counts.h"
#include "profile/recording/format.h"
#include "profile/recording/module_map.h"
#include "profile/recording/samples.h"

namespace gprofhub::profile {
namespace {

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

void Describe(const gprofhub_recording& header, Recording& recording) {
  static constexpr const char* kLossNames[] = GPROFHUB_LOSS_NAMES;
  recording.program = TextOf(header.program, sizeof header.program);
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
  const absl::StatusOr<gprofhub_recording> header = ReadHeader(bytes);
  if (!header.ok()) return header.status();
  Recording recording;
  Describe(*header, recording);
  absl::StatusOr<std::vector<RecordingChunk>> chunks = ReadDirectory(bytes, *header);
  if (!chunks.ok()) return chunks.status();
  absl::StatusOr<base::DecodingPart> memory = decoding.Take(MemoryToRead(bytes, *chunks));
  if (!memory.ok()) return memory.status();
  ModuleMap map;
  absl::Status status = ReadModules(bytes, *chunks, recording, map);
  if (!status.ok()) return status;
  const OwnCode own(*header, map, recording);
  // Invalid files are rejected before the arrays, which are larger than the file, are allocated.
  if (status = CheckStackDepths(bytes, *chunks); !status.ok()) return status;
  const absl::StatusOr<uint64_t> histograms = CheckSampledText(bytes, *chunks, map, own);
  if (!histograms.ok()) return histograms.status();
  absl::StatusOr<base::DecodingPart> more = decoding.Take(*histograms);
  if (!more.ok()) return more.status();
  status = ReadCounts(bytes, *chunks, map, recording);
  if (status.ok()) status = decoding.CheckWanted();
  if (status.ok()) status = ReadSamples(bytes, *chunks, map, own, *header, recording);
  if (status.ok()) status = ReadStacks(bytes, *chunks, map, own, recording);
  if (status.ok()) status = ReadThreads(bytes, *chunks, recording);
  if (!status.ok()) return status;
  more->Leave(*histograms);
  memory->Leave(MemoryOf(recording) - std::min(MemoryOf(recording), *histograms));
  return recording;
}

}  // namespace gprofhub::profile
