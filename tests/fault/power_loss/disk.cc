#include "tests/fault/power_loss/disk.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/fault/shim/control.h"

namespace gprofhub::tests {
namespace {

// Unit of atomic writes of a disk.
constexpr size_t kPage = 4096;

bool Draw(std::mt19937& random) { return (random() & 1) != 0; }

}  // namespace

struct Disk::Record {
  fault_record head;
  absl::string_view path;   // relative; empty: the folder itself
  absl::string_view other;  // same as `path`
  absl::string_view data;
};

Contents ReadContents(const std::string& directory) {
  Contents contents;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    const std::string path = std::filesystem::relative(entry.path(), directory);
    if (absl::EndsWith(path, "-shm")) continue;
    if (entry.is_directory()) {
      contents.folders.insert(path);
    } else {
      std::ostringstream bytes;
      bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      contents.files[path] = bytes.str();
    }
  }
  return contents;
}

void WriteContents(const Contents& contents, const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::filesystem::remove_all(entry.path());
  }
  // A set is sorted, so a folder comes before what is in it.
  for (const std::string& folder : contents.folders) {
    std::filesystem::create_directory(absl::StrCat(directory, "/", folder));
  }
  for (const auto& [path, bytes] : contents.files) {
    std::ofstream(absl::StrCat(directory, "/", path), std::ios::binary) << bytes;
  }
}

Disk::Disk(const Contents& contents) {
  NewNode(/*is_folder=*/true);
  const auto add = [&](const std::string& path, int node) {
    const size_t slash = path.rfind('/');
    Node& folder =
        nodes_[static_cast<size_t>(slash == std::string::npos ? 0 : Find(path.substr(0, slash)))];
    folder.names[path.substr(slash + 1)] = node;
    folder.names_now = folder.names;
  };
  for (const std::string& folder : contents.folders) add(folder, NewNode(true));
  for (const auto& [path, bytes] : contents.files) {
    const int node = NewNode(false);
    nodes_[static_cast<size_t>(node)].bytes = bytes;
    add(path, node);
  }
}

int Disk::NewNode(bool is_folder) {
  nodes_.emplace_back();
  nodes_.back().is_folder = is_folder;
  return static_cast<int>(nodes_.size()) - 1;
}

int Disk::Find(absl::string_view path) const {
  int node = 0;
  for (const absl::string_view name : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    const auto& names = nodes_[static_cast<size_t>(node)].names_now;
    const auto found = names.find(std::string(name));
    if (found == names.end()) return -1;
    node = found->second;
  }
  return node;
}

absl::Status Disk::SetName(absl::string_view path, int node) {
  const size_t slash = path.rfind('/');
  const bool at_top = slash == absl::string_view::npos;
  const int folder = at_top ? 0 : Find(path.substr(0, slash));
  if (folder < 0) return absl::InvalidArgumentError(absl::StrCat(path, " is in no folder"));
  const std::string name(at_top ? path : path.substr(slash + 1));
  Node& in = nodes_[static_cast<size_t>(folder)];
  in.unsynced_names.push_back({name, node});
  if (node < 0) {
    in.names_now.erase(name);
  } else {
    in.names_now[name] = node;
  }
  return absl::OkStatus();
}

void Disk::Change(std::string& bytes, const DataChange& change) {
  if (change.truncates) {
    bytes.resize(change.offset);
    return;
  }
  bytes.resize(std::max<size_t>(bytes.size(), change.offset + change.bytes.size()));
  bytes.replace(change.offset, change.bytes.size(), change.bytes);
}

void Disk::Sync(Node& node) {
  for (const DataChange& change : node.unsynced_data) Change(node.bytes, change);
  node.unsynced_data.clear();
  node.names = node.names_now;
  node.unsynced_names.clear();
}

