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

// What a server runs in.
struct Surroundings {
  rlim_t descriptors = 0;                // at most so many; 0: as many as this process
  std::vector<std::string> environment;  // "NAME=value", besides this process's own
  // A program and its arguments that become the server in the same process; empty: none.
  std::vector<std::string> wrapper;
  // Whether it may end before it listens: then its address is empty.
  bool may_die = false;
};

class ServeProcess {
 public:
  // Starts `gprofhub serve` with these arguments. Without --listen it chooses a free port. Returns
  // once the process says that it listens or works. If it does not, the test fails with the
  // process's messages.
  explicit ServeProcess(const std::vector<std::string>& arguments,
                        const Surroundings& surroundings = {});
  // Kills it, if it still runs.
  ~ServeProcess();
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  // "127.0.0.1:PORT"; empty where no role listens.
  const std::string& address() const { return address_; }
  pid_t pid() const { return pid_; }
  // What it has written to stderr so far.
  std::string Log() const;
  // Sends a signal, and returns once the process has logged these words for it. Fails the test if
  // the process ends before that.
  void SignalAndAwaitLog(int signal, const std::string& words);
  // A new connection.
  std::shared_ptr<grpc::Channel> Connect() const;

  // Whether it has ended by itself.
  bool HasEnded() const;
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
