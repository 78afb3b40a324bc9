#include "collector/calls/fair_pool.h"

#include <algorithm>
#include <utility>

namespace gprofhub::collector {

FairPool::FairPool(size_t threads, std::function<absl::Time()> now)
    : most_per_owner_(std::max<size_t>(threads, 2) - std::max<size_t>(threads / 4, 1)),
      now_(std::move(now)) {
  for (size_t i = 0; i < std::max<size_t>(threads, 2); ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

FairPool::~FairPool() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

void FairPool::Submit(const std::string& owner, std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  Owner& own = owners_[owner];
  if (own.tasks.empty()) turns_.push_back(owner);
  own.tasks.push_back(std::move(task));
  if (waiting_++ == 0) moved_ = now_();
}

absl::Duration FairPool::StuckFor() const {
  absl::MutexLock lock(&mutex_);
  return waiting_ == 0 ? absl::ZeroDuration() : std::max(now_() - moved_, absl::ZeroDuration());
}

const std::string* FairPool::NextOwner() const {
  for (const std::string& owner : turns_) {
    if (owners_.at(owner).running < most_per_owner_) return &owner;
  }
  return nullptr;
}

bool FairPool::HasWork() const { return NextOwner() != nullptr || (stopping_ && turns_.empty()); }

void FairPool::Work() {
  absl::MutexLock lock(&mutex_);
  for (;;) {
    mutex_.Await(absl::Condition(this, &FairPool::HasWork));
    const std::string* const next = NextOwner();
    if (next == nullptr) return;
    const std::string name = *next;
    turns_.erase(std::find(turns_.begin(), turns_.end(), name));
    std::function<void()> task;
    {
      Owner& owner = owners_.at(name);
      task = std::move(owner.tasks.front());
      owner.tasks.pop_front();
      ++owner.running;
      --waiting_;
      if (!owner.tasks.empty()) turns_.push_back(name);
    }
    mutex_.Unlock();
    task();
    task = nullptr;  // destroys its captures without the lock
    mutex_.Lock();
    moved_ = now_();
    const auto owner = owners_.find(name);
    --owner->second.running;
    if (owner->second.running == 0 && owner->second.tasks.empty()) owners_.erase(owner);
  }
}

}  // namespace gprofhub::collector
