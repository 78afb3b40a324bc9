// How long a pull request waits for its comment once its tests have ended: a real `gprofhub serve`
// with SQLite, and a made-up GitHub. The profiles of many targets are made beforehand, as the
// client has them, and sent as `gprofhub upload` sends them.
//
//   comment_cost TARGETS FUNCTIONS     in the folder that TMPDIR names
//
// The run of the main branch is sent by one client, one upload after the other; the pull request's
// by 16 at once, and in every second target some functions are called more often. Printed is when
// everything was sent and when the comment came.
#include <grpcpp/client_context.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "benchmarks/scale/measuring.h"
#include "collector/testing/sample_upload.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/writer.h"
#include "reporter/forge/testing/fake_forge.h"
#include "store/testing/temp_dir.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::scale {
namespace {

constexpr uint64_t kText = 0x1000;
constexpr uint64_t kFunctionBytes = 0x40;
constexpr int kAtOnce = 16;

struct Size {
  int targets = 0;
  int functions = 0;
};

uint64_t AddressOf(int function) {
  return kText + kFunctionBytes * static_cast<uint64_t>(function);
}

std::string BundleOf(int target, const Size& size) {
  profile::SymbolTable symbols;
  symbols.build_id = absl::StrFormat("%040x", target + 1);
  symbols.architecture = "x86_64";
  symbols.image_name = "a_test";
  symbols.text_low = kText;
  symbols.text_high = AddressOf(size.functions);
  symbols.files = {"", "db/query.cc"};
  for (int i = 0; i < size.functions; ++i) {
    profile::FunctionSymbol function;
    function.address = AddressOf(i);
    function.size = kFunctionBytes;
    function.name = i % 2 == 0 ? absl::StrCat("_ZN4base8function", i, "Ev")
                               : absl::StrCat("_ZN2t", target, "8function", i, "Ev");
    function.file = 1;
    function.line = static_cast<uint32_t>(10 * i + 1);
    function.is_function = true;
    symbols.functions.push_back(function);
    symbols.lines.push_back({AddressOf(i), 1, function.line});
  }
  symbols.lines.push_back({symbols.text_high, 0, 0});
  return profile::EncodeSymbolBundle(symbols);
}

std::string GmonOf(int target, const Size& size, bool changed) {
  profile::RawProfile profile;
  profile::Histogram histogram;
  histogram.low_pc = kText;
  histogram.high_pc = AddressOf(size.functions);
  histogram.rate = 1000;
  profile.arcs.push_back({0, kText, 1});
  for (int i = 0; i < size.functions; ++i) {
    histogram.bins.push_back(static_cast<uint16_t>((i * 7 + target) % 40 + (changed ? i % 3 : 0)));
  }
  for (int i = 0; i < size.functions; ++i) {
    for (int k = 1; k <= 3; ++k) {
      const int callee = (i * 7 + k) % size.functions;
      uint64_t count = static_cast<uint64_t>(100 * (i + 1) / k);
      if (changed && i % 50 == 7) {
        // Enough that somebody is told.
        count *= 4;
        histogram.bins[static_cast<size_t>(callee)] += 150;
      }
      profile.arcs.push_back(
          {AddressOf(i) + static_cast<uint64_t>(8 * k), AddressOf(callee), count});
    }
  }
  profile.histograms.push_back(histogram);
  absl::StatusOr<std::string> gmon = profile::WriteGmon(profile);
  if (!gmon.ok()) Die(gmon.status().ToString());
  return *std::move(gmon);
}

std::vector<collector::SampleUpload> UploadsOf(const Size& size, bool is_head) {
  std::vector<collector::SampleUpload> uploads;
  for (int target = 0; target < size.targets; ++target) {
    collector::SampleUpload upload = collector::MakeSampleUpload(static_cast<uint32_t>(target + 1));
    collector::ReplaceBundle(upload, 0, BundleOf(target, size));
    collector::ReplaceProfile(upload, 0, GmonOf(target, size, is_head && target % 2 == 0));
    v1::RunInfo& run = *upload.header.mutable_run();
    const std::string base(40, '1');
    run.set_run_key(is_head ? "head" : "base");
    run.set_commit(is_head ? reporter::FakeForge::kHead : base);
    if (is_head) {
      run.set_branch("change");
      run.set_pull_request("17");
      run.set_base_commit(base);
      upload.chunks.erase(upload.chunks.begin());  // the server has the bundle
    }
    upload.header.mutable_execution()->set_target(absl::StrCat("//t", target, ":test"));
    uploads.push_back(std::move(upload));
  }
  return uploads;
}

// Sends them, so many at once, and says that this is all. Returns the run.
std::string SendAll(const tests::ServeProcess& server,
                    const std::vector<collector::SampleUpload>& uploads, int at_once) {
  std::vector<std::thread> threads;
  std::string run_id;
  for (int thread = 0; thread < at_once; ++thread) {
    threads.emplace_back([&, thread] {
      const auto channel = server.Connect();
      for (size_t i = static_cast<size_t>(thread); i < uploads.size();
           i += static_cast<size_t>(at_once)) {
        v1::UploadResponse response;
        const grpc::Status status = tests::Send(
            channel, uploads[i], "", [] {}, response);
        if (!status.ok()) Die(status.error_message());
        if (i == 0) run_id = response.run_id();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  grpc::ClientContext call;
  v1::FinishRunRequest request;
  request.set_project("default");
  request.set_run_id(run_id);
  v1::FinishRunResponse response;
  const grpc::Status status =
      v1::Collector::NewStub(server.Connect())->FinishRun(&call, request, &response);
  if (!status.ok()) Die(status.error_message());
  return run_id;
}

int Main(const Size& size) {
  const auto github = reporter::MakeFakeGitHub(/*app=*/false);
  github->commits_on_main = {std::string(40, '1')};
  absl::Notification commented;
  github->hook = [&commented](const std::string& request) {
    if (request == "POST /repos/acme/db/issues/17/comments" && !commented.HasBeenNotified()) {
      commented.Notify();
    }
    return reporter::Trouble();
  };
  const std::string folder = store::MakeTempDir();
  std::ofstream(folder + "/token") << "personal-token";
  const tests::ServeProcess server({"--data-dir", folder + "/data", "--forge",
                                    "default=github:acme/db", "--github-url", github->url(),
                                    "--github-token-file", folder + "/token"});
  const std::vector<collector::SampleUpload> base = UploadsOf(size, false);
  const std::vector<collector::SampleUpload> head = UploadsOf(size, true);

  std::cout << MachineNow() << "\n";
  absl::Time begun = absl::Now();
  const std::string base_run = SendAll(server, base, 1);
  absl::PrintF("base: sent by one client in %.1f s", absl::ToDoubleSeconds(absl::Now() - begun));
  tests::AwaitAnalysis(server.Connect(), base_run);
  absl::PrintF(", analysed after %.1f s\n", absl::ToDoubleSeconds(absl::Now() - begun));

  begun = absl::Now();
  SendAll(server, head, kAtOnce);
  absl::PrintF("head: sent by %d at once in %.1f s", kAtOnce,
               absl::ToDoubleSeconds(absl::Now() - begun));
  commented.WaitForNotification();
  absl::PrintF(", comment after %.1f s\n", absl::ToDoubleSeconds(absl::Now() - begun));
  std::cout << MachineNow() << "\n";
  return 0;
}

}  // namespace
}  // namespace gprofhub::scale

int main(int argc, char** argv) {
  gprofhub::scale::Size size;
  if (argc != 3 || !absl::SimpleAtoi(argv[1], &size.targets) ||
      !absl::SimpleAtoi(argv[2], &size.functions) || size.targets < 2 || size.functions < 60) {
    std::cerr << "usage: comment_cost TARGETS FUNCTIONS (60 or more)\n";
    return 2;
  }
  return gprofhub::scale::Main(size);
}
