// Counts refused calls for the audit log. Their number does not matter: the audit log gets a few
// rows a minute, and so does the text log.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "collector/access/caller.h"
#include "store/audit_log.h"

namespace gprofhub::collector {

// Thread-safe. Counts of the last minute are written with the next refusal, or at the end.
class Refusals {
 public:
  // Kinds of refusals counted separately within a minute; further kinds are counted together.
  static constexpr size_t kMostKinds = 30;
  static constexpr absl::Duration kInterval = absl::Minutes(1);

  Refusals(store::AuditLog log, std::function<absl::Time()> now);
  ~Refusals();
  Refusals(const Refusals&) = delete;
  Refusals& operator=(const Refusals&) = delete;

  // `who` is empty for an unknown caller.
  void Note(const CallOrigin& call, const store::Actor& who, const absl::Status& why);

 private:
  // Method, code and principal.
  using Kind = std::tuple<std::string, absl::StatusCode, std::string>;
  struct Count {
    uint64_t calls = 0;
    std::string last_peer;
    std::string last_message;
  };

  std::map<Kind, Count> Take(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Write(const std::map<Kind, Count>& counts, absl::Time now) const;

  const store::AuditLog log_;
  const std::function<absl::Time()> now_;
  absl::Mutex mutex_;
  std::map<Kind, Count> counts_ ABSL_GUARDED_BY(mutex_);
  absl::Time written_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace gprofhub::collector
