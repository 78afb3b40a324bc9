// The signals of a server: SIGTERM and SIGINT end it, SIGHUP makes it read its files again.
#pragma once

#include <csignal>
#include <functional>

namespace gprofhub::cli {

// From its construction on these signals are blocked for AwaitEnd, in this thread and in all that
// it creates then.
class ServeSignals {
 public:
  ServeSignals();
  ServeSignals(const ServeSignals&) = delete;
  ServeSignals& operator=(const ServeSignals&) = delete;

  // Returns at the first SIGTERM or SIGINT with its number. A second one then ends the process at
  // once. Calls `on_hangup` at each SIGHUP; one that arrives after this returns has no effect.
  int AwaitEnd(const std::function<void()>& on_hangup) const;

 private:
  sigset_t all_;
};

}  // namespace gprofhub::cli
