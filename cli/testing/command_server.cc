#include "cli/testing/command_server.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "absl/time/time.h"
#include "analyzer/worker/analyze_target.h"
#include "analyzer/worker/worker.h"
#include "cli/serve/query_service.h"
#include "collector/call_access.h"
#include "collector/calls/method.h"

namespace gprofhub::cli {

std::unique_ptr<CommandServer> CommandServer::Start(const std::filesystem::path& folder) {
  // Keeps the server's log out of the command's output.
  spdlog::set_level(spdlog::level::off);
  absl::StatusOr<store::Store> store = store::OpenStore("sqlite:" + folder.string());
  EXPECT_TRUE(store.ok()) << store.status();
  if (!store.ok()) return nullptr;
  std::unique_ptr<CommandServer> started(new CommandServer(*std::move(store)));
  std::vector<collector::Method> methods = started->collector_.Methods();
  const store::Store& own = started->store_;
  for (collector::Method& method : QueryMethods(
           own.reading, own.blobs, started->decoding_, own.gate,
           [read = started->read_source_](const std::string&project, const std::string&commit,
                                          const std::string&path) -> absl::StatusOr<SourceText> {
             if (*read == nullptr) return absl::NotFoundError("no source here");
             return (*read)(project, commit, path);
           })) {
    methods.push_back(std::move(method));
  }
  GrpcServer::Options options;
  options.calls.roles = "collector, query";
  auto server = GrpcServer::Start({"127.0.0.1", 0}, std::move(methods),
                                  collector::AccessOf(started->authorizer_), options);
  EXPECT_TRUE(server.ok()) << server.status();
  if (!server.ok()) return nullptr;
  started->server_ = *std::move(server);
  return started;
}

CommandServer::CommandServer(store::Store store)
    : store_(std::move(store)),
      authorizer_(store_.tokens, store_.audit),
      collector_(store_.blobs, store_.ingest, ServiceOptions()) {}

collector::CollectorService::Options CommandServer::ServiceOptions() {
  collector::CollectorService::Options options;
  options.on_recorded = [this] {
    if (analyses_on_arrival_) RunWorker();
  };
  return options;
}

std::vector<std::string> CommandServer::Asked(std::vector<std::string> words) const {
  words.push_back("--server");
  words.push_back(server_->address().ToString());
  return words;
}

void CommandServer::RunWorker() {
  analyzer::WorkerOptions options;
  options.name = "test";
  options.quiet = absl::ZeroDuration();
  analyzer::Worker worker(store_.jobs, store_.reading, store_.blobs, analyzer::AnalyzeTarget,
                          options);
  for (absl::StatusOr<bool> more = true; more.ok() && *more;) more = worker.RunOnce();
}

void CommandServer::ReadSourceBy(ReadSource read_source) { *read_source_ = std::move(read_source); }

void CommandServer::AnalyseOnArrival() { analyses_on_arrival_ = true; }

void CommandServer::Stop() { server_->Stop(absl::ZeroDuration()); }

}  // namespace gprofhub::cli
