#include "cli/health/command.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ci/upload/call_status.h"
#include "ci/upload/channel.h"
#include "cli/client/connect.h"
#include "proto/health.pb.h"

namespace gprofhub::cli {
namespace {

// Who asks again every few seconds wants no longer answer than that.
constexpr absl::Duration kTimeout = absl::Seconds(5);

struct HealthArguments {
  ServerOptions server;
  std::string service;
};

// The whole server's is asked for as "".
// Source: https://github.com/grpc/grpc/blob/v1.51.1/doc/health-checking.md
absl::StatusOr<v1::HealthCheckResponse> AskHealth(const HealthArguments& arguments) {
  v1::HealthCheckRequest request;
  request.set_service(arguments.service);
  const grpc::Slice bytes(request.SerializeAsString());
  const grpc::ByteBuffer message(&bytes, 1);
  grpc::GenericStub stub(Connect(arguments.server));
  grpc::ClientContext call;
  // It needs no token, so none is sent.
  ci::PrepareCall("", kTimeout, call);
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
    return absl::DataLossError("the answer is no health check's");
  }
  return response;
}

int RunHealth(const HealthArguments& arguments) {
  const absl::StatusOr<v1::HealthCheckResponse> health = AskHealth(arguments);
  if (!health.ok()) {
    return ReportStatus(
        absl::Status(health.status().code(),
                     absl::StrCat(arguments.server.server, ": ", health.status().message())));
  }
  if (health->status() != v1::HealthCheckResponse::SERVING) {
    PrintOutput("not serving\n");
    return kExitFailure;
  }
  return PrintOutput("serving\n");
}

}  // namespace

void AddHealthCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand("health",
                                         "Say whether a server serves\n"
                                         "Prints \"serving\" and ends with 0, or \"not serving\" "
                                         "and ends with 1; with 4 if it does not "
                                         "answer within five seconds. Needs no token.");
  auto arguments = std::make_shared<HealthArguments>();
  command->add_option("--service", arguments->service,
                      "A part of the server, such as gprofhub.v1.Query or gprofhub.worker "
                      "(default: all of it)");
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub health", "gprofhub health --server 10.0.0.5:7070"});
  command->callback([arguments, &run] { run = [arguments] { return RunHealth(*arguments); }; });
}

}  // namespace gprofhub::cli
