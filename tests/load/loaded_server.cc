#include "tests/load/loaded_server.h"

#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "profile/gmon/writer.h"
#include "profile/testing/sample_profile.h"
#include "store/testing/temp_store.h"

namespace gprofhub::tests {
namespace {

constexpr size_t kMostFailures = 10;  // that are remembered
constexpr uint32_t kUploadsOfARun = 1000;
constexpr size_t kArcBytes = 21;  // of a gmon file: a tag, two addresses, a count
constexpr size_t kAskedAtOnce = 5000;

std::unique_ptr<v1::Collector::StubInterface> NewClient(const std::string& address) {
  grpc::ChannelArguments own_connection;
  own_connection.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return v1::Collector::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own_connection));
}

std::optional<absl::Duration> Pushback(const grpc::ClientContext& call) {
  const auto& trailers = call.GetServerTrailingMetadata();
  const auto found = trailers.find("grpc-retry-pushback-ms");
  int64_t milliseconds = 0;
  if (found == trailers.end() ||
      !absl::SimpleAtoi(absl::string_view(found->second.data(), found->second.size()),
                        &milliseconds)) {
    return std::nullopt;
  }
  return absl::Milliseconds(milliseconds);
}

}  // namespace

collector::SampleUpload LoadUpload(uint32_t i, size_t bytes) {
  // All of one program, as in a build of many tests.
  collector::SampleUpload upload = collector::MakeSampleUpload(0);
  upload.header.mutable_execution()->set_target(absl::StrCat("//load:test_", i));
  upload.header.mutable_run()->set_run_key(absl::StrCat("load-", i / kUploadsOfARun));
  profile::RawProfile profile = profile::SampleProfile(100);
  // Call sites of the sample's text, each with a count of this upload's own.
  for (uint64_t at = 0; at < bytes / kArcBytes; ++at) {
    profile.arcs.push_back({0x1000 + at % 256, 0x1200, 1 + (at * 31 + i) % 1'000'000});
  }
  profile.arcs.push_back({0x1000, 0x1200, i});
  collector::ReplaceProfile(upload, 0, *profile::WriteGmon(profile));
  return upload;
}

collector::SampleUpload UploadOfManyBlobs(uint32_t profiles) {
  collector::SampleUpload upload = collector::MakeSampleUpload(0);
  const v1::ProfileRef first = upload.header.profiles(0);
  for (uint32_t i = 1; i < profiles; ++i) {
    profile::RawProfile profile = profile::SampleProfile(100);
    profile.arcs.push_back({0x1000, 0x1200, i});
    v1::ProfileRef& more = *upload.header.add_profiles();
    more = first;
    more.set_process(absl::StrCat("gmon.more.", i));
    more.clear_data();
    collector::ReplaceProfile(upload, static_cast<int>(i), *profile::WriteGmon(profile));
  }
  return upload;
}

double Outcome::PerSecond() const {
  return static_cast<double>(acknowledged) / absl::ToDoubleSeconds(took);
}

LoadedServer::LoadedServer(std::vector<std::string> arguments)
    : folder_(store::MakeTempDir()), arguments_([&] {
        arguments.insert(arguments.end(), {"--data-dir", folder_});
        return std::move(arguments);
      }()) {
  Start();
}

void LoadedServer::Start() {
  process_ = std::make_unique<ServeProcess>(arguments_);
  const char* const group = std::getenv("GPROFHUB_LOAD_GROUP");
  if (group == nullptr) return;
  std::ofstream members(absl::StrCat(group, "/cgroup.procs"));
  members << pid();
  EXPECT_TRUE(members.flush()) << group;
}

bool LoadedServer::UploadOne(v1::Collector::StubInterface& stub,
                             const collector::SampleUpload& upload, absl::Time until,
                             Outcome& outcome) {
  for (;;) {
    grpc::ClientContext call;
    call.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(2)));
    v1::UploadResponse response;
    const auto stream = stub.Upload(&call, &response);
    for (const v1::UploadRequest& message : upload.Messages()) {
      if (!stream->Write(message)) break;
    }
    stream->WritesDone();
    const grpc::Status status = stream->Finish();
    if (status.ok()) return true;
    const std::optional<absl::Duration> pushback = Pushback(call);
    if (!pushback.has_value()) {
      if (outcome.failures.size() < kMostFailures) {
        outcome.failures.push_back(absl::StrCat(status.error_code(), " ", status.error_message()));
      }
      return false;
    }
    ++outcome.put_off;
    if (absl::Now() + *pushback > until) return false;
    absl::SleepFor(*pushback);
  }
}

