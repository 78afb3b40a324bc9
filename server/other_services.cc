#include "server/other_services.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/network/network.h"
#include "base/status_macros.h"
#include "ci/upload/connection/channel.h"
#include "collector/validate.h"

namespace gprofhub::server {

namespace {

constexpr char kOtherServicesGroup[] = "Bazel's other services";
constexpr uint64_t kMaxServicesBytes = 1 << 20;
constexpr absl::string_view kTlsPort = ":443";

struct ServiceAddress {
  base::ServerAddress server;
  std::string instance;  // the path; may be empty

  // As base::ParseServerAddress reads it.
  std::string ToString() const {
    return absl::StrCat(server.is_encrypted ? "https://" : "", server.target);
  }
};

absl::Status Bad(absl::string_view option, absl::string_view value, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(option, " ", value, ": ", problem));
}

// Of "grpc://HOST:PORT[/INSTANCE]" or "grpcs://HOST[:PORT][/INSTANCE]".
absl::StatusOr<ServiceAddress> ParseAddress(absl::string_view option, absl::string_view text) {
  ServiceAddress address;
  absl::string_view rest = text;
  const bool is_encrypted = absl::ConsumePrefix(&rest, "grpcs://");
  if (!is_encrypted && !absl::ConsumePrefix(&rest, "grpc://")) {
    return Bad(option, text, "must be an address of the form grpcs://… or grpc://…");
  }
  const std::pair<std::string, std::string> parts = absl::StrSplit(rest, absl::MaxSplits('/', 1));
  if (parts.first.empty()) return Bad(option, text, "has no host");
  if (absl::StrContains(parts.first, '@')) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": must not contain a user or password; use --bazel-headers"));
  }
  address.instance = std::string(absl::StripSuffix(parts.second, "/"));
  if (!base::IsHeaderText(parts.second)) return Bad(option, text, "must be printable ASCII");
  absl::StatusOr<base::ServerAddress> server =
      base::ParseServerAddress(absl::StrCat(is_encrypted ? "https://" : "", parts.first));
  if (!server.ok()) return Bad(option, text, "has no port, or its host or port is not valid");
  address.server = *std::move(server);
  return address;
}

// All ways to write its host.
std::vector<std::string> HostsOf(const ServiceAddress& address) {
  std::vector<std::string> hosts = {address.server.target};
  absl::string_view host = address.server.target;
  if (address.server.is_encrypted && absl::ConsumeSuffix(&host, kTlsPort)) {
    hosts.emplace(hosts.begin(), host);
  }
  return hosts;
}

using HeadersByHost = std::multimap<std::string, std::pair<std::string, std::string>>;

// A name that gRPC takes, and that is not gRPC's own.
bool IsHeaderName(absl::string_view name) {
  return !name.empty() && !absl::StartsWith(name, "grpc-") && !absl::EndsWith(name, "-bin") &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_islower(static_cast<unsigned char>(c)) ||
                  absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '_' ||
                  c == '.';
         });
}

absl::StatusOr<HeadersByHost> ReadHeaders(const std::string& path) {
  HeadersByHost headers;
  if (path.empty()) return headers;
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxServicesBytes));
  int number = 0;
  for (const absl::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line.front() == '#') continue;
    const size_t blank = line.find(' ');
    const size_t colon = blank == absl::string_view::npos ? blank : line.find(": ", blank);
    if (colon == absl::string_view::npos) {
      // Never the line itself: it may be a secret.
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": must be HOST[:PORT] NAME: VALUE"));
    }
    std::string name =
        absl::AsciiStrToLower(absl::StripAsciiWhitespace(line.substr(blank, colon - blank)));
    const absl::string_view value = absl::StripAsciiWhitespace(line.substr(colon + 2));
    if (!IsHeaderName(name) || !base::IsHeaderText(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": not a valid gRPC header"));
    }
    headers.emplace(std::string(line.substr(0, blank)),
                    std::pair(std::move(name), std::string(value)));
  }
  return headers;
}

collector::CallHeaders HeadersFor(const ServiceAddress& address, const HeadersByHost& headers) {
  collector::CallHeaders found;
  for (const std::string& host : HostsOf(address)) {
    const auto [from, to] = headers.equal_range(host);
    for (auto one = from; one != to; ++one) found.push_back(one->second);
  }
  return found;
}

