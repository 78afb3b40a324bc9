// The services that answer calls and browsers: built, then reachable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/bes/bes_service.h"
#include "collector/bes/remote_caches.h"
#include "collector/cache/cache_service.h"
#include "collector/method.h"
#include "collector/upload_session.h"
#include "server/access.h"
#include "server/listen/connection_gate.h"
#include "server/listen/listen_address.h"
#include "server/observing.h"
#include "server/other_services.h"
#include "server/page_options.h"
#include "server/part.h"
#include "server/queries/served_listing.h"
#include "server/reporting.h"
#include "store/transfer_blobs.h"

namespace gprofhub::server {

class GrpcServer;

struct ListenOptions {
  std::string address = "127.0.0.1:7070";  // "HOST:PORT"; port 0: any free one
  TlsFiles tls;
  // Connections at one time; 0: as many as the process has descriptors for.
  uint32_t connections = 0;
  // Timeout of a client's first message; for the next ones, four times that.
  uint32_t max_silence_seconds = 10;
};

struct LimitOptions {
  // Memory limit for decoding, of uploads, queries, pages and reports together.
  uint32_t decoding_mib = 768;
  // Of files that Bazel hands over.
  uint64_t transfer_mib = store::TransferLimits().blob_bytes >> 20;
  uint64_t transfers_mib = store::TransferLimits().project_bytes >> 20;
};

// Subjects of options that the services use.
struct ServiceOptions {
  LimitOptions limits;
  ListenOptions listen;
  OtherServiceOptions other_services;
  PageOptions pages;
  ForgeOptions forges;
  std::string comparison_url;  // template of the addresses that clients get; empty: unknown
};

// The services of uploads, build events, Bazel's files, and queries.
class Services final : public ServerPart {
 public:
  // `access` outlives it, and starts before it.
  Services(const ServerContext& context, const ServedRoles& roles, ServiceOptions options,
           AccessControl& access);
  ~Services() override;

  // Builds the services of the roles; not yet reachable. Errors are OtherServices::Make's and
  // SourceReaderOf's.
  absl::Status Start() override;
  // Ends reads of remote caches, and the streams of build events.
  void Drain() override;
  void Stop() override;

  // For a CallServer, after Start; the services outlive it. Empty: no role accepts calls. Errors
  // are QueryMethods's.
  absl::StatusOr<std::vector<collector::Method>> Methods();
  // Null: source is unavailable, or this process has no role query.
  const ReadSource& read_source() const { return read_source_; }
  bool takes_uploads() const { return roles_.collector; }

 private:
  // Takes build events where uploads are taken, too, and in their bounds.
  void StartBuildEvents();

  const ServerContext context_;
  const ServedRoles roles_;
  const ServiceOptions options_;
  AccessControl& access_;
  collector::CollectorService collector_;
  collector::CacheService cache_;
  std::unique_ptr<OtherServices> others_;
  std::optional<collector::RemoteCaches> caches_;
  std::unique_ptr<collector::BuildEventService> build_events_;  // null: without the role collector
  ReadSource read_source_;
};

// The listener of calls. Prints "listening on HOST:PORT" to stdout, or "working" if no role accepts
// calls.
class CallListener final : public ServerPart {
 public:
  // `roles` as --role names them; `address` is that of `options`.
  CallListener(const ServerContext& context, const ServedRoles& roles, const ListenOptions& options,
               ListenAddress address, collector::AsOf as_of, AccessControl& access,
               Services& services);
  ~CallListener() override;

  // Errors are GrpcServer::Start's.
  absl::Status Start() override;
  // Running calls may end.
  void Stop() override;

  // With the port that it has; nothing: it does not listen.
  std::optional<ListenAddress> address() const;

 private:
  const ServerContext context_;
  const ServedRoles roles_;
  const ListenOptions options_;
  const ListenAddress address_;
  const collector::AsOf as_of_;
  AccessControl& access_;
  Services& services_;
  std::unique_ptr<GrpcServer> server_;  // null: nothing to listen for
};

// The pages, in addition to the query service. Prints their address to stdout.
class PageListener final : public ServerPart {
 public:
  // `picture_key` and `as_of` as StartPages has them; `cache_bytes` bounds the pages' cache.
  PageListener(const ServerContext& context, const PageOptions& options, const ForgeOptions& forges,
               std::string picture_key, uint64_t cache_bytes, collector::AsOf as_of,
               AccessControl& access, const Services& services, const CallListener& calls);
  ~PageListener() override;

  // Errors are StartPages's.
  absl::Status Start() override;
  void Stop() override;

 private:
  const ServerContext context_;
  const PageOptions options_;
  const ForgeOptions forges_;
  const std::string picture_key_;
  const uint64_t cache_bytes_;
  const collector::AsOf as_of_;
  AccessControl& access_;
  const Services& services_;
  const CallListener& calls_;          // started before the pages
  std::unique_ptr<PageServer> pages_;  // null: not configured
};

}  // namespace gprofhub::server
