#include "profile/layouts/recording_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "profile/recording/chunks.h"
#include "profile/recording/format.h"

namespace gprofhub::profile {
namespace {

using base::FieldKind;
using base::TableField;
using base::TableLayout;
using base::TablePart;

// Names of parts; that of a chunk's rows is this and the chunk's kind.
enum Name : uint32_t { kHeader = 1, kHead = 2, kRest = 3, kRows = 16 };

constexpr size_t kWord = 8;

std::vector<TableField> FieldsOf(uint32_t kind) {
  constexpr FieldKind kAddress = FieldKind::kPlace;
  switch (kind) {
    case GPROFHUB_ARCS:
    case GPROFHUB_SAMPLES:
    case GPROFHUB_STACKS:
    case GPROFHUB_BLOCKS:
      return {{8, kAddress}, {8, kAddress}, {8}, {8}};
    case GPROFHUB_IN_USE:
      return {{8, kAddress}, {8}, {8}, {8}};
    case GPROFHUB_SITES:
      return {{4}, {4, FieldKind::kStep}, {4, kAddress}, {4, kAddress}};
    case GPROFHUB_DIRECTORY:
      return {{8, FieldKind::kStep}, {8}, {4}, {4}, {8}};
    case GPROFHUB_THREADS:
      return std::vector<TableField>(sizeof(gprofhub_thread) / kWord, TableField{8});
    default:
      return {{8}};
  }
}

class Describer {
 public:
  explicit Describer(size_t size) : left_(size) {}

  // So many bytes as rows of these fields, as far as they come out even.
  void Add(uint32_t name, size_t bytes, std::vector<TableField> fields, bool is_sparse) {
    size_t size = 0;
    for (const TableField& field : fields) size += field.bytes;
    bytes = std::min(bytes, left_);
    if (bytes >= size) layout_.push_back({bytes / size, std::move(fields), is_sparse, name, 0});
    if (bytes % size != 0) AddBytes(bytes % size);
    left_ -= bytes;
  }
  TableLayout Take() { return std::move(layout_); }

 private:
  void AddBytes(size_t bytes) { layout_.push_back({bytes, {{1}}, true, kRest, 0}); }

  size_t left_;
  TableLayout layout_;
};

}  // namespace

base::TableLayout DescribeRecording(absl::string_view content) {
  const RecordingBytes bytes(content, "");
  const absl::StatusOr<gprofhub_recording> header = ReadHeader(bytes);
  if (!header.ok()) return {};
  absl::StatusOr<std::vector<RecordingChunk>> read = ReadDirectory(bytes, *header);
  if (!read.ok()) return {};
  struct Chunk {
    size_t offset;
    size_t size;
    uint32_t kind;
  };
  std::vector<Chunk> chunks;
  for (const RecordingChunk& chunk : *read) {
    chunks.push_back({chunk.offset, chunk.head.bytes, chunk.head.kind});
  }
  for (const uint64_t directory : header->directory) {
    if (directory == 0) continue;
    const auto head = bytes.At<gprofhub_chunk>(directory);
    chunks.push_back({directory, head.bytes, GPROFHUB_DIRECTORY});
  }
  std::sort(chunks.begin(), chunks.end(),
            [](const Chunk& a, const Chunk& b) { return a.offset < b.offset; });
  Describer describer(content.size());
  size_t at = std::min<size_t>(GPROFHUB_PAGE_BYTES, content.size());
  describer.Add(kHeader, at, {{8}}, true);
  for (const Chunk& chunk : chunks) {
    // A directory may be in itself, and what is damaged may lie in anything.
    if (chunk.offset < at || chunk.size > content.size() - chunk.offset ||
        chunk.size < sizeof(gprofhub_chunk)) {
      continue;
    }
    describer.Add(kRest, chunk.offset - at, {{8}}, true);
    describer.Add(kHead, sizeof(gprofhub_chunk), {{8}}, false);
    describer.Add(kRows + chunk.kind, chunk.size - sizeof(gprofhub_chunk), FieldsOf(chunk.kind),
                  chunk.kind != GPROFHUB_SITES);
    at = chunk.offset + chunk.size;
  }
  describer.Add(kRest, content.size() - at, {{8}}, true);
  return describer.Take();
}

}  // namespace gprofhub::profile
