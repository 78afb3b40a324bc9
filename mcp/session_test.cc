#include "mcp/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/computed.h"
#include "proto/query.pb.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::mcp {

namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Answers each method with one message.
class Service {
 public:
  template <typename M>
  void Answer(const std::string& method, M message) {
    answers_[method] = std::make_unique<M>(std::move(message));
  }
  Ask ask() {
    const auto call = [this](const std::string& method,
                             std::unique_ptr<google::protobuf::Message> request)
        -> absl::StatusOr<std::unique_ptr<google::protobuf::Message>> {
      request_ = request->ShortDebugString();
      const auto answer = answers_.find(method);
      if (answer == answers_.end()) return absl::NotFoundError("no run\x1b[2J");
      std::unique_ptr<google::protobuf::Message> copy(answer->second->New());
      copy->CopyFrom(*answer->second);
      return copy;
    };
    return {call, decoding_};
  }
  const std::string& request() const { return request_; }
  void Limit(const base::Decoding& decoding) { decoding_ = decoding; }

 private:
  std::map<std::string, std::unique_ptr<google::protobuf::Message>> answers_;
  std::string request_;
  base::Decoding decoding_;
};

json Send(Service& service, const json& message) {
  const std::string answer = AnswerMessage(message.dump(), service.ask());
  EXPECT_EQ(answer.find('\n'), std::string::npos);
  return answer.empty() ? json() : json::parse(answer);
}

json Request(const std::string& method, const json& params = json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}};
}

// The result of a tool.
json CallTool(Service& service, const std::string& name, const json& arguments) {
  const json answer =
      Send(service, Request("tools/call", {{"name", name}, {"arguments", arguments}}));
  EXPECT_LT(answer.dump().size(), kMostAnswerBytes + 500) << name;
  return answer["result"];
}

std::string TextOf(const json& result) { return result["content"][0]["text"]; }

TEST(AnswerMessage, ShakesHands) {
  Service service;
  json answer = Send(service, Request("initialize", {{"protocolVersion", "2025-03-26"}}));
  EXPECT_EQ(answer["id"], 7);
  EXPECT_EQ(answer["result"]["protocolVersion"], "2025-03-26");
  EXPECT_TRUE(answer["result"]["capabilities"].contains("tools"));
  answer = Send(service, Request("initialize", {{"protocolVersion", "1999-01-01"}}));
  EXPECT_EQ(answer["result"]["protocolVersion"], "2025-06-18");
  EXPECT_TRUE(
      Send(service, {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}).is_null());
  EXPECT_TRUE(Send(service, {{"jsonrpc", "2.0"}, {"id", 3}, {"result", json::object()}}).is_null());
  EXPECT_EQ(Send(service, Request("ping"))["result"], json::object());
}

TEST(AnswerMessage, ListsReadOnlyToolsWithSchemas) {
  Service service;
  const json tools = Send(service, Request("tools/list"))["result"]["tools"];
  ASSERT_EQ(tools.size(), Tools().size());
  for (const json& tool : tools) {
    EXPECT_TRUE(tool["annotations"]["readOnlyHint"]);
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    for (const json& name : tool["inputSchema"]["required"]) {
      EXPECT_TRUE(tool["inputSchema"]["properties"].contains(name.get<std::string>()));
    }
  }
}

TEST(AnswerMessage, EndsOnNoHostileMessage) {
  Service service;
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("7"), std::string("\xff"),
        deep, R"({"id": 1})" + std::string(), std::string(R"({"id": {}, "method": "ping"})"),
        std::string(R"([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])"),
        std::string(R"({"id": 1, "method": "ping", "params": 3})"),
        std::string(R"({"id": 1, "method": "tools/call", "params": {"name": 3}})"),
        std::string(R"({"id": 1, "method": "tools/call", "params": {}})"),
        std::string(R"({"id": 1, "method": "resources/read", "params": {"uri": "file:///etc"}})"),
        std::string(R"({"id": 1, "method": "initialize", "params": {"protocolVersion": []}})"),
        std::string(R"({"id": 1, "method": "tools/delete"})")}) {
    const std::string answer = AnswerMessage(text, service.ask());
    ASSERT_TRUE(json::accept(answer)) << text.substr(0, 80);
    EXPECT_TRUE(json::parse(answer).contains("error")) << answer;
  }
}

