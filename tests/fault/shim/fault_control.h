// A test's hand on the faults of a server that runs with the shim.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fault/shim/control.h"

namespace gprofhub::tests {

class FaultControl {
 public:
  // Faults of files below `directory`, which exists.
  static FaultControl OfFiles(const std::string& directory);
  // Faults of the connections to a database on a Unix socket.
  static FaultControl OfDatabaseSockets();

  FaultControl(FaultControl&& other) noexcept;
  FaultControl& operator=(FaultControl&&) = delete;
  ~FaultControl();

  // The program runs as another user: its files are copied into this folder, which the user may
  // read.
  void ShareIn(const std::string& folder);

  // From now on the program also keeps a journal of its operations, in this file.
  void KeepJournal(const std::string& path) { journal_ = path; }

  // Variables that the program needs in its environment: "NAME=value".
  std::vector<std::string> Environment() const;

  // So many operations were done so far.
  uint64_t Operations() const;
  // The `after`-th operation from now meets the action; 1 is the next one.
  void Plan(uint64_t after, fault_action action, int error = 0);
  void PlanNothing();
  // Whether the disk is full.
  void SetFull(bool full);
  // Sets the real-time clock ahead (or back, if negative) by `seconds`.
  void SetClockOffset(int64_t seconds);

 private:
  FaultControl();

  std::string path_;
  std::string library_;
  std::string journal_;
  fault_control* shared_ = nullptr;
};

}  // namespace gprofhub::tests
