// Computes and caches the changes of branches whose runs were analysed, in its own thread.
#pragma once

#include <thread>
#include <utility>

#include "reporter/worker/changes_keeper.h"

namespace gprofhub::cli {

class KeepingChanges {
 public:
  // Runs from construction to destruction, which waits for the current step.
  KeepingChanges(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                 reporter::ChangesKeeperOptions options)
      : keeper_(std::move(reports), std::move(reading), std::move(blobs), std::move(options)),
        thread_([this] { keeper_.Run(); }) {}
  ~KeepingChanges() {
    keeper_.Stop();
    thread_.join();
  }
  KeepingChanges(const KeepingChanges&) = delete;
  KeepingChanges& operator=(const KeepingChanges&) = delete;

  // Notifies it that a run may have been analysed. Any thread may call it.
  void Wake() { keeper_.Wake(); }

 private:
  reporter::ChangesKeeper keeper_;
  std::thread thread_;
};

}  // namespace gprofhub::cli
