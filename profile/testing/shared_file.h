// Builds files that the processes of a test share (profile/format/recording.h), for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "profile/format/recording.h"

namespace gprofhub::profile {

template <typename T>
T LoadFrom(const std::string& file, uint64_t offset) {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

template <typename T>
void StoreIn(std::string& file, uint64_t offset, const T& value) {
  std::memcpy(file.data() + offset, &value, sizeof value);
}

// A shared file to which processes are added as the runtime does it.
class SharedFile {
 public:
  SharedFile() : bytes_(GPROFHUB_PAGE_BYTES, '\0') {
    gprofhub_shared first = {};
    std::memcpy(first.magic, GPROFHUB_RECORDING_MAGIC, sizeof first.magic);
    first.version = GPROFHUB_SHARED_VERSION;
    first.byte_order = GPROFHUB_BYTE_ORDER;
    StoreIn(bytes_, 0, first);
  }

  // `own` is the process's own file. Returns the offset of its header.
  uint64_t Add(const std::string& own, uint32_t pid, const std::string& case_folder = "") {
    const uint64_t at = bytes_.size();
    bytes_ += own;
    auto header = LoadFrom<gprofhub_recording>(bytes_, at);
    header.pid = pid;
    std::strcpy(header.case_folder, case_folder.c_str());
    auto first = LoadFrom<gprofhub_shared>(bytes_, 0);
    header.older = first.newest;
    first.newest = at;
    StoreIn(bytes_, 0, first);
    for (uint64_t& directory : header.directory) {
      if (directory == 0) continue;
      directory += at;
      for (uint32_t i = 0; i < GPROFHUB_DIRECTORY_ENTRIES; ++i) {
        const uint64_t place =
            directory + sizeof(gprofhub_chunk) + i * sizeof(gprofhub_directory_entry);
        auto entry = LoadFrom<gprofhub_directory_entry>(bytes_, place);
        entry.offset += entry.kind == 0 ? 0 : at;
        StoreIn(bytes_, place, entry);
      }
    }
    StoreIn(bytes_, at, header);
    return at;
  }

  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace gprofhub::profile
