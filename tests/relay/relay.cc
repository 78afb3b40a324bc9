#include "tests/relay/relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace gprofhub::tests {
namespace {

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

bool SendAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
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

Relay::Relay(Options options) : options_(std::move(options)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_, 16), 0);
  socklen_t size = sizeof address;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  EXPECT_EQ(pipe2(stop_, O_CLOEXEC), 0);
  accepting_ = std::thread([this] { Accept(); });
}

Relay::~Relay() {
  close(stop_[1]);
  accepting_.join();
  for (std::thread& passing : passing_) passing.join();
  close(stop_[0]);
}

void Relay::Accept() {
  for (bool on = true; on;) {
    std::array<pollfd, 2> ready = {{{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}}};
    poll(ready.data(), ready.size(), -1);
    if (ready[1].revents != 0) break;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    on = !options_.one_connection;
    passing_.emplace_back([this, client] { Pass(client); });
  }
  close(listener_);
}

void Relay::Pass(int client) {
  const Rule rule = options_.new_rule();
  const int server = options_.connect();
  std::array<char, 16384> buffer;
  // False: the end.
  const auto pass = [&](Way way, int from, int to) {
    const ssize_t got = recv(from, buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    const absl::string_view piece(buffer.data(), static_cast<size_t>(got));
    const Fate fate = rule(way, piece);
    return SendAll(to, piece.substr(0, fate.passes)) && !fate.cut;
  };
  for (bool on = server >= 0; on;) {
    std::array<pollfd, 3> all = {{{client, POLLIN, 0}, {server, POLLIN, 0}, {stop_[0], POLLIN, 0}}};
    poll(all.data(), all.size(), -1);
    on = all[2].revents == 0;
    if (on && all[0].revents != 0) on = pass(Way::kToServer, client, server);
    if (on && all[1].revents != 0) on = pass(Way::kToClient, server, client);
  }
  Cut(client);
  if (server >= 0) Cut(server);
}

int ConnectToLoopback(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace gprofhub::tests
