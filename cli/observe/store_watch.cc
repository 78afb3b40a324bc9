#include "cli/observe/store_watch.h"

#include <sys/statvfs.h>

#include <utility>

#include "absl/status/statusor.h"

namespace gprofhub::cli {
namespace {

Disk DiskOf(const std::string& folder) {
  struct statvfs about = {};
  if (folder.empty() || statvfs(folder.c_str(), &about) != 0) return {};
  const uint64_t block = about.f_frsize;
  return {about.f_blocks * block, about.f_bavail * block};
}

}  // namespace

void UploadRoom::Hear(const store::StoreCall& call) {
  if (call.part != "ingest" || call.operation == "read") return;
  absl::MutexLock lock(&mutex_);
  if (call.code == absl::StatusCode::kResourceExhausted) {
    no_room_ = now_();
  } else if (call.code == absl::StatusCode::kOk && call.operation == "write") {
    no_room_ = absl::InfinitePast();
  }
}

absl::Time UploadRoom::no_room() const {
  absl::MutexLock lock(&mutex_);
  return no_room_;
}

StoreWatch::StoreWatch(store::Condition condition, const UploadRoom& room, const Options& options)
    : condition_(std::move(condition)),
      room_(room),
      options_(options),
      loop_({options.every, options.every, options.every, options.now}) {
  absl::MutexLock lock(&mutex_);
  view_.status = absl::UnavailableError("the store has not been asked yet");
}

void StoreWatch::Run() {
  loop_.Run(
      [this] {
        Ask();
        return false;
      },
      [](const absl::Status&, absl::Duration) {});
}

void StoreWatch::Stop() { loop_.Stop(); }

void StoreWatch::Ask() {
  const absl::Time begun = options_.now();
  bool queues_due = false;
  {
    absl::MutexLock lock(&mutex_);
    view_.asked = begun;
    queues_due = begun - view_.queues_read >= options_.queues_every;
  }
  absl::Status status = condition_.Check();
  if (status.ok()) status = LookAfterCopies(begun);
  const Disk disk = DiskOf(condition_.folder());
  {
    absl::MutexLock lock(&mutex_);
    view_.asked = absl::InfiniteFuture();
    view_.status = status;
    view_.disk = disk;
  }
  if (status.ok() && queues_due) ReadQueues(begun);
}

absl::Status StoreWatch::LookAfterCopies(absl::Time now) {
  if (options_.copies == CopyRole::kNone) return absl::OkStatus();
  if (options_.copies == CopyRole::kIsTold) {
    return condition_.Beat(now, options_.tell_copies_every);
  }
  const absl::StatusOr<absl::Duration> age = condition_.ReadBeatAge(now);
  if (!age.ok()) return age.status();
  absl::MutexLock lock(&mutex_);
  view_.as_of = now - *age;
  return absl::OkStatus();
}

// Counting long queues takes time. That does not mean that the store is unavailable.
void StoreWatch::ReadQueues(absl::Time now) {
  absl::StatusOr<std::vector<store::QueueCondition>> queues = condition_.ReadQueues(now);
  const absl::StatusOr<store::HeldTransfers> transfers =
      options_.read_transfers ? options_.read_transfers() : store::HeldTransfers();
  const absl::StatusOr<absl::Time> backup = condition_.ReadLastBackup();
  if (!queues.ok() || !transfers.ok() || !backup.ok()) return;  // the next check reports the reason
  absl::MutexLock lock(&mutex_);
  for (const store::QueueCondition& queue : *queues) {
    const std::string kind(queue.kind);
    int64_t& oldest = oldest_[kind];
    absl::Time& since = view_.same_oldest_since[kind];
    if (queue.oldest_id == 0 || queue.oldest_id != oldest) since = now;
    oldest = queue.oldest_id;
  }
  view_.queues = *std::move(queues);
  view_.transfers = *transfers;
  view_.last_backup = *backup;
  view_.queues_read = now;
}

StoreView StoreWatch::view() const {
  StoreView view;
  {
    absl::MutexLock lock(&mutex_);
    view = view_;
  }
  view.no_room = room_.no_room();
  return view;
}

absl::Time StoreWatch::as_of() const {
  absl::MutexLock lock(&mutex_);
  return view_.as_of;
}

store::sql::Connections StoreWatch::connections() const { return condition_.connections(); }

}  // namespace gprofhub::cli
