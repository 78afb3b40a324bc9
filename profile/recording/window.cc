// A window is the file with the counts of the mark before subtracted. All other data stay: a reader
// of recordings reads a window like any other.
#include "profile/recording/window.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "profile/format/recording.h"
#include "profile/recording/chunks.h"

namespace gprofhub::profile {

namespace {

// Position of a chunk's words of one mark; if absent, they are 0.
class MarkedWords {
 public:
  MarkedWords() = default;
  MarkedWords(const RecordingBytes* bytes, uint64_t offset, uint64_t count)
      : bytes_(bytes), offset_(offset), count_(count) {}
  uint64_t At(uint64_t index) const {
    return index < count_ ? bytes_->At<uint64_t>(offset_ + index * sizeof(uint64_t)) : 0;
  }

 private:
  const RecordingBytes* bytes_ = nullptr;
  uint64_t offset_ = 0;
  uint64_t count_ = 0;
};

class Cutter {
 public:
  Cutter(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
         const RecordingWindow& window, std::string& out)
      : bytes_(bytes), chunks_(chunks), window_(window), out_(out) {
    for (const RecordingChunk& chunk : chunks_) {
      by_number_[chunk.number] = &chunk;
      if (chunk.head.kind == GPROFHUB_EXCLUDED && chunk.head.capacity != 0) {
        excluded_[{chunk.head.set, chunk.head.thread}] = &chunk;
      }
      if (chunk.head.kind == GPROFHUB_SITES) AddAddressWords(chunk);
    }
  }

  absl::Status Cut() {
    for (const RecordingChunk& chunk : chunks_) {
      absl::Status status = absl::OkStatus();
      switch (chunk.head.kind) {
        case GPROFHUB_ARCS:
        case GPROFHUB_SAMPLES:
        case GPROFHUB_BLOCKS:
        case GPROFHUB_STACKS:
          status = CutTable(chunk);
          break;
        case GPROFHUB_COUNTERS:
          status = CutCounters(chunk);
          break;
        case GPROFHUB_THREADS:
          status = CutThreads(chunk);
          break;
        default:
          break;
      }
      if (!status.ok()) return status;
    }
    // Values that are included in the counts are removed, and values that are not sums have no
    // difference: memory in use, and the order of the process's first calls.
    for (const RecordingChunk& chunk : chunks_) {
      const uint32_t kind = chunk.head.kind;
      if (kind == GPROFHUB_MARKED || kind == GPROFHUB_EXCLUDED || kind == GPROFHUB_IN_USE ||
          kind == GPROFHUB_FIRST_CALLS) {
        Remove(chunk);
      }
    }
    return absl::OkStatus();
  }

 private:
  template <typename T>
  void Put(uint64_t offset, const T& value) {
    std::memcpy(&out_[offset], &value, sizeof value);
  }

  void Remove(const RecordingChunk& chunk) {
    std::fill_n(out_.begin() + static_cast<ptrdiff_t>(chunk.offset), chunk.head.bytes, '\0');
    Put(chunk.entry + offsetof(gprofhub_directory_entry, kind), uint32_t{0});
  }

  // The words of a set that are addresses, not counts.
  void AddAddressWords(const RecordingChunk& sites) {
    for (uint64_t i = 0; i < RecordsIn(sites, 0); ++i) {
      const auto site = bytes_.At<gprofhub_site>(sites.offset + sizeof(gprofhub_chunk) +
                                                 i * sizeof(gprofhub_site));
      if (site.kind != GPROFHUB_SITE_INDIRECT && site.kind != GPROFHUB_SITE_TAIL) continue;
      for (uint64_t pair = 0; pair < GPROFHUB_SITE_CALLEES; ++pair) {
        address_words_.insert({sites.head.set, uint64_t{site.counter} + 2 * pair});
      }
    }
  }

