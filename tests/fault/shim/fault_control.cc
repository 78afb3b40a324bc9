#include "tests/fault/shim/fault_control.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <utility>

namespace gprofhub::tests {

FaultControl::FaultControl()
    : path_(testing::TempDir() + "/fault-XXXXXX"),
      library_(std::filesystem::absolute("tests/fault/shim/libfault_shim.so")) {
  const int fd = mkstemp(path_.data());
  EXPECT_GE(fd, 0) << path_;
  EXPECT_EQ(ftruncate(fd, sizeof(fault_control)), 0);
  void* mapped = mmap(nullptr, sizeof(fault_control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  EXPECT_NE(mapped, MAP_FAILED);
  shared_ = static_cast<fault_control*>(mapped);
}

FaultControl::FaultControl(FaultControl&& other) noexcept
    : path_(std::move(other.path_)),
      library_(std::move(other.library_)),
      journal_(std::move(other.journal_)),
      shared_(std::exchange(other.shared_, nullptr)) {}

FaultControl::~FaultControl() {
  if (shared_ == nullptr) return;
  munmap(shared_, sizeof(fault_control));
  unlink(path_.c_str());
}

FaultControl FaultControl::OfFiles(const std::string& directory) {
  FaultControl control;
  const std::string resolved = std::filesystem::canonical(directory);
  EXPECT_LT(resolved.size(), sizeof control.shared_->directory);
  std::strncpy(control.shared_->directory, resolved.c_str(), sizeof control.shared_->directory - 1);
  return control;
}

FaultControl FaultControl::OfDatabaseSockets() {
  FaultControl control;
  control.shared_->sockets = 1;
  return control;
}

void FaultControl::ShareIn(const std::string& folder) {
  const std::string library = folder + "/libfault_shim.so";
  std::filesystem::copy_file(library_, library);
  library_ = library;
  const std::string path = folder + "/fault";
  fault_control* const before = shared_;
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  EXPECT_EQ(fchmod(fd, 0666), 0);
  EXPECT_EQ(ftruncate(fd, sizeof(fault_control)), 0);
  shared_ = static_cast<fault_control*>(
      mmap(nullptr, sizeof(fault_control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  close(fd);
  *shared_ = *before;
  munmap(before, sizeof(fault_control));
  unlink(path_.c_str());
  path_ = path;
}

std::vector<std::string> FaultControl::Environment() const {
  std::vector<std::string> variables = {"LD_PRELOAD=" + library_,
                                        std::string(FAULT_CONTROL_VARIABLE) + "=" + path_};
  if (!journal_.empty()) {
    variables.push_back(std::string(FAULT_JOURNAL_VARIABLE) + "=" + journal_);
  }
  return variables;
}

uint64_t FaultControl::Operations() const {
  return __atomic_load_n(&shared_->operations, __ATOMIC_ACQUIRE);
}

void FaultControl::Plan(uint64_t after, fault_action action, int error) {
  __atomic_store_n(&shared_->error, static_cast<uint32_t>(error), __ATOMIC_RELEASE);
  __atomic_store_n(&shared_->action, static_cast<uint32_t>(action), __ATOMIC_RELEASE);
  __atomic_store_n(&shared_->at, Operations() + after, __ATOMIC_RELEASE);
}

void FaultControl::PlanNothing() { __atomic_store_n(&shared_->at, 0, __ATOMIC_RELEASE); }

void FaultControl::SetFull(bool full) {
  __atomic_store_n(&shared_->full, full ? 1u : 0u, __ATOMIC_RELEASE);
}

void FaultControl::SetClockOffset(int64_t seconds) {
  __atomic_store_n(&shared_->clock_offset, seconds, __ATOMIC_RELEASE);
}

}  // namespace gprofhub::tests
