// Writes the corpora of collector_calls and query_calls into a folder: an input of each kind.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/memory_budget.h"
#include "collector/testing/sample_upload.h"
#include "proto/query.pb.h"
#include "server/queries/query_methods.h"
#include "tests/fuzz/calls/called_method.h"

namespace gprofhub {
namespace {

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) {
    std::cerr << "cannot write " << path << "\n";
    std::exit(1);
  }
}

std::string Piece(const std::string& message) {
  return absl::StrCat(std::string({static_cast<char>(message.size() & 0xff),
                                   static_cast<char>(message.size() >> 8)}),
                      message);
}

void WriteCollectorCalls(const std::string& folder) {
  const collector::SampleUpload upload = collector::MakeSampleUpload(3);
  std::string pieces = "\1";
  for (const v1::UploadRequest& message : upload.Messages()) {
    pieces += Piece(message.SerializeAsString());
  }
  Write(folder + "/upload", pieces);
  v1::FindMissingBlobsRequest find;
  find.set_project("default");
  *find.add_blobs() = upload.header.profiles(0).data();
  Write(folder + "/find", std::string(1, '\0') + find.SerializeAsString());
  std::string profile;
  std::string bundle;
  for (const v1::BlobChunk& chunk : upload.chunks) {
    (chunk.sha256() == upload.header.profiles(0).data().sha256() ? profile : bundle) +=
        chunk.data();
  }
  Write(folder + "/profile", "\2" + profile);
  Write(folder + "/bundle", "\3" + bundle);
}

// Writes the message as one to the method with this end of its name.
class QueryWriter {
 public:
  explicit QueryWriter(std::string folder)
      : folder_(std::move(folder)),
        methods_(server::QueryMethods(tests::FuzzedStore().reading, tests::FuzzedStore().blobs,
                                      decoding_, tests::FuzzedStore().gate)
                     .value()) {}

  template <typename Request>
  void operator()(const std::string& method, Request request) {
    request.set_project("default");
    for (size_t i = 0; i < methods_.size(); ++i) {
      if (!absl::EndsWith(methods_[i].name, "/" + method)) continue;
      Write(absl::StrCat(folder_, "/", method),
            std::string(1, static_cast<char>(i)) + request.SerializeAsString());
      return;
    }
    std::cerr << "no method " << method << "\n";
    std::exit(1);
  }

 private:
  const std::string folder_;
  base::MemoryBudget decoding_{uint64_t{768} << 20};
  const std::vector<collector::Method> methods_;
};

void WriteQueryCalls(const std::string& folder) {
  QueryWriter write(folder);
  write("ListRuns", v1::ListRunsRequest());
  v1::GetRunRequest run;
  run.set_run("1");
  write("GetRun", run);
  v1::GetListingRequest listing;
  listing.set_run("1");
  listing.set_target("//db:test_1");
  write("GetListing", listing);
  v1::CompareRequest compare;
  compare.set_head("1");
  write("Compare", compare);
  v1::ExplainRequest explain;
  explain.set_finding("a");
  explain.set_head("1");
  write("Explain", explain);
  v1::GetTrendRequest trend;
  trend.set_function("main");
  write("GetTrend", trend);
  write("GetChanges", v1::GetChangesRequest());
  v1::GetOrderingRequest ordering;
  ordering.set_run("1");
  write("GetOrdering", ordering);
  write("GetGateStats", v1::GetGateStatsRequest());
  write("ListAcknowledgements", v1::ListAcknowledgementsRequest());
}

}  // namespace
}  // namespace gprofhub

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_corpus FOLDER\n";
    return 2;
  }
  gprofhub::WriteCollectorCalls(std::string(argv[1]) + "/collector_calls");
  gprofhub::WriteQueryCalls(std::string(argv[1]) + "/query_calls");
  return 0;
}