  // The chunk's `count` words of the mark; 0 if absent.
  absl::StatusOr<MarkedWords> WordsOf(const RecordingChunk& chunk, uint64_t mark,
                                      uint64_t count) const {
    if (mark == 0 || chunk.head.marks == 0) return MarkedWords();
    const auto found = by_number_.find(chunk.head.marks - 1);
    if (found == by_number_.end() || found->second->head.kind != GPROFHUB_MARKED) {
      return bytes_.Broken("a chunk without its marks", chunk.offset);
    }
    const gprofhub_chunk& head = found->second->head;
    // Just created when its writer was killed.
    if (head.capacity == 0) return MarkedWords();
    const uint64_t room = head.bytes - sizeof(gprofhub_chunk);
    if (head.words != sizeof(gprofhub_chunk) || head.capacity != count ||
        head.capacity > room / sizeof(uint64_t) / GPROFHUB_MARKS) {
      return bytes_.Broken("marks that do not match their chunk", found->second->offset);
    }
    const uint64_t place = (mark - 1) % GPROFHUB_MARKS;
    return MarkedWords(
        &bytes_, found->second->offset + head.words + place * count * sizeof(uint64_t), count);
  }

  // Calls set(index, word of the window) for each of the chunk's `count` words, whose present value
  // is now(index). A word that was greater at a mark than later is an error, unless `forgives` it.
  template <typename Now, typename Set>
  absl::Status CutWords(const RecordingChunk& chunk, uint64_t count, bool forgives, Now now,
                        Set set) {
    ASSIGN_OR_RETURN(MarkedWords since, WordsOf(chunk, window_.since, count));
    ASSIGN_OR_RETURN(MarkedWords until, WordsOf(chunk, window_.until, count));
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t before = since.At(i);
      const uint64_t after = window_.until == 0 ? now(i) : until.At(i);
      if (after < before && !forgives && !IsCallee(chunk, i)) {
        return bytes_.Broken("a count that decreases after a mark", chunk.offset);
      }
      set(i, after < before ? 0 : after - before);
    }
    return absl::OkStatus();
  }

  absl::Status CutTable(const RecordingChunk& chunk) {
    const auto slot_at = [&](uint64_t index) {
      return chunk.offset + sizeof(gprofhub_chunk) + index * sizeof(gprofhub_slot);
    };
    return CutWords(
        chunk, RecordsIn(chunk, GPROFHUB_PROBE_SLOTS), /*forgives=*/false,
        [&](uint64_t i) { return bytes_.At<gprofhub_slot>(slot_at(i)).count; },
        [&](uint64_t i, uint64_t count) {
          gprofhub_slot slot = bytes_.At<gprofhub_slot>(slot_at(i));
          slot.count = count;
          // A frame without samples of its own may be the caller of others.
          if (count == 0 && chunk.head.kind != GPROFHUB_STACKS) slot = {};
          Put(slot_at(i), slot);
        });
  }

  absl::Status CutThreads(const RecordingChunk& chunk) {
    const auto record_at = [&](uint64_t word) {
      return chunk.offset + sizeof(gprofhub_chunk) +
             word / GPROFHUB_THREAD_WORDS * sizeof(gprofhub_thread);
    };
    const auto field_at = [&](uint64_t word) {
      constexpr uint64_t kFields[GPROFHUB_THREAD_WORDS] = {offsetof(gprofhub_thread, signals),
                                                           offsetof(gprofhub_thread, weight),
                                                           offsetof(gprofhub_thread, cpu_ns_last)};
      return record_at(word) + kFields[word % GPROFHUB_THREAD_WORDS];
    };
    // A sampled thread is not stopped while a mark is made.
    return CutWords(
        chunk, RecordsIn(chunk, 0) * GPROFHUB_THREAD_WORDS, /*forgives=*/true,
        [&](uint64_t i) { return bytes_.At<uint64_t>(field_at(i)); },
        [&](uint64_t i, uint64_t value) { Put(field_at(i), value); });
  }

  bool IsCallee(const RecordingChunk& chunk, uint64_t word) const {
    return chunk.head.kind == GPROFHUB_COUNTERS && address_words_.contains({chunk.head.set, word});
  }

  bool HoldsWords(const RecordingChunk& chunk) const {
    return chunk.head.words >= sizeof(gprofhub_chunk) && chunk.head.words <= chunk.head.bytes &&
           chunk.head.capacity <= (chunk.head.bytes - chunk.head.words) / sizeof(uint64_t);
  }

