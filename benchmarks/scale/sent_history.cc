// A history made by real clients: `gprofhub serve` gets every run through the collector, and its
// workers analyse it. Then clients query it.
//
//   sent_history FOLDER RUNS      SQLite in this folder, which is empty
//   sent_history postgres RUNS    a PostgreSQL server that it starts, below TMPDIR
//
// A run has 20 targets of 200 functions. Eight clients send runs, each one upload after the other.
// Every run is another commit. Its counts step now and then, its samples scatter, and each target's
// code changes every fifty runs. After a hundredth of the runs, a tenth, and all of them it prints
// how long that took, the disk space of each target and run, and the latency of queries.
#include <grpcpp/client_context.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "benchmarks/scale/made_uploads.h"
#include "benchmarks/scale/measuring.h"
#include "proto/query.grpc.pb.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::scale {
namespace {

constexpr MadeSize kSize = {20, 200};
constexpr int kClients = 8;
constexpr int kRunsOfCode = 50;
// A change of code is sent by runs that may be in flight at the same time as the first that has it.
constexpr int kSendCode = 2 * kClients;
constexpr int kQuestions = 60;
constexpr int64_t kFirstRun = 1'600'000'000'000;  // Unix time in milliseconds
constexpr int64_t kHour = 3'600'000;

std::string CommitOf(int run) { return absl::StrFormat("%040x", run + 1); }

// The program of each target as one client saw it last. A build makes it once for many runs, too.
class Programs {
 public:
  const std::string& BundleOf(int target, int version) {
    Program& program = programs_[static_cast<size_t>(target)];
    if (program.version != version) program = {version, MadeBundle(target, kSize, version)};
    return program.bundle;
  }

