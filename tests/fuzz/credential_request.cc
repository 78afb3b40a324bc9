// Requests of Bazel's credential helper protocol. For every input, the result is an error, or a
// JSON object with the token for a request that names the server.

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "cli/client/bazel_credentials.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view request(reinterpret_cast<const char*>(data), size);
  const auto response = gprofhub::cli::BazelCredentials(request, "https://gprofhub.example.com",
                                                        [] { return std::string("gph_1"); });
  if (!response.ok()) return 0;
  // Escapes may spell the name.
  const nlohmann::json uri = nlohmann::json::parse(request)["uri"];
  const std::string lower = absl::AsciiStrToLower(uri.get<std::string>());
  if (!absl::StrContains(lower, "://gprofhub.example.com")) std::abort();
  const nlohmann::json headers = nlohmann::json::parse(*response)["headers"];
  if (headers["authorization"][0] != "Bearer gph_1") std::abort();
  return 0;
}
