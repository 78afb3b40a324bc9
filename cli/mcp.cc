#include <google/protobuf/message.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <istream>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "cli/client/query_client.h"
#include "cli/command/command_line.h"
#include "cli/commands.h"
#include "mcp/session.h"

namespace gprofhub::cli {

namespace {

using google::protobuf::Message;
using Response = absl::StatusOr<std::unique_ptr<Message>>;
using Call = Response (*)(QueryClient&, const Message&);

template <typename Request, typename Answer,
          grpc::Status (QueryStub::*method)(grpc::ClientContext*, const Request&, Answer*)>
Response CallOf(QueryClient& client, const Message& request) {
  ASSIGN_OR_RETURN(Answer answer, client.Call(method, static_cast<const Request&>(request)));
  return std::make_unique<Answer>(std::move(answer));
}

Response GetListing(QueryClient& client, const Message& request) {
  v1::TextChunk text;
  ASSIGN_OR_RETURN(
      *text.mutable_text(),
      client.Call(&QueryStub::GetListing, static_cast<const v1::GetListingRequest&>(request)));
  return std::make_unique<v1::TextChunk>(std::move(text));
}

// The methods that tools use.
const std::map<std::string, Call>& Calls() {
  static const auto* const calls = new std::map<std::string, Call>{
      {"Compare", CallOf<v1::CompareRequest, v1::Report, &QueryStub::Compare>},
      {"Explain", CallOf<v1::ExplainRequest, v1::Explanation, &QueryStub::Explain>},
      {"ListRuns", CallOf<v1::ListRunsRequest, v1::ListRunsResponse, &QueryStub::ListRuns>},
      {"GetProfile", CallOf<v1::GetProfileRequest, v1::GetProfileResponse, &QueryStub::GetProfile>},
      {"GetTrend", CallOf<v1::GetTrendRequest, v1::GetTrendResponse, &QueryStub::GetTrend>},
      {"GetListing", GetListing},
  };
  return *calls;
}

// A client's message is one line; a longer one is skipped.
constexpr size_t kMostMessageBytes = size_t{1} << 20;

// Whether a line was read. `too_long`: its end was dropped.
bool ReadLine(std::istream& in, std::string& line, bool& too_long) {
  line.clear();
  too_long = false;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') return true;
    if (line.size() < kMostMessageBytes) {
      line += static_cast<char>(c);
    } else {
      too_long = true;
    }
  }
  return !line.empty();
}

int RunMcp(const ServerOptions& server) {
  QueryClient client(server);
  mcp::Ask ask;
  ask.call = [&client](const std::string& method, std::unique_ptr<Message> request) -> Response {
    const auto call = Calls().find(method);
    if (call == Calls().end()) return absl::UnimplementedError(method);
    return call->second(client, *request);
  };
  std::string line;
  bool too_long = false;
  while (ReadLine(std::cin, line, too_long)) {
    if (line.empty()) continue;
    const std::string answer = mcp::AnswerMessage(too_long ? "" : line, ask);
    if (answer.empty()) continue;
    std::cout << answer << "\n" << std::flush;
    if (!std::cout) return kExitFailure;
  }
  return kExitOk;
}

}  // namespace

void AddMcpCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "mcp",
      "Answer coding agents by the Model Context Protocol, on standard input and output\n"
      "Read-only: runs, comparisons, findings, callers and callees, source and trends of the "
      "server's project. An agent starts it; docs/agents.md has the settings.");
  auto server = std::make_shared<ServerOptions>();
  AddServerOptions(*command, *server);
  SetExamples(*command,
              {"gprofhub mcp --server gprofhub.example:443 --token-file ~/.gprofhub-token"});
  command->callback([server, &run] { run = [server] { return RunMcp(*server); }; });
}

}  // namespace gprofhub::cli
