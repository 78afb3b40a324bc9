#include "cli/proxy/peer_user.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

// Of Linux 6.1. Port 7069 is 1B9D; the victim (1000) and an attacker (1001) have the same port of
// their own, on two addresses of the loopback.
constexpr char kTable[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:1B9D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
    "7 1\n"
    "   1: 0200007F:A112 0100007F:1B9D 01 00000000:00000000 00:00000000 00000000  1001        0 "
    "8 1\n"
    "   2: 0100007F:A112 0100007F:1B9D 01 00000000:00000000 00:00000000 00000000  1000        0 "
    "9 1\n"
    "   3: 0100007F:1B9D 0100007F:A112 01 00000000:00000000 00:00000000 00000000  1000        0 "
    "10 1\n"
    "   4: 0100007F:A113 0100007F:1B9E 01 00000000:00000000 00:00000000 00000000  1002        0 "
    "11 1\n";

TEST(UserInTable, IsThatOfThePeersEnd) {
  EXPECT_EQ(UserInTable(kTable, "ipv4:127.0.0.1:41234", 7069), 1000u);
  EXPECT_EQ(UserInTable(kTable, "ipv4:127.0.0.2:41234", 7069), 1001u);
}

TEST(UserInTable, IsNobodyWhereThereIsNoSuchConnection) {
  for (const char* peer : {"ipv4:127.0.0.1:41235", "ipv4:127.0.0.3:41234", "ipv4:127.0.0.1",
                           "unix:/run/socket", "ipv4:x:41234", "ipv4:127.0.0.1:x", "", "ipv6:1"}) {
    EXPECT_EQ(UserInTable(kTable, peer, 7069), std::nullopt) << peer;
  }
  EXPECT_EQ(UserInTable("", "ipv4:127.0.0.1:41234", 7069), std::nullopt);
}

// The victim (1000) is connected to another address of this machine, at the same port as the
// proxy's; the attacker (1001) has found the same port of their own, which the kernel gives twice
// where the other ends differ.
TEST(UserInTable, IsNobodyWhereItMayBeSeveralUsers) {
  const std::string victims =
      "   1: 0100007F:A112 0500007F:1B9D 01 00000000:00000000 00:00000000 00000000  1000 0 8 1\n";
  const std::string attackers =
      "   2: 0100007F:A112 0100007F:1B9D 01 00000000:00000000 00:00000000 00000000  1001 0 9 1\n";
  const std::string peer = "ipv4:127.0.0.1:41234";
  EXPECT_EQ(UserInTable(victims + attackers, peer, 7069), std::nullopt);
  EXPECT_EQ(UserInTable(attackers + victims, peer, 7069), std::nullopt);
  EXPECT_EQ(UserInTable(victims + victims, peer, 7069), 1000u);
  // A connection that has ended is shown as root's for a minute.
  const std::string ended =
      "   3: 0100007F:A112 0500007F:1B9D 06 00000000:00000000 03:00000176 00000000     0 0 0 3\n";
  EXPECT_EQ(UserInTable(ended + victims, peer, 7069), 1000u);
}

TEST(UserInTable, ReadsIPv6) {
  const std::string table =
      "   0: 00000000000000000000000001000000:A112 00000000000000000000000001000000:1B9D 01 "
      "00000000:00000000 00:00000000 00000000  1000        0 9 1\n";
  EXPECT_EQ(UserInTable(table, "ipv6:%5B::1%5D:41234", 7069), 1000u);
  EXPECT_EQ(UserInTable(table, "ipv6:[::1]:41234", 7069), 1000u);
  EXPECT_EQ(UserInTable(table, "ipv6:%5B::2%5D:41234", 7069), std::nullopt);
}

// A client's socket of IPv6 that speaks IPv4.
TEST(UserInTable, ReadsMappedAddresses) {
  const std::string table =
      "   0: 0000000000000000FFFF00000100007F:A112 0000000000000000FFFF00000100007F:1B9D 01 "
      "00000000:00000000 00:00000000 00000000  1000        0 9 1\n";
  EXPECT_EQ(UserInTable(table, "ipv4:127.0.0.1:41234", 7069), 1000u);
  EXPECT_EQ(UserInTable(table, "ipv4:127.0.0.2:41234", 7069), std::nullopt);
}

TEST(UserOfPeer, IsOurselvesOnAConnectionOfOurs) {
  const int listening = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listening, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listening, 1), 0);
  ASSERT_EQ(getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), size), 0);
  sockaddr_in own = {};
  ASSERT_EQ(getsockname(client, reinterpret_cast<sockaddr*>(&own), &size), 0);
  const std::string peer = absl::StrCat("ipv4:127.0.0.1:", ntohs(own.sin_port));
  const auto user = UserOfPeer(peer, ntohs(address.sin_port));
  ASSERT_TRUE(user.ok()) << user.status();
  EXPECT_EQ(*user, geteuid());
  EXPECT_TRUE(absl::IsNotFound(UserOfPeer("ipv4:127.0.0.1:1", ntohs(address.sin_port)).status()));
  close(client);
  close(listening);
}

}  // namespace
}  // namespace gprofhub::cli