void LoadedServer::Client(const Load& load, absl::Time begin, std::atomic<uint32_t>& next,
                          Outcome& outcome) {
  const absl::Time until = begin + load.lasts;
  const auto stub = NewClient(address());
  std::vector<std::string> acknowledged;
  for (;;) {
    const uint32_t number = next++;
    absl::Time due = absl::Now();
    if (load.uploads_per_second > 0) {
      due = begin + absl::Seconds(number / load.uploads_per_second);
      if (due >= until) break;
      absl::SleepFor(due - absl::Now());
    } else if (due >= until) {
      break;
    }
    const collector::SampleUpload upload = LoadUpload(first_ + number, load.bytes);
    if (load.uploads_per_second == 0)
      due = absl::Now();  // its construction is not part of its time
    if (!UploadOne(*stub, upload, until, outcome)) continue;
    ++outcome.acknowledged;
    outcome.times.push_back(absl::Now() - due);
    acknowledged.push_back(upload.header.profiles(0).data().sha256());
  }
  absl::MutexLock lock(&mutex_);
  acknowledged_.insert(acknowledged_.end(), acknowledged.begin(), acknowledged.end());
}

Outcome LoadedServer::Run(const Load& load, const std::function<void()>& now_and_then) {
  std::vector<Outcome> outcomes(static_cast<size_t>(load.clients));
  std::atomic<uint32_t> next = 0;
  std::atomic<int> running = load.clients;
  const absl::Time begin = absl::Now();
  std::vector<std::thread> clients;
  for (Outcome& outcome : outcomes) {
    clients.emplace_back([&] {
      Client(load, begin, next, outcome);
      --running;
    });
  }
  while (running > 0) {
    absl::SleepFor(load.lasts / 50);
    now_and_then();
  }
  for (std::thread& client : clients) client.join();
  Outcome all;
  all.took = absl::Now() - begin;
  for (Outcome& outcome : outcomes) {
    all.acknowledged += outcome.acknowledged;
    all.put_off += outcome.put_off;
    all.times.insert(all.times.end(), outcome.times.begin(), outcome.times.end());
    all.failures.insert(all.failures.end(), outcome.failures.begin(), outcome.failures.end());
  }
  first_ += next;
  return all;
}

absl::Duration LoadedServer::RunOne(const collector::SampleUpload& upload) {
  const auto stub = NewClient(address());
  Outcome outcome;
  const absl::Time begin = absl::Now();
  EXPECT_TRUE(UploadOne(*stub, upload, begin + absl::Minutes(5), outcome))
      << absl::StrJoin(outcome.failures, "\n");
  const absl::Duration took = absl::Now() - begin;
  absl::MutexLock lock(&mutex_);
  for (const v1::ProfileRef& profile : upload.header.profiles()) {
    acknowledged_.push_back(profile.data().sha256());
  }
  return took;
}

uint64_t LoadedServer::CountLostAfterAKill() {
  process_->Kill();
  Start();
  const auto stub = NewClient(address());
  absl::MutexLock lock(&mutex_);
  uint64_t lost = 0;
  for (size_t at = 0; at < acknowledged_.size(); at += kAskedAtOnce) {
    v1::FindMissingBlobsRequest request;
    request.set_project("default");
    for (size_t i = at; i < std::min(acknowledged_.size(), at + kAskedAtOnce); ++i) {
      v1::BlobRef& blob = *request.add_blobs();
      blob.set_sha256(acknowledged_[i]);
      blob.set_size(1);
    }
    grpc::ClientContext call;
    v1::FindMissingBlobsResponse response;
    const grpc::Status status = stub->FindMissingBlobs(&call, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    lost += static_cast<uint64_t>(response.missing_size());
  }
  return lost;
}

}  // namespace gprofhub::tests
