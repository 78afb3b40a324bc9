// LRU cache of immutable values, keyed by name (such as a content hash), bounded in bytes.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace gprofhub::base {

// Releases large arrays that are no longer needed, in whole or in part.

// Frees the elements' memory, which clear() would keep allocated.
template <typename T>
void FreeMemoryOf(std::vector<T>& elements) {
  elements = std::vector<T>();
}

// Returns an array's memory to the system while it is read for the last time; released pages read
// as zeros. Only memory that the caller owns may be passed: elements of a vector, or the characters
// of a string.
class ConsumedMemory {
 public:
  // For an array, or a part of one, that begins at `data`.
  explicit ConsumedMemory(const void* data) : released_(RoundUp(data)) {}

  // The elements before `end` have been read. Releases their pages in large batches, except pages
  // shared with other data.
  void ReadUpTo(const void* end) {
    constexpr uintptr_t kWorthACall = uintptr_t{1} << 18;
    const uintptr_t whole_pages = reinterpret_cast<uintptr_t>(end) / page_ * page_;
    if (whole_pages < released_ + kWorthACall) return;
    madvise(reinterpret_cast<void*>(released_), whole_pages - released_, MADV_DONTNEED);
    released_ = whole_pages;
  }

 private:
  uintptr_t RoundUp(const void* data) const {
    return (reinterpret_cast<uintptr_t>(data) + page_ - 1) / page_ * page_;
  }

  const uintptr_t page_ = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t released_;  // end of the released part
};

// Thread-safe.
template <typename Value>
class LruCache {
 public:
  using Kept = std::shared_ptr<const Value>;

  // `most_bytes` is the limit of all cached values together. `size_of` returns the approximate size
  // of a value.
  LruCache(uint64_t most_bytes, std::function<uint64_t(const Value&)> size_of)
      : most_bytes_(most_bytes), size_of_(std::move(size_of)) {}

  // Returns the cached value of this name, or calls `make`. Concurrent callers with the same name
  // wait for one call of `make`. Its errors are returned and not cached.
  absl::StatusOr<Kept> Get(const std::string& name, absl::FunctionRef<absl::StatusOr<Value>()> make)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    {
      absl::MutexLock lock(&mutex_);
      const auto is_ready = [this, &name]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return !being_made_.contains(name);
      };
      mutex_.Await(absl::Condition(&is_ready));
      if (const auto found = places_.find(name); found != places_.end()) {
        newest_first_.splice(newest_first_.begin(), newest_first_, found->second);
        return found->second->value;
      }
      being_made_.insert(name);
    }
    absl::StatusOr<Value> made = make();
    absl::MutexLock lock(&mutex_);
    being_made_.erase(name);
    if (!made.ok()) return made.status();
    auto value = std::make_shared<const Value>(*std::move(made));
    Keep(name, value);
    return value;
  }

 private:
  struct Entry {
    std::string name;
    Kept value;
    uint64_t bytes;
  };

  void Keep(const std::string& name, const Kept& value) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const uint64_t bytes = size_of_(*value);
    if (bytes > most_bytes_) return;
    newest_first_.push_front({name, value, bytes});
    places_[name] = newest_first_.begin();
    kept_bytes_ += bytes;
    while (kept_bytes_ > most_bytes_) {
      kept_bytes_ -= newest_first_.back().bytes;
      places_.erase(newest_first_.back().name);
      newest_first_.pop_back();
    }
  }

  const uint64_t most_bytes_;
  const std::function<uint64_t(const Value&)> size_of_;
  absl::Mutex mutex_;
  absl::flat_hash_set<std::string> being_made_ ABSL_GUARDED_BY(mutex_);
  std::list<Entry> newest_first_ ABSL_GUARDED_BY(mutex_);
  std::unordered_map<std::string, typename std::list<Entry>::iterator> places_
      ABSL_GUARDED_BY(mutex_);
  uint64_t kept_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace gprofhub::base
