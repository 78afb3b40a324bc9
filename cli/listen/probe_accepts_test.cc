#include "cli/listen/probe_accepts.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace gprofhub::cli {
namespace {

TEST(ProbeAccepts, SeesAGateThatAccepts) {
  ListenAddress address = {"127.0.0.1", 0};
  const absl::StatusOr<std::vector<int>> fds = ListenOn(address);
  ASSERT_TRUE(fds.ok()) << fds.status();
  const auto gate = ConnectionGate::Open(*fds, 3, [](int taken) { close(taken); });
  ASSERT_TRUE(gate.ok()) << gate.status();
  EXPECT_TRUE(ProbeAccepts(address, *(*gate)->counts()).ok());
  EXPECT_EQ((*gate)->counts()->accepted, 1u);
}

TEST(ProbeAccepts, MissesAGateThatDoesNot) {
  ListenAddress address = {"127.0.0.1", 0};
  const absl::StatusOr<std::vector<int>> fds = ListenOn(address);  // listens: the kernel connects
  ASSERT_TRUE(fds.ok()) << fds.status();
  const ConnectionCounts nobody;
  EXPECT_TRUE(absl::IsDeadlineExceeded(ProbeAccepts(address, nobody)));
  for (const int fd : *fds) close(fd);
}

}  // namespace
}  // namespace gprofhub::cli
