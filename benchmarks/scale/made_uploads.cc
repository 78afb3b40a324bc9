#include "benchmarks/scale/made_uploads.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/scale/measuring.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/gmon/writer.h"
#include "tests/fault/client.h"

namespace gprofhub::scale {
namespace {

constexpr uint64_t kText = 0x1000;
constexpr uint64_t kFunctionBytes = 0x40;

// A version's functions are longer from this one on.
uint64_t AddressOf(const MadeSize& size, int version, int function) {
  const uint64_t address = kText + kFunctionBytes * static_cast<uint64_t>(function);
  if (version == 0) return address;
  const int step = std::max(1, size.functions / 100);
  // Function number `version`, and every hundredth after it, has one more line for each version.
  const int longer = (function + step - 1 - version % step) / step;
  return address + kFunctionBytes * static_cast<uint64_t>(std::max(0, longer)) *
                       static_cast<uint64_t>(version % 7);
}

}  // namespace

int CalleeOf(const MadeSize& size, int function, int arc) {
  return (function * 7 + arc) % size.functions;
}

std::string MadeName(int target, int function) {
  const std::string space = function % 2 == 0 ? "base" : absl::StrCat("t", target);
  const std::string name = absl::StrCat("function", function);
  return absl::StrCat("_ZN", space.size(), space, name.size(), name, "Ev");
}

std::string MadeBundle(int target, const MadeSize& size, int version) {
  profile::SymbolTable symbols;
  symbols.build_id = absl::StrFormat("%020x%020x", version, target + 1);
  symbols.architecture = "x86_64";
  symbols.image_name = "a_test";
  symbols.text_low = kText;
  symbols.text_high = AddressOf(size, version, size.functions);
  symbols.files = {"", "db/query.cc"};
  for (int i = 0; i < size.functions; ++i) {
    profile::FunctionSymbol function;
    function.address = AddressOf(size, version, i);
    function.size = AddressOf(size, version, i + 1) - function.address;
    function.name = MadeName(target, i);
    function.file = 1;
    function.line = static_cast<uint32_t>(10 * i + 1);
    function.is_function = true;
    symbols.functions.push_back(function);
    symbols.lines.push_back({function.address, 1, function.line});
  }
  symbols.lines.push_back({symbols.text_high, 0, 0});
  return profile::EncodeSymbolBundle(symbols);
}

std::string MadeProfile(const MadeSize& size, int version, const std::vector<uint16_t>& samples,
                        absl::FunctionRef<uint64_t(int function, int arc)> count) {
  profile::RawProfile profile;
  profile::Histogram histogram;
  histogram.low_pc = kText;
  histogram.high_pc = AddressOf(size, version, size.functions);
  histogram.rate = 1000;
  histogram.bins.resize((histogram.high_pc - kText) / kFunctionBytes);
  profile.arcs.push_back({0, kText, 1});
  for (int i = 0; i < size.functions; ++i) {
    const uint64_t address = AddressOf(size, version, i);
    histogram.bins[(address - kText) / kFunctionBytes] = samples[static_cast<size_t>(i)];
    for (int arc = 1; arc <= 3; ++arc) {
      const uint64_t callee = AddressOf(size, version, CalleeOf(size, i, arc));
      profile.arcs.push_back({address + static_cast<uint64_t>(8 * arc), callee, count(i, arc)});
    }
  }
  profile.histograms.push_back(histogram);
  return OrDie(profile::WriteGmon(profile));
}

collector::SampleUpload MadeUpload(int target, const std::string& bundle,
                                   const std::string& profile) {
  collector::SampleUpload upload = collector::MakeSampleUpload(static_cast<uint32_t>(target + 1));
  collector::ReplaceBundle(upload, 0, bundle);
  collector::ReplaceProfile(upload, 0, profile);
  upload.header.mutable_execution()->set_target(absl::StrCat("//t", target, ":test"));
  return upload;
}

void SendNoBundle(collector::SampleUpload& upload) {
  const std::string& bundle = upload.header.images(0).bundle().sha256();
  std::erase_if(upload.chunks,
                [&](const v1::BlobChunk& chunk) { return chunk.sha256() == bundle; });
}

std::string SendRun(const tests::ServeProcess& server,
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
  request.set_project(uploads.front().header.run().project());
  request.set_run_id(run_id);
  v1::FinishRunResponse response;
  const grpc::Status status =
      v1::Collector::NewStub(server.Connect())->FinishRun(&call, request, &response);
  if (!status.ok()) Die(status.error_message());
  return run_id;
}

}  // namespace gprofhub::scale
