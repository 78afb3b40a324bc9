// gprofhub.v1.Query: the table of its methods, which gRPC and /api/v1 serve.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_budget.h"
#include "collector/access/authorizer.h"
#include "collector/method.h"
#include "reporter/queries/runs.h"
#include "server/queries/served_listing.h"
#include "store/gate_records.h"
#include "store/reading.h"

namespace gprofhub::server {

// Data sources of one query.
struct QueryData {
  const store::Reading& reading;
  reporter::BlobReader blobs;  // within the caller's memory limit
  const store::GateRecords& gate;
  const ReadSource& read_source;  // null: source is unavailable
  // Template of a comparison's address, with {project} and {run}; empty: unknown.
  const std::string& comparison_url;
  reporter::QueryMemory* memory = nullptr;  // null: nothing is cached
};

// GET address of a query under /api/v1.
struct HttpRoute {
  struct Parameter {
    std::string field;  // of the request: a text, a number, a bool (0 or 1), or an enum
    std::string about;
    uint32_t most = std::numeric_limits<uint32_t>::max();  // of a number
  };

  std::string path;  // below /api/v1; a segment "{field}" sets that text field of the request
  std::string about;
  std::vector<Parameter> parameters;  // "?field=value"
};

// One row of the table.
struct QueryMethod {
  using Message = google::protobuf::Message;

  std::string name;        // as the service declares it
  collector::Scope scope;  // that the caller needs for request.project()
  // Prototypes of the messages.
  const Message* request;
  const Message* response;
  // `caller` has `scope`. Errors are the query's.
  std::function<absl::StatusOr<std::unique_ptr<Message>>(
      const QueryData& data, const collector::Caller& caller, const Message& request)>
      answer;
  HttpRoute http;  // only with Scope::kRead; without a path, gRPC is the only way to call it
};

// All methods of the service.
const std::vector<QueryMethod>& QueryTable();

// INTERNAL names the row that does not fit the service: each method needs exactly one row, of the
// method's messages, whose request names a project; an HTTP route needs Scope::kRead, and fields
// that it can set.
absl::Status CheckQueryTable(const std::vector<QueryMethod>& table);

// The table for a CallServer. Every call is authorized for the project that its request names. A
// call decodes within the project's part of `decoding`, which outlives the methods, as does
// `table`. `read_source` is null if source is unavailable. Errors are CheckQueryTable's.
absl::StatusOr<std::vector<collector::Method>> QueryMethods(
    const store::Reading& reading, const store::Blobs& blobs, base::MemoryBudget& decoding,
    const store::GateRecords& gate, const ReadSource& read_source = nullptr,
    const std::string& comparison_url = "", const std::vector<QueryMethod>& table = QueryTable());

}  // namespace gprofhub::server
