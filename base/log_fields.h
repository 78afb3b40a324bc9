// Structured fields of log lines, such as the id of a request.
//
// Code that starts a piece of work sets the fields for its scope. Every line that this thread logs
// within the scope has them, including lines from code that is unaware of requests. The log
// formatter reads the fields.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace gprofhub::base {

// Rate limit for log lines of one kind: a burst, then a few lines per second. It keeps clients that
// can cause such lines from filling the disk.

// A token bucket. Thread-safe.
class LineBudget {
 public:
  struct Options {
    uint32_t at_once = 50;
    absl::Duration each = absl::Seconds(1);  // refill interval of one line
  };

  explicit LineBudget(const Options& options)
      : options_(options), left_(static_cast<double>(options.at_once)) {}

  // The end of a line that is written: "", or how many before it were not.
  static std::string Untold(uint64_t lines) {
    return lines == 0 ? "" : absl::StrCat("; ", lines, " earlier lines like it were not logged");
  }

  // Takes a token. Returns the number of lines suppressed since the last one written; nullopt if
  // this line is suppressed, too.
  std::optional<uint64_t> Take(absl::Time now) {
    absl::MutexLock lock(&mutex_);
    if (now > filled_) {
      left_ = std::min<double>(options_.at_once,
                               left_ + absl::FDivDuration(now - filled_, options_.each));
      filled_ = now;
    }
    if (left_ < 1) {
      ++untold_;
      return std::nullopt;
    }
    left_ -= 1;
    return std::exchange(untold_, 0);
  }

 private:
  const Options options_;
  absl::Mutex mutex_;
  double left_ ABSL_GUARDED_BY(mutex_);
  absl::Time filled_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  uint64_t untold_ ABSL_GUARDED_BY(mutex_) = 0;
};

using LogField = std::pair<absl::string_view, std::string>;  // name and value

// Adds fields from construction to destruction. Scopes end in reverse order, in the thread that
// began them.
class LogFields {
 public:
  // The names must outlive the scope. Fields with an empty value are omitted.
  LogFields(std::initializer_list<LogField> fields);
  ~LogFields();
  LogFields(const LogFields&) = delete;
  LogFields& operator=(const LogFields&) = delete;

  // Fields of this thread, outermost scope first. If scopes set the same name, the inner value
  // counts.
  static std::vector<LogField> Current();

 private:
  const std::vector<LogField> fields_;
  const LogFields* const outer_;
};

}  // namespace gprofhub::base
