#include "profile/recording/shared.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "profile/recording/chunks.h"

namespace gprofhub::profile {

namespace {

bool IsProcess(const gprofhub_recording& header) {
  return std::memcmp(header.magic, GPROFHUB_RECORDING_MAGIC, sizeof header.magic) == 0;
}

template <typename T>
void Store(const T& value, uint64_t offset, std::string& file) {
  std::memcpy(file.data() + offset, &value, sizeof value);
}

// Appends [offset, offset + size) of the shared file; returns its new place.
uint64_t Append(absl::string_view bytes, uint64_t offset, uint64_t size, std::string& file) {
  const uint64_t at = file.size();
  file.append(bytes.data() + offset, size);
  return at;
}

// The last component of an untrusted path, if it can be a part of a file's name.
std::string NamePart(absl::string_view path) {
  std::string name(path.substr(path.rfind('/') + 1));
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '\\';
  });
  return is_plain && !name.empty() && name != "." && name != ".." ? name : "process";
}

std::string FolderOf(const gprofhub_recording& header, absl::string_view file) {
  std::string folder(file.substr(0, file.rfind('/') + 1));
  const std::string part = TextOf(header.case_folder, sizeof header.case_folder);
  if (!part.empty()) absl::StrAppend(&folder, "gprofhub.cases/", NamePart(part), "/");
  return folder;
}

std::string UniqueName(const gprofhub_recording& header, absl::string_view file,
                       std::set<std::string>& taken) {
  const std::string program = NamePart(TextOf(header.program, sizeof header.program));
  const std::string stem = absl::StrCat(FolderOf(header, file), program, ".", header.pid);
  std::string name = stem;
  for (int i = 1; !taken.insert(name).second; ++i) name = absl::StrCat(stem, ".", i);
  return absl::StrCat(name, ".gprofhub");
}

}  // namespace

bool IsSharedRecording(absl::string_view bytes) {
  gprofhub_shared first;
  if (bytes.size() < sizeof first) return false;
  std::memcpy(&first, bytes.data(), sizeof first);
  return std::memcmp(first.magic, GPROFHUB_RECORDING_MAGIC, sizeof first.magic) == 0 &&
         first.version == GPROFHUB_SHARED_VERSION && first.byte_order == GPROFHUB_BYTE_ORDER;
}

absl::StatusOr<std::vector<uint64_t>> ProcessesIn(absl::string_view data, absl::string_view name) {
  const RecordingBytes bytes(data, name);
  std::vector<uint64_t> processes;
  // Headers do not overlap.
  const uint64_t most = data.size() / sizeof(gprofhub_recording);
  uint64_t visited = 0;
  for (uint64_t at = bytes.At<gprofhub_shared>(0).newest; at != 0;) {
    if (!bytes.Holds(at, sizeof(gprofhub_recording)) || ++visited > most) {
      return bytes.Broken("a list of processes that leads outside the file or back to itself", at);
    }
    const auto header = bytes.At<gprofhub_recording>(at);
    if (IsProcess(header)) processes.push_back(at);
    at = header.older;
  }
  return processes;
}

absl::StatusOr<std::string> RecordingAt(absl::string_view data, absl::string_view name,
                                        uint64_t offset) {
  if (offset == 0) return std::string(data);
  const RecordingBytes bytes(data, name);
  if (!bytes.Holds(offset, sizeof(gprofhub_recording))) {
    return bytes.Broken("a process outside the file", offset);
  }
  auto header = bytes.At<gprofhub_recording>(offset);
  ASSIGN_OR_RETURN(const std::vector<RecordingChunk> chunks, ReadDirectory(bytes, header));
  std::string file(GPROFHUB_PAGE_BYTES, '\0');
  const uint64_t directory_bytes =
      sizeof(gprofhub_chunk) + GPROFHUB_DIRECTORY_ENTRIES * sizeof(gprofhub_directory_entry);
  for (uint64_t& directory : header.directory) {
    if (directory == 0) continue;
    directory = Append(data, directory, directory_bytes, file);
    // Entries that are not published yet may be by the time they are copied.
    for (uint32_t i = 0; i < GPROFHUB_DIRECTORY_ENTRIES; ++i) {
      const uint64_t entry =
          directory + sizeof(gprofhub_chunk) + i * sizeof(gprofhub_directory_entry);
      Store(gprofhub_directory_entry{}, entry, file);
    }
  }
  for (const RecordingChunk& chunk : chunks) {
    auto entry = bytes.At<gprofhub_directory_entry>(chunk.entry);
    entry.offset = Append(data, entry.offset, entry.bytes, file);
    Store(entry,
          header.directory[chunk.number / GPROFHUB_DIRECTORY_ENTRIES] + sizeof(gprofhub_chunk) +
              chunk.number % GPROFHUB_DIRECTORY_ENTRIES * sizeof(gprofhub_directory_entry),
          file);
  }
  header.end = file.size();
  header.older = 0;
  Store(header, 0, file);
  return file;
}

absl::Status VisitRecordings(absl::string_view bytes, absl::string_view name, VisitProcess visit) {
  if (!IsSharedRecording(bytes)) return visit(std::string(name), bytes);
  ASSIGN_OR_RETURN(std::vector<uint64_t> processes, ProcessesIn(bytes, name));
  std::reverse(processes.begin(), processes.end());
  std::set<std::string> taken;
  uint64_t total = 0;
  for (const uint64_t at : processes) {
    const auto header = RecordingBytes(bytes, name).At<gprofhub_recording>(at);
    const std::string own = UniqueName(header, name, taken);
    const absl::StatusOr<std::string> recording = RecordingAt(bytes, own, at);
    if (!recording.ok()) {
      RETURN_IF_ERROR(visit(own, recording.status()));
      continue;
    }
    total += recording->size();
    if (total > bytes.size()) {
      return RecordingBytes(bytes, name).Broken("processes that overlap", at);
    }
    RETURN_IF_ERROR(visit(own, absl::string_view(*recording)));
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