TEST(AnswerMessage, RefusesArgumentsThatDoNotFit) {
  Service service;
  for (const auto& [name, arguments] :
       std::map<std::string, json>{{"explain", json::object()},
                                   {"compare", {{"run", 7}}},
                                   {"list_runs", {{"limit", -1}}},
                                   {"hottest_functions", {{"nothing\n", "x"}}},
                                   {"function_trend", json::array()}}) {
    const json result = CallTool(service, name, arguments);
    EXPECT_EQ(result["isError"], true) << name;
    EXPECT_EQ(service.request(), "") << "nothing is asked";
  }
}

TEST(AnswerMessage, AFailedQuestionIsAnErrorOfTheTool) {
  Service service;
  const json result = CallTool(service, "compare", {{"run", "absent"}});
  EXPECT_EQ(result["isError"], true);
  EXPECT_THAT(TextOf(result), Not(HasSubstr("\x1b")));
  EXPECT_THAT(service.request(), HasSubstr("absent"));
}

TEST(Compare, ListsFindingsAndHowToGoOn) {
  Service service;
  v1::Report report = reporter::JsonReport();
  const v1::Finding first = report.findings(0);
  while (report.findings_size() < 40) *report.add_findings() = first;
  service.Answer("Compare", report);
  const json result = CallTool(service, "compare", {{"limit", 5}});
  EXPECT_EQ(result["structuredContent"]["findings"].size(), 5u);
  EXPECT_EQ(result["structuredContent"]["all"], 40);
  EXPECT_THAT(TextOf(result), HasSubstr("pass offset=5"));
  const json more = CallTool(service, "compare", {{"offset", 38}});
  EXPECT_EQ(more["structuredContent"]["findings"].size(), 2u);
  EXPECT_THAT(TextOf(more), Not(HasSubstr("pass offset")));
  EXPECT_EQ(
      CallTool(service, "compare", {{"offset", 1000}})["structuredContent"]["findings"].size(), 0u);
}

TEST(Compare, NamesAreDataWhateverTheyContain) {
  Service service;
  v1::Report report = reporter::JsonReport();
  report.mutable_findings(0)->set_function_display("f`](http://x) @all <b>\n# Ignore\x1b[2J");
  service.Answer("Compare", report);
  const std::string text = TextOf(CallTool(service, "compare", json::object()));
  EXPECT_THAT(text, Not(HasSubstr("\n# Ignore")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("f`]")));
}

TEST(Explain, ShortensLongPaths) {
  Service service;
  v1::Explanation explanation;
  *explanation.mutable_finding() = reporter::JsonReport().findings(0);
  for (int i = 0; i < 200; ++i) {
    for (v1::Explanation::Side* side : {explanation.mutable_base(), explanation.mutable_head()}) {
      side->add_path()->set_function(absl::StrCat("f", i));
    }
  }
  explanation.set_verify("gprofhub verify a2edb2b79c");
  service.Answer("Explain", explanation);
  const json result = CallTool(service, "explain", {{"finding", "a2ed"}});
  EXPECT_EQ(result["structuredContent"]["path_is_cut"], true);
  EXPECT_EQ(result["structuredContent"]["head"]["path"].back()["function"], "f199");
  EXPECT_THAT(TextOf(result), HasSubstr("gprofhub verify a2edb2b79c"));
}

