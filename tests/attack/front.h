// The shipped front (deploy/nginx.conf) before a server under attack.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace gprofhub::tests {

class Front {
 public:
  // nginx with deploy/nginx.conf, whose upstream is `server`, on free ports: the TLS one of the
  // file, and one without TLS for frames written by hand. Fails the running test if it does not
  // start.
  explicit Front(const std::string& server);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  // "127.0.0.1:PORT" of each.
  const std::string& address() const { return address_; }
  const std::string& tls_address() const { return tls_address_; }
  // Its certificate, PEM; of the name gprofhub.example.com.
  const std::string& certificate() const { return certificate_; }
  // Most memory that its processes have now, in MiB.
  uint64_t MiB() const;

 private:
  void Open(const std::string& server);

  std::string folder_;
  std::string address_;
  std::string tls_address_;
  std::string certificate_;
  pid_t pid_ = -1;
};

}  // namespace gprofhub::tests
