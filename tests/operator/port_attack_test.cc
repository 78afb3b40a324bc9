// The metrics port under attack: a scraper always gets its response.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "store/testing/temp_store.h"
#include "tests/attack/attacked_server.h"
#include "tests/attack/raw_http2.h"
#include "tests/fault/serve_process.h"
#include "tests/operator/operator_port.h"

namespace gprofhub::tests {
namespace {

class PortAttackTest : public testing::Test {
 protected:
  ServeProcess server_{{"--data-dir", store::MakeTempDir(), "--metrics-listen", "127.0.0.1:0"}};
  const std::string address_ = MetricsAddress(server_);
};

TEST_F(PortAttackTest, SilentConnectionsGiveWay) {
  std::vector<std::unique_ptr<RawConnection>> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(std::make_unique<RawConnection>(address_));
  EXPECT_EQ(Get(address_, "/livez").status, 200);
  EXPECT_EQ(Get(address_, "/metrics").status, 200);
}

TEST_F(PortAttackTest, RequestsThatNeverEndGiveWay) {
  AwaitStatus(address_, "/readyz", 200);  // the port listens before the server is ready
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 50; ++i) {
    slow.push_back(std::make_unique<RawConnection>(address_));
    slow.back()->Send("GET /metrics HTTP/1.1\r\nHost: a\r\nX: ");
  }
  EXPECT_EQ(Get(address_, "/readyz").status, 200);
}

TEST_F(PortAttackTest, AnswersThatNobodyReadsGiveWay) {
  std::vector<std::unique_ptr<RawConnection>> deaf;
  for (int i = 0; i < 50; ++i) {
    deaf.push_back(std::make_unique<RawConnection>(address_));
    deaf.back()->Send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  EXPECT_EQ(Get(address_, "/metrics").status, 200);
}

TEST_F(PortAttackTest, LongRequestsAreCut) {
  RawConnection header(address_);
  const std::string line(1000, 'x');
  header.Send("GET /metrics HTTP/1.1\r\n");
  for (int i = 0; i < 1000 && header.Send("X-" + std::to_string(i) + ": " + line + "\r\n"); ++i) {
  }
  header.AwaitClosed();
  RawConnection body(address_);
  body.Send("GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n");
  for (int i = 0; i < 1000 && body.Send(line); ++i) {
  }
  body.AwaitClosed();
  EXPECT_EQ(Get(address_, "/metrics").status, 200);
  EXPECT_LT(PeakMiB(server_.pid()), 150u);
}

TEST_F(PortAttackTest, NothingElseIsThere) {
  EXPECT_EQ(Get(address_, "/").status, 404);
  EXPECT_EQ(Get(address_, "/../etc/passwd").status, 404);
  EXPECT_EQ(Get(address_, "/metrics/../../etc/passwd").status, 404);
}

}  // namespace
}  // namespace gprofhub::tests