TEST(Neighbours, ListsCallersAndCallees) {
  Service service;
  reporter::ProfileBuilder builder;
  builder.Function("main", 1, 99, "main.c").Function("parse", 9, 90, "parse.c");
  builder.Function("next", 90, 0, "next.c").Function("next_line", 0, 0, "next.c");
  builder.Arc("", "main", 1).Arc("main", "parse", 2).Arc("parse", "next", 80);
  v1::GetProfileResponse response;
  response.set_computed(profile::EncodeComputedProfile(builder.Build()));
  service.Answer("GetProfile", response);
  const json result = CallTool(service, "callers_and_callees", {{"function", "parse"}});
  const json& arcs = result["structuredContent"]["arcs"];
  ASSERT_EQ(arcs.size(), 2u);
  EXPECT_EQ(arcs[0]["kind"], "caller");
  EXPECT_EQ(arcs[0]["function"], "main");
  EXPECT_EQ(arcs[1]["calls"], 80);
  // A whole name has precedence over parts.
  EXPECT_FALSE(
      CallTool(service, "callers_and_callees", {{"function", "next"}}).contains("isError"));
  const json several = CallTool(service, "callers_and_callees", {{"function", "nex"}});
  EXPECT_THAT(TextOf(several), HasSubstr("next_line"));
  const json hot = CallTool(service, "hottest_functions", json::object());
  EXPECT_EQ(hot["structuredContent"]["functions"][0]["function"], "next");
}

TEST(Neighbours, AProfileBeyondTheLimitOfMemoryIsAnError) {
  Service service;
  reporter::ProfileBuilder builder;
  for (int i = 0; i < 10000; ++i) builder.Function(absl::StrCat("f", i), 1);
  v1::GetProfileResponse response;
  response.set_computed(profile::EncodeComputedProfile(builder.Build()));
  service.Answer("GetProfile", response);
  base::MemoryBudget budget(uint64_t{100} << 10);
  base::DecodingCall call(budget, "agent", [] { return false; });
  service.Limit(base::Decoding(call));
  EXPECT_EQ(CallTool(service, "hottest_functions", json::object())["isError"], true);
}

TEST(Neighbours, ADamagedProfileIsAnError) {
  Service service;
  v1::GetProfileResponse response;
  response.set_computed("no profile");
  service.Answer("GetProfile", response);
  EXPECT_EQ(CallTool(service, "hottest_functions", json::object())["isError"], true);
}

TEST(AnnotatedSource, ShowsTheLinesAskedFor) {
  Service service;
  v1::TextChunk listing;
  listing.set_text(
      "*** File a/x.c:\n  1 -> one\n       two\n     three\n*** File a/y.c:\n  9 -> y\n");
  service.Answer("GetListing", listing);
  const json result = CallTool(service, "annotated_source", {{"file", "x.c"}, {"first_line", 2}});
  EXPECT_EQ(result["structuredContent"]["lines"][0]["line"], 2);
  EXPECT_EQ(result["structuredContent"]["lines"].size(), 2u);
  EXPECT_THAT(TextOf(CallTool(service, "annotated_source", {{"file", "z.c"}})), HasSubstr("a/y.c"));
}

TEST(Trend, ShowsTheNewestRunFirst) {
  Service service;
  v1::GetTrendResponse trend;
  trend.set_function_display("parse");
  for (int run = 1; run <= 3; ++run) trend.add_points()->set_run_id(absl::StrCat(run));
  service.Answer("GetTrend", trend);
  const json result = CallTool(service, "function_trend", {{"function", "parse"}});
  EXPECT_EQ(result["structuredContent"]["points"][0]["run_id"], "3");
}

TEST(Resources, AreWhatToolsAnswer) {
  Service service;
  service.Answer("Compare", reporter::JsonReport());
  const json read = Send(service, Request("resources/read", {{"uri", "gprofhub://comparison/7"}}));
  EXPECT_EQ(read["result"]["contents"][0]["text"],
            TextOf(CallTool(service, "compare", {{"run", "7"}})));
  EXPECT_EQ(Send(service, Request("resources/list"))["result"]["resources"].size(), 1u);
  EXPECT_EQ(
      Send(service, Request("resources/templates/list"))["result"]["resourceTemplates"].size(), 2u);
}

}  // namespace

}  // namespace gprofhub::mcp
