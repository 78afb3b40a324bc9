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

// Exit code and output of a `gprofhub` process.
struct Ended {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
};

// Runs `gprofhub` with these arguments to its end.
Ended RunGprofhub(const std::vector<std::string>& arguments);

// Starts it and kills it (kill -9) after `turns` turns of an idle loop, if it has not ended by
// then. True if it ended before, with exit code 0.
bool RunAndKillGprofhub(const std::vector<std::string>& arguments, uint32_t turns);

// Environment of a server.
struct Surroundings {
  rlim_t descriptors = 0;                // their limit; 0: this process' limit
  std::vector<std::string> environment;  // "NAME=value", besides this process's own
  // A program and its arguments that exec the server in the same process; empty: none.
  std::vector<std::string> wrapper;
  // Whether it may end before it listens: then its address is empty.
  bool may_die = false;
};

class ServeProcess {
 public:
  // Starts `gprofhub serve` with these arguments. Without --listen it chooses a free port. Returns
  // once the process prints that it listens or works. If it does not, the test fails with the
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
  // Its stderr so far.
  std::string Log() const;
  // Sends a signal, and returns once the process has logged this text for it. Fails the test if the
  // process ends before that.
  void SignalAndAwaitLog(int signal, const std::string& words);
  // Returns once the process has logged this text, behind the first `seen` bytes. Fails the test if
  // the process ends before that.
  void AwaitLog(const std::string& words, size_t seen = 0);
  // A new connection.
  std::shared_ptr<grpc::Channel> Connect() const;

  // Whether it has ended without a signal from here.
  bool HasEnded() const;
  void Kill();  // kill -9
  // SIGTERM. Waits for the end and returns the process' result.
  Ended Stop();

 private:
  Ended Wait();

  pid_t pid_ = -1;
  std::string err_path_;
  std::string address_;
};

}  // namespace gprofhub::tests
