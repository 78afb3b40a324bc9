#include "server/queries/query_methods.h"

#include <set>
#include <type_traits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/http/percent_coding.h"
#include "base/status_macros.h"
#include "proto/query.pb.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/trends.h"

namespace gprofhub::server {

namespace {

using collector::Caller;
using collector::Scope;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

// `answer`: absl::StatusOr<Response>(const QueryData&, const Caller&, const Request&). A response
// std::string is sent as a stream of TextChunk.
template <typename Request, typename Answer>
QueryMethod Act(std::string name, Scope scope, Answer answer) {
  using Returned = typename std::invoke_result_t<Answer, const QueryData&, const Caller&,
                                                 const Request&>::value_type;
  constexpr bool kIsText = std::is_same_v<Returned, std::string>;
  using Response = std::conditional_t<kIsText, v1::TextChunk, Returned>;
  return {std::move(name),
          scope,
          &Request::default_instance(),
          &Response::default_instance(),
          [answer](const QueryData& data, const Caller& caller,
                   const Message& request) -> absl::StatusOr<std::unique_ptr<Message>> {
            ASSIGN_OR_RETURN(Returned returned,
                             answer(data, caller, static_cast<const Request&>(request)));
            auto response = std::make_unique<Response>();
            if constexpr (kIsText) {
              response->set_text(std::move(returned));
            } else {
              *response = std::move(returned);
            }
            return response;
          },
          {}};
}

// The same for a query that changes nothing: `answer` takes no Caller.
template <typename Request, typename Answer>
QueryMethod Read(std::string name, Answer answer, HttpRoute http = {}) {
  QueryMethod row = Act<Request>(std::move(name), Scope::kRead,
                                 [answer](const QueryData& data, const Caller&,
                                          const Request& asked) { return answer(data, asked); });
  row.http = std::move(http);
  return row;
}

std::vector<QueryMethod> MakeTable() {
  const HttpRoute::Parameter base = {"base", "the run to compare with (default: the baseline)"};
  const HttpRoute::Parameter target = {"target", "only of this target"};
  const auto limit = [](uint32_t most) {
    return HttpRoute::Parameter{"limit", "maximum number of entries", most};
  };
  const HttpRoute::Parameter branch = {"branch", "only of this branch"};
  return {
      Read<v1::ListRunsRequest>(
          "ListRuns",
          [](const QueryData& data, const auto& asked) {
            return reporter::ListRuns(data.reading, asked);
          },
          {"/projects/{project}/runs",
           "Runs, newest first",
           {branch,
            {"commit", "the commit hash or a prefix of it"},
            {"pull_request", "number of the pull request"},
            {"parts", "1: parts of branches, pull requests and commits match"},
            {"windows", "1: windows of running programs instead"},
            limit(1000)}}),
      Read<v1::GetRunRequest>(
          "GetRun",
          [](const QueryData& data, const auto& asked) -> absl::StatusOr<v1::Run> {
            ASSIGN_OR_RETURN(v1::Run run, reporter::GetRun(data.reading, asked));
            run.set_page_url(absl::StrReplaceAll(
                data.comparison_url,
                {{"{project}", base::PercentEncoded(asked.project())}, {"{run}", run.run_id()}}));
            return run;
          },
          {"/projects/{project}/runs/{run}",
           "A run: by id, commit, branch, \"latest\", or # and a pull request",
           {{"with_executions", "1: with each execution of each target"}}}),
      Read<v1::GetProfileRequest>("GetProfile",
                                  [](const QueryData& data, const auto& asked) {
                                    return reporter::GetProfile(data.reading, data.blobs, asked);
                                  }),
      Read<v1::GetListingRequest>("GetListing",
                                  [](const QueryData& data, const auto& asked) {
                                    return ListingText(data.reading, data.blobs, data.read_source,
                                                       asked);
                                  }),
      Read<v1::CompareRequest>("Compare",
                               [](const QueryData& data, const auto& asked) {
                                 return reporter::CompareRuns(data.reading, data.blobs, asked,
                                                              data.memory);
                               },
                               {"/projects/{project}/runs/{head}/comparison",
                                "What changed in a run",
                                {base,
                                 {"all_times",
                                  "1: all unchanged and inconclusive times, not only the 1,000 "
                                  "most important"}}}),
      Read<v1::ExplainRequest>("Explain",
                               [](const QueryData& data, const auto& asked) {
                                 return reporter::ExplainFinding(data.reading, data.blobs, asked);
                               },
                               {"/projects/{project}/runs/{head}/comparison/{finding}",
                                "How a finding is reached",
                                {base}}),
      Read<v1::GetTrendRequest>(
          "GetTrend",
          [](const QueryData& data, const auto& asked) {
            return reporter::GetTrend(data.reading, data.blobs, asked, data.memory);
          },
          {"/projects/{project}/function",
           "A function's counts and times from run to run, or by days or weeks",
           {{"function", "linkage name, demangled name, or a unique part of it"},
            target,
            branch,
            {"configuration", "for days and weeks (default: that of the newest run)"},
            {"by", "unit of the rows (default: run)"},
            limit(10'000)}}),
      Read<v1::GetChangesRequest>(
          "GetChanges",
          [](const QueryData& data, const auto& asked) -> absl::StatusOr<v1::GetChangesResponse> {
            ASSIGN_OR_RETURN(v1::GetChangesResponse found,
                             reporter::GetChanges(data.reading, data.blobs, asked));
            RETURN_IF_ERROR(reporter::AddCulprits(data.reading, data.gate, asked.project(), found));
            return found;
          },
          {"/projects/{project}/changes",
           "Permanent changes of a branch's counts and times",
           {{"branch", "default: the project's main branch"},
            {"configuration", "default: that of the newest run"},
            target,
            {"runs", "number of newest runs to analyse", 500},
            limit(1'000'000)}}),
      Read<v1::GetOrderingRequest>("GetOrdering",
                                   [](const QueryData& data, const auto& asked) {
                                     return OrderingText(data.reading, data.blobs, asked);
                                   }),
      Act<v1::AcknowledgeRequest>(
          "Acknowledge", Scope::kAcknowledge,
          [](const QueryData& data, const Caller& caller, const auto& asked) {
            return reporter::Acknowledge(data.gate, asked, caller.actor, absl::Now());
          }),
      Read<v1::ListAcknowledgementsRequest>(
          "ListAcknowledgements",
          [](const QueryData& data, const auto& asked) {
            return reporter::ListAcknowledgements(data.gate, asked);
          },
          {"/projects/{project}/acknowledgements", "Acknowledgements of changes", {}}),
      Act<v1::TakeBackAcknowledgementRequest>(
          "TakeBackAcknowledgement", Scope::kAcknowledge,
          [](const QueryData& data, const Caller& caller, const auto& asked) {
            return reporter::TakeBackAcknowledgement(data.gate, asked, caller.actor,
                                                     caller.scopes.Has(Scope::kAdmin), absl::Now());
          }),
      Act<v1::RecordGatedRequest>(
          "RecordGated", Scope::kUpload,
          [](const QueryData& data, const Caller& caller, const auto& asked) {
            return reporter::RecordGated(data.reading, data.gate, asked,
                                         [&caller](const store::RunRecord& run) {
                                           return collector::PermitRun(caller, run);
                                         });
          }),
      Read<v1::GetGateStatsRequest>(
          "GetGateStats",
          [](const QueryData& data, const auto& asked) {
            return reporter::GetGateStats(data.reading, data.gate, asked);
          },
          {"/projects/{project}/gate", "False alarms of each rule of the gate", {}}),
      Read<v1::GetAskedRerunRequest>("GetAskedRerun",
                                     [](const QueryData& data, const auto& asked) {
                                       return reporter::GetAskedRerun(data.reading, data.gate,
                                                                      asked);
                                     }),
      Act<v1::RecordCulpritRequest>(
          "RecordCulprit", Scope::kUploadMain,
          [](const QueryData& data, const Caller& caller, const auto& asked) {
            return reporter::RecordCulprit(data.gate, asked, caller.actor, absl::Now());
          }),
  };
}

const ServiceDescriptor& QueryService() {
  return *v1::ListRunsRequest::descriptor()->file()->FindServiceByName("Query");
}

const FieldDescriptor* ProjectField(const Message& request) {
  return request.GetDescriptor()->FindFieldByName("project");
}

bool IsText(const FieldDescriptor* field) {
  return field != nullptr && !field->is_repeated() && field->type() == FieldDescriptor::TYPE_STRING;
}

// Whether "?field=value" can set it.
bool IsParameter(const FieldDescriptor* field) {
  if (field == nullptr || field->is_repeated()) return false;
  switch (field->type()) {
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_UINT32:
    case FieldDescriptor::TYPE_BOOL:
    case FieldDescriptor::TYPE_ENUM:
      return true;
    default:
      return false;
  }
}

absl::Status CheckRoute(const QueryMethod& row) {
  if (row.http.path.empty()) return absl::OkStatus();
  const auto error = [&row](absl::string_view why) {
    return absl::InternalError(absl::StrCat("Query.", row.name, ": ", why));
  };
  if (row.scope != Scope::kRead) return error("GET needs the scope read");
  const Descriptor& request = *row.request->GetDescriptor();
  bool names_project = false;
  for (const absl::string_view segment : absl::StrSplit(row.http.path, '/')) {
    if (!absl::StartsWith(segment, "{")) continue;
    const std::string field(segment.substr(1, segment.size() - 2));
    if (!IsText(request.FindFieldByName(field))) {
      return error(absl::StrCat("no text field ", segment));
    }
    names_project |= field == "project";
  }
  if (!names_project) return error("the path has no {project}");
  for (const HttpRoute::Parameter& parameter : row.http.parameters) {
    if (parameter.field == "project" || !IsParameter(request.FindFieldByName(parameter.field))) {
      return error(absl::StrCat("no parameter ", parameter.field));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRow(const QueryMethod& row) {
  const MethodDescriptor* const method = QueryService().FindMethodByName(row.name);
  const auto error = [&row](absl::string_view why) {
    return absl::InternalError(absl::StrCat("Query.", row.name, ": ", why));
  };
  if (method == nullptr) return error("not a method of the service");
  if (row.request->GetDescriptor() != method->input_type() ||
      row.response->GetDescriptor() != method->output_type()) {
    return error("the row has messages of another method");
  }
  const bool is_text = row.response->GetDescriptor() == v1::TextChunk::descriptor();
  if (method->client_streaming() || method->server_streaming() != is_text) {
    return error("only responses of TextChunk are streams");
  }
  if (!IsText(ProjectField(*row.request))) return error("the request names no project");
  return CheckRoute(row);
}

// Data sources of all calls.
struct ServedData {
  store::Reading reading;
  store::Blobs blobs;
  base::MemoryBudget& decoding;
  store::GateRecords gate;
  ReadSource read_source;
  std::string comparison_url;
};

// One call of a row's method.
class QueryHandler final : public collector::CallHandler {
 public:
  QueryHandler(const QueryMethod& row, std::shared_ptr<const ServedData> served,
               collector::CallContext context)
      : row_(row),
        served_(std::move(served)),
        context_(std::move(context)),
        request_(row.request->New()) {}

  absl::Status Receive(absl::string_view bytes) override {
    RETURN_IF_ERROR(collector::ParseBounded(bytes, *request_));
    return collector::Permit(context_.caller, Project(), row_.scope);
  }

  absl::StatusOr<collector::NextMessage> Answer() override {
    if (row_.scope != Scope::kRead) {
      RETURN_IF_ERROR(context_.charge(Project(), request_->ByteSizeLong()));
    }
    base::DecodingCall decoding(served_->decoding, Project(), context_.cancelled);
    // Each access to the store stops the call if the client has gone.
    const auto wanted = [&decoding] { return decoding.CheckWanted(); };
    const store::Reading reading = served_->reading.WithCheck(wanted);
    const store::GateRecords gate = served_->gate.WithCheck(wanted);
    const QueryData data = {reading,
                            {served_->blobs, base::Decoding(decoding)},
                            gate,
                            served_->read_source,
                            served_->comparison_url};
    ASSIGN_OR_RETURN(const std::unique_ptr<Message> response,
                     row_.answer(data, context_.caller, *request_));
    if (row_.response->GetDescriptor() != v1::TextChunk::descriptor()) {
      return collector::OneMessage(response->SerializeAsString());
    }
    return collector::InPieces(std::move(*static_cast<v1::TextChunk&>(*response).mutable_text()),
                               [](std::string piece) {
                                 v1::TextChunk chunk;
                                 chunk.set_text(std::move(piece));
                                 return chunk.SerializeAsString();
                               });
  }

 private:
  std::string Project() const {
    return request_->GetReflection()->GetString(*request_, ProjectField(*request_));
  }

  const QueryMethod& row_;
  const std::shared_ptr<const ServedData> served_;
  const collector::CallContext context_;
  const std::unique_ptr<Message> request_;
};

}  // namespace

const std::vector<QueryMethod>& QueryTable() {
  static const auto* const table = new std::vector<QueryMethod>(MakeTable());
  return *table;
}

absl::Status CheckQueryTable(const std::vector<QueryMethod>& table) {
  std::set<std::string> names;
  for (const QueryMethod& row : table) {
    RETURN_IF_ERROR(CheckRow(row));
    if (!names.insert(row.name).second) {
      return absl::InternalError(absl::StrCat("Query.", row.name, ": several rows"));
    }
  }
  for (int i = 0; i < QueryService().method_count(); ++i) {
    const std::string& name = QueryService().method(i)->name();
    if (!names.contains(name)) return absl::InternalError(absl::StrCat("Query.", name, ": no row"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<collector::Method>> QueryMethods(
    const store::Reading& reading, const store::Blobs& blobs, base::MemoryBudget& decoding,
    const store::GateRecords& gate, const ReadSource& read_source,
    const std::string& comparison_url, const std::vector<QueryMethod>& table) {
  RETURN_IF_ERROR(CheckQueryTable(table));
  const auto served = std::make_shared<const ServedData>(
      ServedData{reading, blobs, decoding, gate, read_source, comparison_url});
  std::vector<collector::Method> methods;
  for (const QueryMethod& row : table) {
    collector::Method method;
    method.name = absl::StrCat("/", QueryService().full_name(), "/", row.name);
    method.start = [&row, served](collector::CallContext context) {
      return std::make_unique<QueryHandler>(row, served, std::move(context));
    };
    methods.push_back(std::move(method));
  }
  return methods;
}

}  // namespace gprofhub::server
