#include "tests/fault/system_calls.h"

#include <cctype>
#include <map>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gprofhub::tests {
namespace {

// The bytes of "\x2f\x74…" from `at` on, up to the first character that is not of it.
std::string Bytes(absl::string_view text, size_t at) {
  size_t end = at;
  while (end + 4 <= text.size() && text.substr(end, 2) == "\\x") end += 4;
  std::string hex;
  for (size_t i = at; i < end; i += 4) absl::StrAppend(&hex, text.substr(i + 2, 2));
  return absl::HexStringToBytes(hex);
}

// The strings that follow `before` in a call.
std::vector<std::string> StringsAfter(absl::string_view call, absl::string_view before) {
  std::vector<std::string> found;
  for (size_t at = call.find(before); at != absl::string_view::npos;
       at = call.find(before, at + before.size())) {
    found.push_back(Bytes(call, at + before.size()));
  }
  return found;
}

bool HasDataFrame(const std::string& bytes) {
  size_t at = 0;
  while (at + 9 <= bytes.size()) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
    if (byte(3) == 0) return true;
    at += 9 + (size_t{byte(0)} << 16 | size_t{byte(1)} << 8 | byte(2));
  }
  return false;
}

// One file or folder.
struct Path {
  int changes = 0;  // that have ended
  int under_way = 0;
  int synced = 0;  // so many of the changes
};

class Follower {
 public:
  explicit Follower(std::string directory) : directory_(std::move(directory)) {}

  // True: the first answer leaves.
  bool Start(const std::string& thread, absl::string_view call) {
    if (absl::StartsWith(call, "sendmsg(")) {
      std::string all;
      for (const std::string& part : StringsAfter(call, "iov_base=\"")) all += part;
      return HasDataFrame(all);
    }
    Call now = Understand(call);
    for (const std::string& path : now.changed) ++paths_[path].under_way;
    if (!now.synced.empty()) now.seen = paths_[now.synced].changes;
    under_way_[thread] = std::move(now);
    return false;
  }

  void End(const std::string& thread, bool good) {
    const Call call = std::move(under_way_[thread]);
    under_way_.erase(thread);
    for (const std::string& path : call.changed) {
      --paths_[path].under_way;
      ++paths_[path].changes;
      ++(call.renames ? about_.renames : about_.writes);
    }
    if (!call.synced.empty() && good) {
      paths_[call.synced].synced = call.seen;
      ++about_.syncs;
    }
  }

  Acknowledgement Take() {
    for (const auto& [path, state] : paths_) {
      if (state.under_way > 0 || state.synced < state.changes) about_.unsynced.insert(path);
    }
    return about_;
  }

 private:
  struct Call {
    std::set<std::string> changed;
    bool renames = false;
    std::string synced;
    int seen = 0;  // changes before the sync began
  };

  bool Counts(const std::string& path) const {
    return absl::StartsWith(path, directory_) && !absl::EndsWith(path, "-shm") &&
           !absl::StrContains(path, "/incoming");
  }

  Call Understand(absl::string_view call) const {
    Call result;
    const absl::string_view name = call.substr(0, call.find('('));
    const auto change = [&](const std::string& path) {
      if (Counts(path)) result.changed.insert(path);
    };
    const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
    if (name == "rename" || name == "mkdir") {
      const std::vector<std::string> names = StringsAfter(call, "\"");
      // The closing and opening quotes are between two strings.
      for (const std::string& path : names) {
        if (!path.empty() && path != names[0]) change(folder_of(path));
      }
      if (name == "mkdir" && !names.empty()) change(folder_of(names[0]));
      result.renames = name == "rename";
      return result;
    }
    const std::vector<std::string> files = StringsAfter(call, "<");
    if (files.empty()) return result;
    if (name == "fsync" || name == "fdatasync") {
      result.synced = files[0];
    } else {
      change(files[0]);
    }
    return result;
  }

  const std::string directory_;
  std::map<std::string, Path> paths_;
  std::map<std::string, Call> under_way_;  // by thread
  Acknowledgement about_;
};

}  // namespace

std::vector<std::string> StraceCommand(const std::string& log) {
  return {"strace",
          "-D",
          "-f",
          "-y",
          "-xx",
          "-s",
          "100000",
          "-o",
          log,
          "-e",
          "trace=write,writev,pwrite64,pwritev,ftruncate,fsync,fdatasync,rename,mkdir,sendmsg"};
}

absl::StatusOr<Acknowledgement> FirstAcknowledgement(absl::string_view log,
                                                     const std::string& directory) {
  Follower follower(directory);
  int number = 0;
  for (absl::string_view line : absl::StrSplit(log, '\n', absl::SkipEmpty())) {
    ++number;
    const size_t space = line.find(' ');
    const std::string thread(line.substr(0, space));
    if (space == absl::string_view::npos || !std::isdigit(static_cast<unsigned char>(line[0]))) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, " is not strace's"));
    }
    const absl::string_view call = absl::StripLeadingAsciiWhitespace(line.substr(space));
    if (absl::StartsWith(call, "+++") || absl::StartsWith(call, "---")) continue;
    const bool good = !absl::StrContains(call, ") = -1 ");
    if (absl::StartsWith(call, "<... ")) {
      follower.End(thread, good);
      continue;
    }
    if (follower.Start(thread, call)) return follower.Take();
    if (!absl::EndsWith(call, "<unfinished ...>")) follower.End(thread, good);
  }
  return absl::NotFoundError("no answer was sent");
}

}  // namespace gprofhub::tests
