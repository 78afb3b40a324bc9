// Notifies systemd of this process' state (sd_notify(3)): ready, stopping, alive. The protocol is
// one datagram of lines to a socket, so its library is not needed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::cli {

class ServiceManager {
 public:
  // `variable` is getenv: reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  using Variable = std::function<const char*(const char* name)>;
  explicit ServiceManager(const Variable& variable);

  // Whether there is a receiver.
  bool is_there() const { return !socket_.empty(); }

  // Sends lines such as "READY=1\nSTATUS=…"; does nothing without a receiver. Errors: the datagram
  // cannot be sent.
  absl::Status Tell(absl::string_view lines) const;

  // Interval of "WATCHDOG=1", shortened for safety; nullopt: the watchdog is off.
  std::optional<absl::Duration> watchdog() const { return watchdog_; }

 private:
  std::string socket_;
  std::optional<absl::Duration> watchdog_;
};

}  // namespace gprofhub::cli
