// Command-line options of a server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "analyzer/worker/child/analysis_child.h"
#include "cli/listen/listen_address.h"
#include "cli/listen/server_certificates.h"
#include "cli/observe/observing.h"
#include "cli/serve/bazel/other_services.h"
#include "cli/serve/id_token_issuers.h"
#include "cli/serve/page_options.h"
#include "cli/serve/reporting.h"
#include "store/objects/object_store.h"
#include "store/transfers/transfer_blobs.h"

namespace gprofhub::cli {

struct ServeOptions {
  std::string store;  // as OpenStore wants it
  // Archive of old blobs; null: none. Blobs older than `archive_after` are moved there; zero: none
  // are. Unreferenced segments stay there for `keep_segments`.
  std::shared_ptr<store::ObjectStore> archive;
  absl::Duration archive_after = absl::Hours(7 * 24);
  absl::Duration keep_segments = absl::Hours(7 * 24);
  ListenAddress listen;
  TlsFiles tls;
  uint32_t workers = 1;
  // Lease of a job: after this time without a heartbeat another worker takes it over.
  absl::Duration lease = absl::Minutes(1);
  // How analyses are run.
  analyzer::ChildOptions analyses;
  bool allow_anonymous = false;
  // Connections at one time; 0: as many as the process has descriptors for.
  uint32_t connections = 0;
  // Timeout of a client's first message; for the next ones, four times that.
  absl::Duration max_silence = absl::Seconds(10);
  // Memory limit for decoding, of uploads, queries, pages and reports together.
  uint64_t decoding_bytes = uint64_t{768} << 20;
  IssuerOptions issuers;
  store::TransferLimits transfers;  // of files that Bazel hands over
  OtherServiceOptions other_services;
  std::string quotas_file;  // as collector/quotas/quota_file.h has it; empty: no quotas
  // Roles.
  bool collector = true;
  bool worker = true;
  bool query = true;
  bool reporter = true;  // where there is a forge or a channel to report to
  ReportingOptions reporting;
  PageOptions pages;  // with the role query
  ObserveOptions observe;
};

}  // namespace gprofhub::cli
