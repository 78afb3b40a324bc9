#include "store/testing/memory_objects.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

// Few, so that lists of a test have several pages.
constexpr size_t kMostListed = 3;

}  // namespace

absl::Status MemoryObjects::Put(absl::string_view key, absl::string_view bytes) {
  if (absl::Status status = before("put", key); !status.ok()) return status;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [at, is_new] = objects_.emplace(key, Object{std::string(bytes), now});
    if (!is_new && at->second.bytes != bytes) {
      return absl::AlreadyExistsError(absl::StrCat("object ", key, " differs"));
    }
  }
  return after("put", key);
}

absl::StatusOr<std::string> MemoryObjects::Read(absl::string_view key, uint64_t offset,
                                                uint64_t length) {
  if (absl::Status status = before("read", key); !status.ok()) return status;
  std::string bytes;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = objects_.find(std::string(key));
    if (at == objects_.end()) return absl::NotFoundError("there is none");
    const std::string& all = at->second.bytes;
    if (offset > all.size() || length > all.size() - offset) return absl::OutOfRangeError("short");
    bytes = all.substr(offset, length);
  }
  if (absl::Status status = after("read", key); !status.ok()) return status;
  return bytes;
}

absl::Status MemoryObjects::Delete(absl::string_view key) {
  if (absl::Status status = before("delete", key); !status.ok()) return status;
  Lose(std::string(key));
  return after("delete", key);
}

absl::StatusOr<ObjectPage> MemoryObjects::List(absl::string_view prefix, absl::string_view last) {
  if (absl::Status status = before("list", prefix); !status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  ObjectPage page;
  for (const auto& [key, object] : objects_) {
    if (key <= last || !absl::StartsWith(key, prefix)) continue;
    if (page.objects.size() == kMostListed) {
      page.is_last = false;
      break;
    }
    page.objects.push_back({key, object.bytes.size(), object.changed});
  }
  return page;
}

std::vector<std::string> MemoryObjects::Keys(absl::string_view prefix) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, object] : objects_) {
    if (absl::StartsWith(key, prefix)) keys.push_back(key);
  }
  return keys;
}

std::string MemoryObjects::BytesOf(const std::string& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return objects_.at(key).bytes;
}

void MemoryObjects::Change(const std::string& key, const std::string& bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  objects_.at(key).bytes = bytes;
}

void MemoryObjects::Lose(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  objects_.erase(key);
}

}  // namespace gprofhub::store
