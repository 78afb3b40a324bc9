// A connection that breaks. The proxy stands between a client and the server on loopback. It cuts
// a connection once so many bytes have gone to the server.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace gprofhub::tests {

class CuttingProxy {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;

  // For one connection to `server`, "127.0.0.1:PORT". It is cut after so many bytes to the server
  // and so many back, whichever comes first.
  CuttingProxy(const std::string& server, uint64_t to_server, uint64_t to_client);
  // Cuts it, too.
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::string address() const;
  // So many bytes went through so far.
  uint64_t ToServer() const { return sent_; }
  uint64_t ToClient() const { return received_; }

 private:
  void Serve();

  const std::string server_;
  const uint64_t to_server_;
  const uint64_t to_client_;
  std::atomic<uint64_t> sent_{0};
  std::atomic<uint64_t> received_{0};
  int listener_ = -1;
  int stop_[2] = {-1, -1};  // a pipe; its end of file ends the proxy
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace gprofhub::tests
