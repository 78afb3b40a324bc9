#include "tests/attack/attacked_server.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/query.grpc.pb.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"

namespace gprofhub::tests {
AttackedServer::AttackedServer(std::vector<std::string> arguments, rlim_t descriptors)
    : data_dir_(store::MakeTempDir()), credentials_(grpc::InsecureChannelCredentials()) {
  arguments.insert(arguments.end(), {"--data-dir", data_dir_});
  process_ = std::make_unique<ServeProcess>(arguments, Surroundings{descriptors, {}, {}, false});
}

std::string AttackedServer::MakeToken(const std::string& project) {
  const Ended made = RunGprofhub({"token", "create", "--project", project, "--scope",
                                  "upload-main,read", "--data-dir", data_dir_});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  return std::string(absl::StripSuffix(made.out, "\n"));
}

void AttackedServer::ExpectHealthy(int clients, const std::string& token, const std::string& at) {
  for (int i = 0; i < clients; ++i) {
    grpc::ChannelArguments own_connection;
    own_connection.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto channel =
        grpc::CreateCustomChannel(at.empty() ? address() : at, credentials_, own_connection);
    v1::UploadResponse response;
    const grpc::Status sent = Send(
        channel, FaultTestUpload(uploads_++), token, [] {}, response);
    ASSERT_TRUE(sent.ok()) << sent.error_code() << " " << sent.error_message();
    v1::ListRunsRequest request;
    request.set_project("default");
    v1::ListRunsResponse runs;
    grpc::ClientContext call;
    if (!token.empty()) call.AddMetadata("authorization", "Bearer " + token);
    const grpc::Status asked = v1::Query::NewStub(channel)->ListRuns(&call, request, &runs);
    ASSERT_TRUE(asked.ok()) << asked.error_code() << " " << asked.error_message();
    EXPECT_GT(runs.runs_size(), 0);
  }
}

void AttackedServer::UseCredentials(std::shared_ptr<grpc::ChannelCredentials> credentials) {
  credentials_ = std::move(credentials);
}

std::string AttackedServer::Log() const { return process_->Log(); }

uint64_t AttackedServer::PeakMiB() const { return tests::PeakMiB(process_->pid()); }

uint64_t PeakMiB(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    uint64_t kibibytes = 0;
    if (words >> name >> kibibytes && name == "VmHWM:") return kibibytes >> 10;
  }
  ADD_FAILURE() << "the server is gone";
  return 0;
}

}  // namespace gprofhub::tests
