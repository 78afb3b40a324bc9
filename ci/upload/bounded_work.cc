#include "ci/upload/bounded_work.h"

namespace gprofhub::ci {

BoundedWork::BoundedWork(size_t threads, uint64_t most_bytes)
    : most_pieces_(threads + 1), most_bytes_(most_bytes) {
  threads_.reserve(threads);
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

BoundedWork::~BoundedWork() {
  {
    absl::MutexLock lock(&mutex_);
    ending_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

void BoundedWork::Add(uint64_t bytes, std::function<void()> work) {
  const auto has_room = [this, bytes]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return pieces_ == 0 || (pieces_ < most_pieces_ && bytes_ + bytes <= most_bytes_);
  };
  absl::MutexLock lock(&mutex_, absl::Condition(&has_room));
  ++pieces_;
  bytes_ += bytes;
  waiting_.push({bytes, std::move(work)});
}

void BoundedWork::Run() {
  const auto has_work = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return ending_ || !waiting_.empty();
  };
  for (;;) {
    Piece piece;
    {
      absl::MutexLock lock(&mutex_, absl::Condition(&has_work));
      if (waiting_.empty()) return;
      piece = std::move(waiting_.front());
      waiting_.pop();
    }
    piece.work();
    piece.work = nullptr;  // frees its captures before the bytes are released
    absl::MutexLock lock(&mutex_);
    --pieces_;
    bytes_ -= piece.bytes;
  }
}

}  // namespace gprofhub::ci
