// The Model Context Protocol: tools that let coding agents ask the query service. The transport is
// the caller's. Source: the protocol's specification, revision 2025-06-18.
#pragma once

#include <google/protobuf/message.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_budget.h"

namespace gprofhub::mcp {

// The query service of one project.
struct Ask {
  // Calls a method; the project is set in the request. A stream of TextChunk is one TextChunk.
  std::function<absl::StatusOr<std::unique_ptr<google::protobuf::Message>>(
      const std::string& method, std::unique_ptr<google::protobuf::Message> request)>
      call;
  // The limit of the memory of decoded profiles.
  base::Decoding decoding = {};
};

// Bytes of an answer's text and structured content together, unless the caller asks for more.
inline constexpr size_t kMostAnswerBytes = 8000;

// The result of a tool: Markdown for the model, and the same as data.
struct ToolAnswer {
  std::string text;
  nlohmann::ordered_json structured;
};

// One tool. All are read-only.
struct Tool {
  std::string name;
  std::string title;
  std::string description;
  // JSON schemas of the arguments, by name.
  nlohmann::ordered_json properties;
  std::vector<std::string> required;
  // `arguments` has the required ones, all of their schemas' types.
  std::function<absl::StatusOr<ToolAnswer>(const Ask& ask, const nlohmann::json& arguments)> run;
};

const std::vector<Tool>& Tools();

// The answer to one message of a client, as one line of JSON without a line end; empty for a
// notification. Never fails: errors are answers.
std::string AnswerMessage(absl::string_view message, const Ask& ask);

}  // namespace gprofhub::mcp