std::shared_ptr<grpc::Channel> Connect(const ServiceAddress& address,
                                       const collector::CallHeaders& headers) {
  const std::string server = address.ToString();
  if (!headers.empty() && ci::SendsInTheClear(server)) {
    spdlog::warn("the headers of --bazel-headers for {} are sent unencrypted; use grpcs://",
                 server);
  }
  return ci::ConnectTo(server);
}

// "PROJECT=ADDRESS"; without a project it is "".
absl::StatusOr<std::pair<std::string, ServiceAddress>> ParseEntry(absl::string_view option,
                                                                  const std::string& entry) {
  std::string project;
  absl::string_view rest = entry;
  const size_t equals = rest.find('=');
  if (equals < rest.find("://")) {
    project = std::string(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
    RETURN_IF_ERROR(collector::ValidateProject(option, project));
  }
  ASSIGN_OR_RETURN(ServiceAddress address, ParseAddress(option, rest));
  return std::pair(std::move(project), std::move(address));
}

}  // namespace

void AddOtherServiceOptions(CLI::App& command, OtherServiceOptions& options) {
  const auto add = [&command](const char* name, auto& value, const char* type,
                              const char* description) {
    return command.add_option(name, value, description)
        ->type_name(type)
        ->group(kOtherServicesGroup);
  };
  add("--forward-bes", options.forward_bes, "[PROJECT=]grpcs://HOST[:PORT]",
      "Also forward build events to this build event service; its failures do not affect builds; "
      "may be given several times")
      ->expected(1)
      ->take_all();
  add("--read-cache", options.read_caches, "PROJECT=grpcs://HOST[:PORT][/INSTANCE]",
      "Remote cache to read files that the project's build events refer to, if they were not "
      "uploaded to this server; may be given several times")
      ->expected(1)
      ->take_all();
  add("--bazel-headers", options.headers_file, "FILE",
      "Headers for calls to these services, such as their tokens; one HOST[:PORT] NAME: VALUE per "
      "line");
}

absl::StatusOr<std::unique_ptr<OtherServices>> OtherServices::Make(
    const OtherServiceOptions& options) {
  ASSIGN_OR_RETURN(const HeadersByHost headers, ReadHeaders(options.headers_file));
  std::unique_ptr<OtherServices> services(new OtherServices());
  for (const std::string& entry : options.forward_bes) {
    ASSIGN_OR_RETURN(const auto parsed, ParseEntry("--forward-bes", entry));
    const auto& [project, address] = parsed;
    if (!address.instance.empty()) return Bad("--forward-bes", entry, "must not have a path");
    auto& place = services->forwarders_[project];
    if (place != nullptr) return Bad("--forward-bes", entry, "the project has two of them");
    collector::EventForwarder::Options forwarding;
    forwarding.headers = HeadersFor(address, headers);
    place = std::make_unique<collector::EventForwarder>(Connect(address, forwarding.headers),
                                                        forwarding);
  }
  for (const std::string& entry : options.read_caches) {
    ASSIGN_OR_RETURN(auto parsed, ParseEntry("--read-cache", entry));
    auto& [project, address] = parsed;
    if (project.empty()) return Bad("--read-cache", entry, "must begin with PROJECT=");
    collector::RemoteCache cache;
    cache.project = project;
    for (const std::string& host : HostsOf(address)) {
      cache.places.push_back(
          absl::StrCat(host, address.instance.empty() ? "" : "/", address.instance));
    }
    cache.headers = HeadersFor(address, headers);
    cache.channel = Connect(address, cache.headers);
    cache.instance = address.instance;
    services->caches_.push_back(std::move(cache));
  }
  return services;
}

collector::ForwarderOf OtherServices::forwarder_of() const {
  if (forwarders_.empty()) return nullptr;
  return [this](const std::string& project) -> collector::EventForwarder* {
    auto found = forwarders_.find(project);
    if (found == forwarders_.end()) found = forwarders_.find("");
    return found == forwarders_.end() ? nullptr : found->second.get();
  };
}

void OtherServices::AddSamples(std::vector<Sample>& samples) const {
  uint64_t given_up = 0;
  for (const auto& [project, forwarder] : forwarders_) given_up += forwarder->given_up();
  samples.push_back({Sample::Kind::kCounter,
                     "gprofhub_forwarding_given_up_total",
                     "Invocations whose events did not all reach the service of --forward-bes",
                     {},
                     static_cast<double>(given_up)});
}

}  // namespace gprofhub::server