 private:
  struct Program {
    int version = -1;
    std::string bundle;
  };
  std::array<Program, kSize.targets> programs_;
};

collector::SampleUpload UploadOf(int run, int target, Programs& programs) {
  // Each of a target's changes is in another run.
  const int version = (run + 2 * target) / kRunsOfCode;
  std::mt19937_64 random(static_cast<uint64_t>(run) * 1000 + static_cast<uint64_t>(target));
  std::vector<uint16_t> samples;
  for (int i = 0; i < kSize.functions; ++i) {
    samples.push_back(
        static_cast<uint16_t>(std::poisson_distribution<int>(400.0 / (1 + i))(random)));
  }
  const std::string profile = MadeProfile(kSize, version, samples, [&](int function, int arc) {
    const int steps = (run + 37 * function + 411 * target) / 2000;
    return 100 * (static_cast<uint64_t>(function) + 1) / static_cast<uint64_t>(arc) +
           7 * static_cast<uint64_t>(steps);
  });
  collector::SampleUpload upload = MadeUpload(target, programs.BundleOf(target, version), profile);
  const std::string build_id = absl::StrFormat("%020x%020x", version, target + 1);
  upload.header.mutable_images(0)->set_build_id(build_id);
  upload.header.mutable_profiles(0)->set_build_id(build_id);
  if (run >= kSendCode && (run + 2 * target) % kRunsOfCode >= kSendCode) SendNoBundle(upload);
  v1::RunInfo& info = *upload.header.mutable_run();
  info.set_run_key(absl::StrCat("run-", run));
  info.set_commit(CommitOf(run));
  info.set_started_unix_ms(kFirstRun + kHour * run);
  info.set_commit_unix_ms(kFirstRun + kHour * run);
  for (int i = run - 1; i >= std::max(0, run - 100); --i) info.add_ancestors(CommitOf(i));
  return upload;
}

void SendOne(const tests::ServeProcess& server, int run, Programs& programs, std::string& run_id) {
  std::vector<collector::SampleUpload> uploads;
  for (int target = 0; target < kSize.targets; ++target) {
    uploads.push_back(UploadOf(run, target, programs));
  }
  run_id = SendRun(server, uploads, 1);
}

// Sends the runs from `begin` to `end`, and returns when all are analysed.
void SendRuns(const tests::ServeProcess& server, int begin, int end) {
  std::vector<std::string> ids(static_cast<size_t>(end - begin));
  std::atomic<int> next = begin;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      Programs programs;
      for (int run = next++; run < end; run = next++) {
        SendOne(server, run, programs, ids[static_cast<size_t>(run - begin)]);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  for (const std::string& id : ids) tests::AwaitAnalysis(server.Connect(), id);
}

struct Answers {
  double trend = 0, runs = 0, report = 0;  // medians, in milliseconds
};

// Asks `kQuestions` times, prints the times, and returns their median.
double Ask(const std::string& name, const std::function<grpc::Status(int)>& question) {
  std::vector<double> taken;
  for (int i = 0; i < kQuestions; ++i) {
    taken.push_back(MillisecondsOf([&] {
      const grpc::Status status = question(i);
      if (!status.ok()) Die(status.error_message());
    }));
  }
  absl::PrintF("  %s: median %.1f ms, 99 of 100 %.1f ms\n", name, Quantile(taken, 0.5),
               Quantile(taken, 0.99));
  return Quantile(taken, 0.5);
}

Answers AskAll(const tests::ServeProcess& server, int runs) {
  const auto query = v1::Query::NewStub(server.Connect());
  Answers answers;
  answers.trend = Ask(absl::StrCat("trend over ", runs, " runs"), [&](int i) {
    v1::GetTrendRequest request;
    request.set_project("default");
    request.set_branch("main");
    request.set_function(MadeName(i % kSize.targets, (13 * i) % kSize.functions));
    request.set_limit(static_cast<uint32_t>(runs));
    v1::GetTrendResponse response;
    grpc::ClientContext call;
    const grpc::Status status = query->GetTrend(&call, request, &response);
    if (status.ok() && response.points_size() != runs) Die("points are missing");
    return status;
  });
  answers.runs = Ask("runs, the newest 100", [&](int) {
    v1::ListRunsRequest request;
    request.set_project("default");
    request.set_limit(100);
    v1::ListRunsResponse response;
    grpc::ClientContext call;
    return query->ListRuns(&call, request, &response);
  });
  answers.report = Ask("report on one of the newest runs", [&](int i) {
    v1::CompareRequest request;
    request.set_project("default");
    // Each another one: the server keeps reports that were made.
    request.set_head(CommitOf(runs - 1 - i % std::min(runs - 1, kQuestions)));
    v1::Report response;
    grpc::ClientContext call;
    return query->Compare(&call, request, &response);
  });
  return answers;
}

int Main(const std::string& where, int runs) {
  std::unique_ptr<tests::PostgresServer> postgres;
  std::vector<std::string> arguments = {"--data-dir", where};
  if (where == "postgres") {
    postgres = OrDie(tests::PostgresServer::Start());
    arguments = {"--store", OrDie(postgres->CreateDatabase("history"))};
  } else {
    std::filesystem::create_directories(where);
    if (!std::filesystem::is_empty(where)) Die(where + " is not empty");
  }
  const tests::ServeProcess server(arguments);
  std::cout << MachineNow() << "\n";
  const absl::Time begun = absl::Now();
  Answers first, last;
  int sent = 0;
  for (const int milestone : {runs / 100, runs / 10, runs}) {
    SendRuns(server, sent, milestone);
    sent = milestone;
    const double seconds = absl::ToDoubleSeconds(absl::Now() - begun);
    absl::PrintF("%d runs sent and analysed after %.0f s", sent, seconds);
    if (postgres == nullptr) {
      absl::PrintF(", %.0f bytes for a target and run",
                   static_cast<double>(BytesIn(where)) / sent / kSize.targets);
    }
    std::cout << std::endl;
    last = AskAll(server, sent);
    if (milestone == runs / 100) first = last;
    std::cout << MachineNow() << std::endl;
  }
  const auto exponent = [](double few, double many) { return std::log10(many / few) / 2; };
  absl::PrintF("exponents of growth: trend %.2f, runs %.2f, report %.2f\n",
               exponent(first.trend, last.trend), exponent(first.runs, last.runs),
               exponent(first.report, last.report));
  return 0;
}

}  // namespace
}  // namespace gprofhub::scale

int main(int argc, char** argv) {
  int runs = 0;
  if (argc != 3 || !absl::SimpleAtoi(argv[2], &runs) || runs < 1000 || runs > 10'000) {
    std::cerr << "usage: sent_history FOLDER|postgres RUNS (1,000 to 10,000)\n";
    return 2;
  }
  return gprofhub::scale::Main(argv[1], runs);
}
