#include "tests/fault/cutting_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace gprofhub::tests {
namespace {

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

bool SendAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

// A reset, as a broken line or a dying machine makes it, and not an orderly end.
void Cut(int fd) {
  const linger at_once = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(fd);
}

}  // namespace

CuttingProxy::CuttingProxy(const std::string& server, uint64_t to_server, uint64_t to_client)
    : server_(server), to_server_(to_server), to_client_(to_client) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_, 8), 0);
  socklen_t size = sizeof address;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  EXPECT_EQ(pipe2(stop_, O_CLOEXEC), 0);
  thread_ = std::thread([this] { Serve(); });
}

CuttingProxy::~CuttingProxy() {
  close(stop_[1]);
  thread_.join();
  close(stop_[0]);
}

std::string CuttingProxy::address() const { return absl::StrCat("127.0.0.1:", port_); }

void CuttingProxy::Serve() {
  std::array<pollfd, 2> first = {{{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}}};
  poll(first.data(), first.size(), -1);
  const int client =
      first[1].revents != 0 ? -1 : accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  close(listener_);  // whoever comes back is refused
  if (client < 0) return;
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int port = std::atoi(server_.substr(server_.rfind(':') + 1).c_str());
  const sockaddr_in address = Loopback(static_cast<uint16_t>(port));
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  std::array<char, 4096> buffer;
  // Passes on what has come; false: the end.
  const auto pass = [&](int from, int to, std::atomic<uint64_t>& count, uint64_t most) {
    const size_t room = static_cast<size_t>(std::min<uint64_t>(buffer.size(), most - count));
    const ssize_t got = recv(from, buffer.data(), room, 0);
    if (got <= 0 || !SendAll(to, buffer.data(), static_cast<size_t>(got))) return false;
    count += static_cast<uint64_t>(got);
    return count < most;
  };
  while (open) {
    std::array<pollfd, 3> all = {{{client, POLLIN, 0}, {server, POLLIN, 0}, {stop_[0], POLLIN, 0}}};
    poll(all.data(), all.size(), -1);
    open = all[2].revents == 0;
    if (open && all[0].revents != 0) open = pass(client, server, sent_, to_server_);
    if (open && all[1].revents != 0) open = pass(server, client, received_, to_client_);
  }
  Cut(client);
  Cut(server);
}

}  // namespace gprofhub::tests