absl::Status Disk::Do(const Record& record) {
  switch (record.head.kind) {
    case FAULT_CREATE:
      return SetName(record.path, NewNode(false));
    case FAULT_MKDIR:
      return record.path.empty() ? absl::OkStatus() : SetName(record.path, NewNode(true));
    case FAULT_SYNC_ALL:
      for (Node& node : nodes_) Sync(node);
      return absl::OkStatus();
    default:
      break;
  }
  const int found = Find(record.path);
  if (found < 0) {
    // A file without a name has no state to keep.
    if (absl::EndsWith(record.path, " (deleted)")) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("there is no ", record.path));
  }
  Node& node = nodes_[static_cast<size_t>(found)];
  switch (record.head.kind) {
    case FAULT_WRITE:
      node.unsynced_data.push_back({record.head.offset, std::string(record.data), false});
      return absl::OkStatus();
    case FAULT_TRUNCATE:
      node.unsynced_data.push_back({record.head.offset, "", true});
      return absl::OkStatus();
    case FAULT_SYNC:
      Sync(node);
      return absl::OkStatus();
    case FAULT_UNLINK:
      return SetName(record.path, -1);
    case FAULT_RENAME: {
      absl::Status status = SetName(record.other, found);
      return status.ok() ? SetName(record.path, -1) : status;
    }
    default:
      return absl::InvalidArgumentError(absl::StrCat("no kind ", record.head.kind));
  }
}

absl::Status Disk::Apply(absl::string_view journal, const std::string& directory) {
  const absl::string_view all = journal;
  while (!journal.empty()) {
    const size_t offset = all.size() - journal.size();
    Record record;
    if (journal.size() < sizeof record.head) {
      return absl::InvalidArgumentError(absl::StrCat("journal, offset ", offset, ": cut"));
    }
    std::memcpy(&record.head, journal.data(), sizeof record.head);
    journal.remove_prefix(sizeof record.head);
    const bool has_data = record.head.kind == FAULT_WRITE;
    const auto take = [&](absl::string_view& part, uint64_t size) {
      if (size > journal.size()) return false;
      part = journal.substr(0, size);
      journal.remove_prefix(size);
      return true;
    };
    if (!take(record.path, record.head.path_size) || !take(record.other, record.head.other_size) ||
        !take(record.data, has_data ? record.head.size : 0)) {
      return absl::InvalidArgumentError(absl::StrCat("journal, offset ", offset, ": cut"));
    }
    for (absl::string_view* path : {&record.path, &record.other}) {
      if (absl::ConsumePrefix(path, directory)) absl::ConsumePrefix(path, "/");
    }
    if (absl::Status status = Do(record); !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("journal, offset ", offset, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

Contents Disk::Now() const {
  Contents contents;
  const std::function<void(const Node&, const std::string&)> visit = [&](const Node& folder,
                                                                         const std::string& at) {
    for (const auto& [name, id] : folder.names_now) {
      const Node& node = nodes_[static_cast<size_t>(id)];
      if (node.is_folder) {
        contents.folders.insert(at + name);
        visit(node, at + name + "/");
      } else {
        std::string bytes = node.bytes;
        for (const DataChange& change : node.unsynced_data) Change(bytes, change);
        contents.files[at + name] = bytes;
      }
    }
  };
  visit(nodes_[0], "");
  return contents;
}

std::string Disk::BytesAfterPowerLoss(const Node& node, std::mt19937& random) const {
  std::string bytes = node.bytes;
  // All, nothing, or some pages: each is likely enough to be drawn often.
  const uint32_t kind = random() % 3;
  if (kind == 0) return bytes;
  for (const DataChange& change : node.unsynced_data) {
    if (kind == 1 || change.truncates) {
      if (kind == 1 || Draw(random)) Change(bytes, change);
      continue;
    }
    for (size_t at = 0; at < change.bytes.size();) {
      const size_t to_page_end = kPage - (change.offset + at) % kPage;
      const size_t size = std::min(to_page_end, change.bytes.size() - at);
      if (Draw(random)) Change(bytes, {change.offset + at, change.bytes.substr(at, size), false});
      at += size;
    }
  }
  return bytes;
}

Contents Disk::AfterPowerLoss(std::mt19937& random) const {
  Contents contents;
  const std::function<void(const Node&, const std::string&)> visit = [&](const Node& folder,
                                                                         const std::string& at) {
    std::map<std::string, int> names = folder.names;
    const size_t kept = random() % (folder.unsynced_names.size() + 1);
    for (size_t i = 0; i < kept; ++i) {
      const NameChange& change = folder.unsynced_names[i];
      if (change.node < 0) {
        names.erase(change.name);
      } else {
        names[change.name] = change.node;
      }
    }
    for (const auto& [name, id] : names) {
      const Node& node = nodes_[static_cast<size_t>(id)];
      if (node.is_folder) {
        contents.folders.insert(at + name);
        visit(node, at + name + "/");
      } else {
        contents.files[at + name] = BytesAfterPowerLoss(node, random);
      }
    }
  };
  visit(nodes_[0], "");
  return contents;
}

}  // namespace gprofhub::tests
