// Uploads whose bundles are small on the wire and large once decoded.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "collector/testing/sample_upload.h"
#include "profile/codec/message.h"
#include "profile/testing/sample_profile.h"
#include "proto/symbols.pb.h"
#include "tests/attack/attacked_server.h"
#include "tests/fault/client.h"

namespace gprofhub::tests {
namespace {

// The bundle of FaultTestUpload(0)'s image, to be made hostile.
v1::SymbolBundle Bundle() {
  v1::SymbolBundle bundle;
  EXPECT_TRUE(bundle.ParseFromString(*profile::Decompress(profile::SampleBundle(0), "bundle")));
  return bundle;
}

// Sends it several times, and expects it to be refused.
void ExpectRefused(const v1::SymbolBundle& bundle, const std::string& words) {
  AttackedServer server;
  collector::SampleUpload upload = FaultTestUpload(0);
  const std::string bytes = profile::EncodeMessage(bundle);
  EXPECT_LT(bytes.size(), 400'000u);
  collector::ReplaceBundle(upload, 0, bytes);
  for (int i = 0; i < 3; ++i) {
    v1::UploadResponse response;
    const grpc::Status status = Send(
        grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials()), upload, "",
        [] {}, response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    EXPECT_NE(status.error_message().find(words), std::string::npos) << status.error_message();
  }
  server.ExpectHealthy(1);
  testing::Test::RecordProperty("server_peak_mib", std::to_string(server.PeakMiB()));
  EXPECT_LT(server.PeakMiB(), 384u);
}

TEST(BundlesTest, WhoseFunctionsShareOneLongName) {
  v1::SymbolBundle bundle = Bundle();
  const int name = bundle.strings_size();
  bundle.add_strings(std::string(900'000, 'f'));
  v1::FunctionColumns& functions = *bundle.mutable_functions();
  functions.Clear();
  for (int i = 0; i < 1000; ++i) {
    functions.add_address_delta(1);
    functions.add_size(1);
    functions.add_name(static_cast<uint32_t>(name));
    functions.add_file(0);
    functions.add_line(0);
    functions.add_flags(4);
  }
  ExpectRefused(bundle, "exceeds the limit after decoding: 4 times the bundle's content");
}

TEST(BundlesTest, OfMillionsOfFunctionsOfNothing) {
  v1::SymbolBundle bundle = Bundle();
  const auto name = static_cast<uint32_t>(bundle.strings_size());
  bundle.add_strings("f");
  // Noise, so that the frame is not refused for how much it unpacks to.
  std::mt19937 random(1);
  std::string noise(80'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  bundle.add_strings(noise);
  v1::FunctionColumns& functions = *bundle.mutable_functions();
  functions.Clear();
  for (int i = 0; i < 10'000'000; ++i) {
    functions.add_address_delta(0);
    functions.add_size(0);
    functions.add_name(name);
    functions.add_file(0);
    functions.add_line(0);
    functions.add_flags(0);
  }
  ExpectRefused(bundle,
                "functions: exceeds the limit after decoding: 4 times the bundle's content");
}

}  // namespace
}  // namespace gprofhub::tests
