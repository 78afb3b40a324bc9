// A model of a disk that loses power.
//
// A disk promises little. Written bytes survive a power loss if the file was synced after the
// write. A new name, a rename or a removal survives if the folder was synced after it. All other
// operations may survive, wholly, in part, or not at all, and pages of one file in any order. Names
// of one folder are kept in the order of their changes, as journalling file systems do.
//
// The model takes the journal of the fault shim. It draws one of the states that the promise
// allows. A program that survives all of them survives a power loss on every file system that
// keeps the promise.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::tests {

// Files and folders below a folder, by their paths relative to it.
struct Contents {
  std::set<std::string> folders;
  std::map<std::string, std::string> files;  // with their bytes

  bool operator==(const Contents&) const = default;
};

// All files below a folder, except for SQLite's shared memory (`*-shm`).
Contents ReadContents(const std::string& directory);
// Makes the folder hold just this.
void WriteContents(const Contents& contents, const std::string& directory);

class Disk {
 public:
  // All of `contents` is safe.
  explicit Disk(const Contents& contents);

  // Applies the journal. Paths are below `directory`. INVALID_ARGUMENT names the offset of a record
  // that is truncated or does not fit the state.
  absl::Status Apply(absl::string_view journal, const std::string& directory);

  // The state as programs see it.
  Contents Now() const;
  // A possible state after a power loss now.
  Contents AfterPowerLoss(std::mt19937& random) const;

 private:
  // Bytes at an offset, or a new size.
  struct DataChange {
    uint64_t offset = 0;
    std::string bytes;
    bool truncates = false;
  };
  // The name means the node now; -1: nothing.
  struct NameChange {
    std::string name;
    int node = -1;
  };
  struct Node {
    bool is_folder = false;
    std::string bytes;  // on the disk
    std::vector<DataChange> unsynced_data;
    std::map<std::string, int> names;  // on the disk
    std::map<std::string, int> names_now;
    std::vector<NameChange> unsynced_names;
  };
  struct Record;

  static void Change(std::string& bytes, const DataChange& change);
  int NewNode(bool is_folder);
  // -1: not found.
  int Find(absl::string_view path) const;
  absl::Status SetName(absl::string_view path, int node);
  absl::Status Do(const Record& record);
  void Sync(Node& node);
  std::string BytesAfterPowerLoss(const Node& node, std::mt19937& random) const;

  std::vector<Node> nodes_;  // the first is the folder itself
};

}  // namespace gprofhub::tests
