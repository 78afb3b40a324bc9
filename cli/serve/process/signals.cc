#include "cli/serve/process/signals.h"

namespace gprofhub::cli {

ServeSignals::ServeSignals() {
  sigemptyset(&all_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&all_, signal);
  pthread_sigmask(SIG_BLOCK, &all_, nullptr);
}

int ServeSignals::AwaitEnd(const std::function<void()>& on_hangup) const {
  for (;;) {
    int signal = 0;
    if (sigwait(&all_, &signal) != 0) continue;
    if (signal == SIGHUP) {
      on_hangup();
      continue;
    }
    sigset_t ending;
    sigemptyset(&ending);
    for (const int one : {SIGTERM, SIGINT}) sigaddset(&ending, one);
    pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
    return signal;
  }
}

}  // namespace gprofhub::cli
