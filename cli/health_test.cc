#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cli/commands.h"
#include "cli/testing/parser_runs.h"
#include "server/grpc_server.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;

CommandResult AskHealth(const server::GrpcServer& server, std::vector<std::string> words = {}) {
  words.insert(words.begin(), {"health", "--server", server.address().ToString()});
  return RunCommandLine({AddHealthCommand}, words);
}

TEST(HealthCommandTest, EndsAsTheServerIs) {
  std::atomic<bool> serves = true;
  server::GrpcServer::Options options;
  options.is_serving = [&](const std::string& service) -> std::optional<bool> {
    if (service.empty()) return serves.load();
    if (service == "gprofhub.worker") return false;
    return std::nullopt;
  };
  const auto server = server::GrpcServer::Start({"127.0.0.1", 0}, {}, {}, options);
  ASSERT_TRUE(server.ok()) << server.status();
  const CommandResult well = AskHealth(**server);
  EXPECT_EQ(well.exit_code, kExitOk) << well.err;
  EXPECT_EQ(well.out, "serving\n");
  EXPECT_EQ(AskHealth(**server, {"--service", "gprofhub.worker"}).exit_code, kExitFailure);
  const CommandResult unknown = AskHealth(**server, {"--service", "other"});
  EXPECT_EQ(unknown.exit_code, kExitNotFound);
  EXPECT_THAT(unknown.err, HasSubstr("not served by this process"));

  serves = false;
  const CommandResult ill = AskHealth(**server);
  EXPECT_EQ(ill.exit_code, kExitFailure);
  EXPECT_EQ(ill.out, "not serving\n");

  (*server)->Stop(absl::ZeroDuration());
  const CommandResult gone = AskHealth(**server);
  EXPECT_EQ(gone.exit_code, kExitUnavailable);
  EXPECT_THAT(gone.err, HasSubstr((*server)->address().ToString()));
}

}  // namespace

}  // namespace gprofhub::cli
