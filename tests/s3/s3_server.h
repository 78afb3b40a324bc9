// An S3 server of other people's (s3rver), which checks signatures with Amazon's own code.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace gprofhub::tests {

class S3Server {
 public:
  static constexpr char kAccessKey[] = "AKIAEXAMPLE";
  static constexpr char kSecretKey[] = "wJalr/XUtn+FEMI";
  static constexpr char kBucket[] = "profiles";

  // Starts it with an empty bucket on a free port of loopback; returns once it listens.
  static absl::StatusOr<std::unique_ptr<S3Server>> Start();
  ~S3Server();
  S3Server(const S3Server&) = delete;
  S3Server& operator=(const S3Server&) = delete;

  uint16_t port() const { return port_; }
  // From now on connections are refused.
  void Stop();

 private:
  S3Server() = default;

  pid_t process_ = -1;
  int input_ = -1;  // its end ends the server
  uint16_t port_ = 0;
};

}  // namespace gprofhub::tests
