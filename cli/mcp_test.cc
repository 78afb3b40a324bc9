#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;

// The lines that `gprofhub mcp` answers to these lines.
std::string Answers(const std::vector<std::string>& words, const std::string& lines) {
  std::istringstream in(lines);
  std::streambuf* const real = std::cin.rdbuf(in.rdbuf());
  const CommandResult result = RunCommandLine({AddMcpCommand}, words);
  std::cin.rdbuf(real);
  EXPECT_EQ(result.exit_code, kExitOk) << result.err;
  return result.out;
}

TEST_F(ParserRunsTest, McpAnswersFromTheServersRuns) {
  UploadBoth();
  const std::string call =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"compare"}})";
  const std::string out = Answers(server_->Asked({"mcp"}), call + "\n\n" + call);
  ASSERT_EQ(std::count(out.begin(), out.end(), '\n'), 2) << out;
  const auto answer = nlohmann::json::parse(out.substr(0, out.find('\n')));
  const auto& finding = answer["result"]["structuredContent"]["findings"][0];
  EXPECT_EQ(finding["function_display"], "next");
  EXPECT_EQ(finding["after"], 80);
}

TEST(McpCommand, AServerThatIsNotThereIsAnErrorOfTheTool) {
  const std::string out =
      Answers({"mcp", "--server", "127.0.0.1:1"},
              R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_runs"}})");
  EXPECT_THAT(out, HasSubstr("\"isError\":true"));
  EXPECT_THAT(out, HasSubstr("127.0.0.1:1"));
}

TEST(McpCommand, ALineWithoutEndIsRefusedAndTheNextOneAnswered) {
  const std::string out =
      Answers({"mcp"}, std::string(3 << 20, '[') + "\n" + R"({"id":2,"method":"ping"})" + "\n");
  EXPECT_THAT(out, HasSubstr("not JSON"));
  EXPECT_THAT(out, HasSubstr("\"id\":2,\"result\""));
}

}  // namespace

}  // namespace gprofhub::cli