  absl::Status CutCounters(const RecordingChunk& chunk) {
    const auto found = excluded_.find({chunk.head.set, chunk.head.thread});
    const RecordingChunk* excluded = found == excluded_.end() ? nullptr : found->second;
    if (!HoldsWords(chunk) ||
        (excluded != nullptr &&
         (!HoldsWords(*excluded) || excluded->head.capacity != chunk.head.capacity))) {
      return bytes_.Broken("a chunk that declares more counters than it contains", chunk.offset);
    }
    const auto word_of = [&](const RecordingChunk& of, uint64_t index) {
      return bytes_.At<uint64_t>(of.offset + of.head.words + index * sizeof(uint64_t));
    };
    return CutWords(
        chunk, chunk.head.capacity, /*forgives=*/false,
        [&](uint64_t i) {
          const uint64_t counted = word_of(chunk, i);
          if (excluded == nullptr) return counted;
          return (excluded->head.used != 0 ? 0 : counted) - word_of(*excluded, i);
        },
        [&](uint64_t i, uint64_t value) {
          if (IsCallee(chunk, i)) return;
          Put(chunk.offset + chunk.head.words + i * sizeof(uint64_t), value);
        });
  }

  const RecordingBytes& bytes_;
  const std::vector<RecordingChunk>& chunks_;
  const RecordingWindow& window_;
  std::string& out_;
  absl::flat_hash_map<uint32_t, const RecordingChunk*> by_number_;
  // By set and thread.
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, const RecordingChunk*> excluded_;
  absl::flat_hash_set<std::pair<uint32_t, uint64_t>> address_words_;  // by set
};

const gprofhub_mark* FindMark(const gprofhub_recording& header, uint64_t number) {
  const gprofhub_mark& mark = header.marks[(number - 1) % GPROFHUB_MARKS];
  return mark.number == number ? &mark : nullptr;
}

absl::Status NoSuchMark(absl::string_view name, uint64_t number) {
  return absl::NotFoundError(
      absl::StrCat(name, ": no mark ", number, "; the last ", GPROFHUB_MARKS,
                   " marks of a recording are kept; `gprofhub info` lists them"));
}

// The header of the window of `header` between two marks; either may be null.
gprofhub_recording WindowHeader(const gprofhub_recording& header, const gprofhub_mark* since,
                                const gprofhub_mark* until, absl::Time end) {
  constexpr uint64_t kSecond = 1000000000;
  gprofhub_recording window = header;
  std::fill(std::begin(window.marks), std::end(window.marks), gprofhub_mark{});
  window.marks_taken = 0;
  window.in_use = window.most_in_use = window.peaks = 0;
  const uint64_t from = since != nullptr ? since->ns : header.start_seconds * kSecond;
  const uint64_t to = until != nullptr ? until->ns : static_cast<uint64_t>(absl::ToUnixNanos(end));
  window.start_seconds = from / kSecond;
  window.window_ns = std::max<uint64_t>(to > from ? to - from : 0, 1);
  // Of the whole process.
  window.user_ns = window.system_ns = 0;
  if (until != nullptr) window.state = GPROFHUB_RUNNING;
  for (int i = 0; i < GPROFHUB_LOSSES; ++i) {
    const uint64_t before = since != nullptr ? since->losses[i] : 0;
    const uint64_t after = until != nullptr ? until->losses[i] : header.losses[i];
    window.losses[i] = after > before ? after - before : 0;
  }
  return window;
}

}  // namespace

absl::StatusOr<std::string> CutWindow(absl::string_view bytes, absl::string_view file_name,
                                      const RecordingWindow& window, absl::Time end) {
  const RecordingBytes checked(bytes, file_name);
  ASSIGN_OR_RETURN(const gprofhub_recording header, ReadHeader(checked));
  if (window.until != 0 && window.until <= window.since) {
    return absl::InvalidArgumentError(
        absl::StrCat("mark ", window.until, " is not after mark ", window.since));
  }
  const gprofhub_mark* since = nullptr;
  const gprofhub_mark* until = nullptr;
  if (window.since != 0 && (since = FindMark(header, window.since)) == nullptr) {
    return NoSuchMark(file_name, window.since);
  }
  if (window.until != 0 && (until = FindMark(header, window.until)) == nullptr) {
    return NoSuchMark(file_name, window.until);
  }
  ASSIGN_OR_RETURN(const std::vector<RecordingChunk> chunks, ReadDirectory(checked, header));
  std::string out(bytes);
  const gprofhub_recording of_window = WindowHeader(header, since, until, end);
  std::memcpy(&out[0], &of_window, sizeof of_window);
  RETURN_IF_ERROR(Cutter(checked, chunks, window, out).Cut());
  return out;
}

}  // namespace gprofhub::profile
