// The last resort of a process that is to end.
#pragma once

#include <thread>

#include "absl/time/time.h"
#include "base/end_flag.h"

namespace gprofhub::cli {

// Ends the process with code 1 and a line of log, unless this is destroyed within `grace`: a
// database, a file system or a channel's program may hang for ever. Acknowledged data is durable.
// Other workers take over running jobs when their leases expire.
class EndWithin {
 public:
  explicit EndWithin(absl::Duration grace);
  ~EndWithin();
  EndWithin(const EndWithin&) = delete;
  EndWithin& operator=(const EndWithin&) = delete;

 private:
  base::EndFlag ended_;
  std::thread thread_;
};

}  // namespace gprofhub::cli
