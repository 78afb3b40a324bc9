// A real server under attack, and healthy clients at the same time.
#pragma once

#include <grpcpp/security/credentials.h>
#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/fault/serve_process.h"

namespace gprofhub::tests {

class AttackedServer {
 public:
  // `gprofhub serve` with these arguments and a data directory of its own, with this limit of
  // descriptors; 0: this process' limit.
  explicit AttackedServer(std::vector<std::string> arguments = {}, rlim_t descriptors = 0);

  const std::string& address() const { return process_->address(); }

  // Healthy clients connect with these: those of a server with TLS.
  void UseCredentials(std::shared_ptr<grpc::ChannelCredentials> credentials);

  // From now on the server requires tokens; returns one for this project.
  std::string MakeToken(const std::string& project);

  // Healthy clients, each with a connection of its own: every upload, question and health check
  // must be answered with OK. `at` is for them in the place of the server's address: a front's.
  void ExpectHealthy(int clients, const std::string& token = "", const std::string& at = "");

  // Most memory that the server ever had, in MiB.
  uint64_t PeakMiB() const;
  // Its log so far.
  std::string Log() const;

 private:
  const std::string data_dir_;
  std::unique_ptr<ServeProcess> process_;
  std::shared_ptr<grpc::ChannelCredentials> credentials_;
  uint32_t uploads_ = 0;
};

// Most memory that a process ever had, in MiB (VmHWM of proc(5)).
uint64_t PeakMiB(pid_t pid);

}  // namespace gprofhub::tests
