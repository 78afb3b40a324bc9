#include "cli/client/query_client.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/hash.h"
#include "base/http/http.h"
#include "base/network/network.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "ci/upload/connection/channel.h"

namespace gprofhub::cli {

absl::StatusOr<v1::HealthCheckResponse> AskHealth(const std::shared_ptr<grpc::Channel>& channel,
                                                  const std::string& service,
                                                  absl::Duration timeout) {
  v1::HealthCheckRequest request;
  request.set_service(service);
  const grpc::Slice bytes(request.SerializeAsString());
  const grpc::ByteBuffer message(&bytes, 1);
  grpc::GenericStub stub(channel);
  grpc::ClientContext call;
  ci::PrepareCall("", timeout, call);
  grpc::CompletionQueue queue;
  const auto reader = stub.PrepareUnaryCall(&call, "/grpc.health.v1.Health/Check", message, &queue);
  reader->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  reader->Finish(&answer, &status, &queue);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return ci::StatusOfCall(status);
  grpc::Slice slice;
  v1::HealthCheckResponse response;
  if (!answer.DumpToSingleSlice(&slice).ok() ||
      !response.ParseFromArray(slice.begin(), static_cast<int>(slice.size()))) {
    return absl::DataLossError("invalid answer to the health check");
  }
  return response;
}

namespace {

ci::ClientTls TlsOf(const ServerOptions& options) {
  return {options.authorities, options.client_certificate, options.client_key};
}

}  // namespace

std::shared_ptr<grpc::Channel> Connect(const ServerOptions& options) {
  if (!options.token.empty() && ci::SendsInTheClear(options.server)) {
    Warn(absl::StrCat("the token is sent to ", options.server,
                      " unencrypted; use an https:// address"));
  }
  const ci::ClientTls tls = TlsOf(options);
  if (!tls.empty() && !absl::StartsWith(options.server, "https://")) {
    Warn(absl::StrCat("certificates are given, but the connection to ", options.server,
                      " is not encrypted; use an https:// address"));
  }
  return ci::ConnectTo(options.server, tls);
}

std::string WhyNoAnswer(const ServerOptions& options) {
  return ci::ExplainNoConnection(options.server, TlsOf(options));
}

namespace {

constexpr size_t kMaxAnswerBytes = 64 << 10;
constexpr char kRequestToken[] = "ACTIONS_ID_TOKEN_REQUEST_TOKEN";

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

ci::TokenSource TokenSourceOfJob() {
  ci::GitHubTokenRequest request;
  request.audience = Variable("GPROFHUB_ID_TOKEN_AUDIENCE");
  if (request.audience.empty()) return ci::FixedToken("");
  request.url = Variable("ACTIONS_ID_TOKEN_REQUEST_URL");
  absl::StatusOr<std::string> token = base::HeaderSecret(kRequestToken, Variable(kRequestToken));
  if (!token.ok()) return [error = token.status()] { return error; };
  request.token = *std::move(token);
  if (request.url.empty() || request.token.empty()) {
    if (Variable("GITHUB_ACTIONS") != "true") return ci::FixedToken("");
    return [] {
      return absl::FailedPreconditionError(
          "GPROFHUB_ID_TOKEN_AUDIENCE is set, but this job of GitHub Actions cannot get ID tokens: "
          "add `permissions: {contents: read, id-token: write}` to the job in its workflow (pull "
          "requests from forks never have this permission), or pass --token-file or "
          "GPROFHUB_TOKEN");
    };
  }
  base::CurlOptions curl;
  curl.max_response_bytes = kMaxAnswerBytes;
  request.get = [http = base::MakeCurlClient(curl)](
                    const std::string& url,
                    const std::string& authorization) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const base::HttpResponse answer,
                     http({"GET", url, {{"Authorization", authorization}}, ""}));
    if (answer.status == 200) return answer.body;
    const std::string what =
        absl::StrCat("GitHub returned no ID token: HTTP status ", answer.status);
    if (answer.status == 429 || answer.status >= 500) return absl::UnavailableError(what);
    return absl::FailedPreconditionError(
        absl::StrCat(what, "; the job needs `permissions: {contents: read, id-token: write}`"));
  };
  request.now = absl::Now;
  return ci::GitHubIdTokens(std::move(request));
}

}  // namespace

ci::TokenSource TokenSourceOf(const ServerOptions& options) {
  if (!options.token.empty()) return ci::FixedToken(options.token);
  return [of_job = TokenSourceOfJob()]() -> absl::StatusOr<std::string> {
    absl::StatusOr<std::string> token = of_job();
    // No call can be made without it, so the code is that of a server that refuses every call.
    if (token.ok() || absl::IsUnavailable(token.status())) return token;
    return absl::UnauthenticatedError(token.status().message());
  };
}

