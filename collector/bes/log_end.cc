#include "collector/bes/log_end.h"

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/public_message.h"
#include "store/invocations/invocations.h"

namespace gprofhub::collector {
namespace {

// Limit on a log's size: the whole file is held in memory to verify its hash.
constexpr uint64_t kMostLogBytes = 16 << 20;

bool IsInCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string LogEnd(absl::string_view log) {
  constexpr size_t kMost = store::InvocationTarget::kMostLogBytes;
  if (log.size() <= kMost) return std::string(log);
  // The byte before the range shows whether the range starts a line.
  const absl::string_view tail = log.substr(log.size() - kMost - 1);
  const size_t before = tail.find('\n');
  if (before < tail.size() - 1) return std::string(tail.substr(before + 1));
  size_t begin = 1;
  while (begin < tail.size() && IsInCharacter(tail[begin])) ++begin;
  return std::string(tail.substr(begin));
}

std::string ReadLogEnd(const ReadHandedOver& read, const std::string& project,
                       const std::string& uri) {
  const std::optional<HandedOverFile> file = ParseBytestream(uri);
  if (!file.has_value()) {
    return "(The log is at an address that is none of a remote cache with SHA-256.)";
  }
  if (file->size > kMostLogBytes) {
    return absl::StrCat("(The log has ", file->size, " bytes; at most ", kMostLogBytes,
                        " are looked at.)");
  }
  const absl::StatusOr<std::string> bytes = read(project, *file);
  if (!bytes.ok()) {
    return absl::StrCat("(The log is not here: ", base::PublicMessageOf(bytes.status()), ")");
  }
  return LogEnd(*bytes);
}

}  // namespace gprofhub::collector
