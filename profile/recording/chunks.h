// Finds the chunks of a recording, and checks that they are within the file and have the size that
// they declare, before they are read.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "profile/recording/format.h"

namespace gprofhub::profile {

// The file's bytes with checked access.
class RecordingBytes {
 public:
  RecordingBytes(absl::string_view bytes, absl::string_view file_name)
      : bytes_(bytes), name_(file_name) {}

  uint64_t size() const { return bytes_.size(); }
  bool Holds(uint64_t offset, uint64_t count) const {
    return offset <= bytes_.size() && count <= bytes_.size() - offset;
  }
  absl::string_view Start(uint64_t count) const { return bytes_.substr(0, count); }
  // The caller must have checked with Holds().
  template <typename T>
  T At(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  absl::Status Broken(absl::string_view what, uint64_t offset) const {
    return absl::DataLossError(absl::StrCat(name_, ": ", what, " at offset ", offset,
                                            "; the file is cut or damaged, record again"));
  }
  absl::Status Foreign(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(name_, ": ", what));
  }

 private:
  absl::string_view bytes_;
  absl::string_view name_;
};

// Characters up to a zero, or filling the field.
inline std::string TextOf(const char* characters, size_t size) {
  return std::string(characters, strnlen(characters, size));
}

// The header of a recording of this version. InvalidArgument: not such a recording. DataLoss: cut
// off.
absl::StatusOr<gprofhub_recording> ReadHeader(const RecordingBytes& bytes);

struct RecordingChunk {
  uint64_t offset = 0;
  uint64_t entry = 0;   // offset of its directory entry
  uint32_t number = 0;  // of that entry
  gprofhub_chunk head;
};

// The chunks in the directory, each checked to be within the file and large enough for the records
// or slots that it declares.
absl::StatusOr<std::vector<RecordingChunk>> ReadDirectory(const RecordingBytes& bytes,
                                                          const gprofhub_recording& header);

// DataLoss: a stack is too deep, or has a cycle.
absl::Status CheckStackDepths(const RecordingBytes& bytes,
                              const std::vector<RecordingChunk>& chunks);

// Number of records in a chunk of ReadDirectory; of slots, if it is a table, including `extra` ones
// beyond the capacity.
inline uint64_t RecordsIn(const RecordingChunk& chunk, uint64_t extra) {
  // Not initialised yet when its writer was killed.
  return chunk.head.capacity == 0 ? 0 : chunk.head.capacity + extra;
}

// Upper bound of ReadRecording's memory for them, without histograms. Free slots of tables take
// none.
uint64_t MemoryToRead(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks);

template <typename Record, typename Visit>
absl::Status ForEach(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                     uint32_t kind, uint64_t extra, Visit visit) {
  for (size_t c = 0; c < chunks.size(); ++c) {
    if (chunks[c].head.kind != kind) continue;
    const uint64_t count = RecordsIn(chunks[c], extra);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = chunks[c].offset + sizeof(gprofhub_chunk) + i * sizeof(Record);
      absl::Status status = visit(bytes.At<Record>(at), c, i, at);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

template <typename Visit>
absl::Status ForEachSlot(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                         uint32_t kind, Visit visit) {
  return ForEach<gprofhub_slot>(
      bytes, chunks, kind, GPROFHUB_PROBE_SLOTS,
      [&](const gprofhub_slot& slot, size_t chunk, uint64_t index, uint64_t at) {
        if (slot.key == 0) return absl::OkStatus();
        return visit(slot, chunk, index, at);
      });
}

}  // namespace gprofhub::profile