namespace {

constexpr absl::Duration kGitTimeout = absl::Seconds(5);

// Fields of requests that name a run.
constexpr absl::string_view kRunFields[] = {"run", "head", "base", "more_runs", "commit"};

bool IsHead(absl::string_view name) {
  return (absl::ConsumePrefix(&name, "HEAD") || absl::ConsumePrefix(&name, "@")) &&
         name.find_first_not_of("~^0123456789") == absl::string_view::npos;
}

// Whether only the server can know the name.
bool IsOfServer(absl::string_view name) {
  return name.empty() || absl::StartsWith(name, "latest") || absl::StartsWith(name, "#") ||
         absl::StartsWith(name, "-") || base::IsLowerHex(name);
}

}  // namespace

std::string CommitOfName(const ci::GitCommand& git, const std::string& name) {
  const bool is_head = IsHead(name);
  if (!is_head && IsOfServer(name)) return "";
  const std::string revision = absl::StrCat(is_head ? "" : "refs/tags/", name, "^{commit}");
  return git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision}).value_or("");
}

QueryClient::QueryClient(const ServerOptions& options, std::ostream& notes, absl::Duration timeout)
    : options_(options),
      token_(TokenSourceOf(options)),
      stub_(v1::Query::NewStub(Connect(options))),
      notes_(notes),
      timeout_(timeout) {}

void QueryClient::ResolveNames(google::protobuf::Message& request) {
  using google::protobuf::FieldDescriptor;
  resolved_.clear();
  const google::protobuf::Reflection& fields = *request.GetReflection();
  const ci::GitCommand git = ci::GitIn(".", kGitTimeout);
  const auto resolve = [&](const std::string& name) {
    std::string commit = CommitOfName(git, name);
    if (commit.empty()) return name;
    resolved_ = absl::StrCat(base::Printable(name), " is commit ", commit);
    return commit;
  };
  for (const absl::string_view name : kRunFields) {
    const FieldDescriptor* const field =
        request.GetDescriptor()->FindFieldByName(std::string(name));
    if (field == nullptr || field->type() != FieldDescriptor::TYPE_STRING) continue;
    if (!field->is_repeated()) {
      fields.SetString(&request, field, resolve(fields.GetString(request, field)));
      continue;
    }
    for (int i = 0; i < fields.FieldSize(request, field); ++i) {
      fields.SetRepeatedString(&request, field, i,
                               resolve(fields.GetRepeatedString(request, field, i)));
    }
  }
}

std::unique_ptr<grpc::ClientContext> QueryClient::NewCall() const {
  auto call = std::make_unique<grpc::ClientContext>();
  const absl::StatusOr<std::string> token = token_();
  token_error_ = token.status();
  ci::PrepareCall(token.ok() ? *token : "", timeout_, *call);
  return call;
}

void QueryClient::NoteAge(const grpc::ClientContext& call) const {
  const auto& trailing = call.GetServerTrailingMetadata();
  const auto found = trailing.find("gprofhub-as-of");
  if (found == trailing.end() || noted_age_) return;
  const absl::string_view text(found->second.data(), found->second.size());
  absl::Time as_of;
  // An invalid time is not shown, in case it contains terminal escapes.
  if (!absl::ParseTime(absl::RFC3339_full, text, &as_of, /*err=*/nullptr)) return;
  noted_age_ = true;
  notes_ << "note: " << options_.server << " answers from a replica of the database, as of "
         << absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", as_of, absl::UTCTimeZone()) << "\n";
}

absl::Status QueryClient::Explain(const grpc::ClientContext& call,
                                  const grpc::Status& status) const {
  if (status.ok()) {
    NoteAge(call);
    return absl::OkStatus();
  }
  const absl::Status said = ci::StatusOfCall(status);
  if (absl::IsUnauthenticated(said) && !token_error_.ok()) return token_error_;
  const std::optional<absl::Status> no_answer = ci::ExplainNoAnswer(
      options_.server, said, timeout_, [this] { return WhyNoAnswer(options_); });
  if (no_answer.has_value()) return *no_answer;
  switch (said.code()) {
    case absl::StatusCode::kUnavailable:
      return absl::UnavailableError(
          absl::StrCat(options_.server, " cannot answer now: ", base::Printable(said.message())));
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return absl::Status(said.code(), absl::StrCat(options_.server, " refused the request: ",
                                                    base::Printable(said.message()),
                                                    " (the token comes from --token-file or "
                                                    "GPROFHUB_TOKEN, the project from --project)"));
    case absl::StatusCode::kUnimplemented:
      return absl::UnimplementedError(absl::StrCat(
          options_.server, " does not support this request (", base::Printable(said.message()),
          "); name a server with the role query that is at least as new as this command, with "
          "--server or GPROFHUB_SERVER"));
    default:
      return absl::Status(said.code(), absl::StrCat(base::PrintableLines(said.message()),
                                                    resolved_.empty() ? "" : " (", resolved_,
                                                    resolved_.empty() ? "" : ")"));
  }
}

absl::StatusOr<std::string> QueryClient::ReadText(const grpc::ClientContext& call,
                                                  TextStream stream) const {
  std::string text;
  v1::TextChunk chunk;
  while (stream->Read(&chunk)) text += chunk.text();
  RETURN_IF_ERROR(Explain(call, stream->Finish()));
  return text;
}

}  // namespace gprofhub::cli
