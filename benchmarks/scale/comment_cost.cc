// How long a pull request waits for its comment once its tests have ended: a real `gprofhub serve`
// with SQLite, and a made-up GitHub. The profiles of many targets are made beforehand, as the
// client has them, and sent as `gprofhub upload` sends them.
//
//   comment_cost TARGETS FUNCTIONS     in the folder that TMPDIR names
//
// The run of the main branch is sent by one client, one upload after the other; the pull request's
// by 16 at once, and in every second target some functions are called more often. Prints when the
// last upload ended and when the comment appeared.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "benchmarks/scale/made_uploads.h"
#include "benchmarks/scale/measuring.h"
#include "reporter/forge/testing/fake_forge.h"
#include "store/testing/temp_dir.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::scale {
namespace {

constexpr int kAtOnce = 16;

std::string ProfileOf(int target, const MadeSize& size, bool changed) {
  std::vector<uint16_t> samples;
  for (int i = 0; i < size.functions; ++i) {
    samples.push_back(static_cast<uint16_t>((i * 7 + target) % 40 + (changed ? i % 3 : 0)));
  }
  const auto is_more = [changed](int function) { return changed && function % 50 == 7; };
  for (int i = 0; i < size.functions; ++i) {
    // Enough for a notification.
    for (int arc = 1; arc <= 3 && is_more(i); ++arc) {
      samples[static_cast<size_t>(CalleeOf(size, i, arc))] += 150;
    }
  }
  return MadeProfile(size, /*version=*/0, samples, [&](int function, int arc) {
    const auto count = static_cast<uint64_t>(100 * (function + 1) / arc);
    return is_more(function) ? 4 * count : count;
  });
}

std::vector<collector::SampleUpload> UploadsOf(const MadeSize& size, bool is_head) {
  std::vector<collector::SampleUpload> uploads;
  for (int target = 0; target < size.targets; ++target) {
    collector::SampleUpload upload =
        MadeUpload(target, MadeBundle(target, size, /*version=*/0),
                   ProfileOf(target, size, is_head && target % 2 == 0));
    v1::RunInfo& run = *upload.header.mutable_run();
    const std::string base(40, '1');
    run.set_run_key(is_head ? "head" : "base");
    run.set_commit(is_head ? reporter::FakeForge::kHead : base);
    if (is_head) {
      run.set_branch("change");
      run.set_pull_request("17");
      run.set_base_commit(base);
      SendNoBundle(upload);
    }
    uploads.push_back(std::move(upload));
  }
  return uploads;
}

int Main(const MadeSize& size) {
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
  const std::string base_run = SendRun(server, base, 1);
  absl::PrintF("base: sent by one client in %.1f s", absl::ToDoubleSeconds(absl::Now() - begun));
  tests::AwaitAnalysis(server.Connect(), base_run);
  absl::PrintF(", analysed after %.1f s\n", absl::ToDoubleSeconds(absl::Now() - begun));

  begun = absl::Now();
  SendRun(server, head, kAtOnce);
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
  gprofhub::scale::MadeSize size;
  if (argc != 3 || !absl::SimpleAtoi(argv[1], &size.targets) ||
      !absl::SimpleAtoi(argv[2], &size.functions) || size.targets < 2 || size.functions < 60) {
    std::cerr << "usage: comment_cost TARGETS FUNCTIONS (60 or more)\n";
    return 2;
  }
  return gprofhub::scale::Main(size);
}
