// The last resort of a process that is to end.
#pragma once

#include <thread>

#include "absl/time/time.h"
#include "base/end_flag.h"

namespace gprofhub::cli {

// Ends the process with code 1 and a line of log, unless this is destroyed within `grace`: a
// database, a file system or a channel's program may hang for ever. What was acknowledged is
// durable. Jobs under way are done by others when their leases run out.
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
