// A real `gprofhub serve` process, to be stopped gracefully or killed.
#pragma once

#include <grpcpp/channel.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gprofhub::tests {

// What a `gprofhub` process that ended left.
struct Ended {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
};

// Runs `gprofhub` with these arguments to its end.
Ended RunGprofhub(const std::vector<std::string>& arguments);

// Starts it and kills it (kill -9) after so many turns of an idle loop, if it has not ended by
// then. True if it ended by itself, with exit code 0.
bool RunAndKillGprofhub(const std::vector<std::string>& arguments, uint32_t turns);

class ServeProcess {
 public:
  // Starts `gprofhub serve` with these arguments. Without --listen it chooses a free port. Returns
  // once the process says that it listens or works. If it does not, the test fails with the
  // process's messages. The process may have at most so many descriptors; 0: as many as this one.
  explicit ServeProcess(const std::vector<std::string>& arguments, rlim_t descriptors = 0);
  // Kills it, if it still runs.
  ~ServeProcess();
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  // "127.0.0.1:PORT"; empty where no role listens.
  const std::string& address() const { return address_; }
  pid_t pid() const { return pid_; }
  // A new connection.
  std::shared_ptr<grpc::Channel> Connect() const;

  void Kill();  // kill -9
  // SIGTERM. Waits for the end and returns what the process left.
  Ended Stop();

 private:
  Ended Wait();

  pid_t pid_ = -1;
  std::string err_path_;
  std::string address_;
};

}  // namespace gprofhub::tests
