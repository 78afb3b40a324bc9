// The page options of `gprofhub serve`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/http/http.h"
#include "base/memory_budget.h"
#include "collector/method.h"
#include "server/http/page_server.h"
#include "server/http/visits.h"
#include "server/listen/listen_address.h"
#include "server/queries/served_listing.h"
#include "server/reporting.h"
#include "store/objects/object_store.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::server {

struct PageOptions {
  std::string listen;  // "HOST:PORT"; empty: no pages
  // Public address of the pages: "https://HOST[:PORT][/PATH]"; empty: unknown.
  std::string url;
  std::vector<std::string> public_projects;
  std::vector<std::string> proxies;
  std::string user_header;
  // Where people log in (login_issuer.h); empty: with tokens only.
  std::string login_issuer, login_client, login_secret_file, login_ca_file;
  std::vector<std::string> login_users;
  std::vector<std::string> checkouts;  // "PROJECT=FOLDER"
  std::vector<std::string> sources;    // "PROJECT=https://…/{commit}/{file}#L{line}"
};

// The pages' configured address, if other machines can reach it. Errors are ParseListenAddress's
// and IsLoopback's.
absl::StatusOr<std::optional<ListenAddress>> BeyondLoopback(const PageOptions& options);

void AddPageOptions(CLI::App& command, PageOptions& options);

// Where source is read, for pages and listings. Null: nowhere. MakeSourceReader's errors.
absl::StatusOr<ReadSource> SourceReaderOf(const PageOptions& options, const ForgeOptions& forges);

VisitOptions VisitOptionsOf(const PageOptions& options);

// Null: pages are not configured. `uploads`: where this process accepts them. `picture_key` signs
// comments' pictures; empty: none. `decoding` outlives them. INVALID_ARGUMENT for a malformed
// option; ListenOn's errors.
absl::StatusOr<std::unique_ptr<PageServer>> StartPages(
    const PageOptions& options, const ForgeOptions& forges, const std::string& picture_key,
    PageStore store, ReadSource read_source, collector::Access access, base::MemoryBudget& decoding,
    std::optional<ListenAddress> uploads, collector::AsOf as_of);

// Where comparisons are on the pages, with {project} and {run}.
inline constexpr char kComparisonPath[] = "/p/{project}/compare/{run}";

// The template of the addresses of comparisons, with {project} and {run}; empty without --http-url:
// then the public address is unknown.
std::string ComparisonPageUrl(const PageOptions& options);

// The template for clients of calls: `page_url`, that of comments; without it that of the pages'
// port, if it is on loopback, where clients are on the same machine. Errors are BeyondLoopback's.
absl::StatusOr<std::string> ClientPageUrl(const PageOptions& options, const std::string& page_url);

// Pictures in comments: the reporter and the page server share a key.
struct PictureOptions {
  std::string key;   // empty: comments have no pictures
  std::string host;  // by which people, and forges, reach the pages; may have a path: --http-url
};

// `key_file` holds the key; empty: no pictures. `page_url` is that of comparisons on our own pages,
// as ComparisonPageUrl makes it. INVALID_ARGUMENT for another, and for a key that could be guessed;
// ReadSecret's errors.
absl::StatusOr<PictureOptions> ReadPictureOptions(const std::string& key_file,
                                                  const std::string& page_url);

// Errors are ReadPictureOptions's.
absl::StatusOr<CommentLinks> CommentLinksOf(const ReportingOptions& reporting,
                                            const PageOptions& pages);

// Files of projects at a commit, for annotated source: from a checkout on this machine, or from the
// forge through the server's credentials.

// `checkouts` are "PROJECT=FOLDER", each a git repository. Null where there is neither a checkout
// nor a forge with credentials. INVALID_ARGUMENT naming an entry of another form.
absl::StatusOr<ReadSource> MakeSourceReader(const std::vector<std::string>& checkouts,
                                            const ForgeOptions& forges,
                                            const base::HttpClient& http);

// Where a command that works on the store itself finds it.

struct StoreOptions {
  std::string data_dir;             // --data-dir
  std::string store;                // --store
  std::string archive;              // --archive
  uint32_t keep_segments_days = 7;  // --keep-segments
};

// Adds --data-dir and --store, which exclude each other.
void AddStoreOptions(CLI::App& command, StoreOptions& options);

// Registers the option of the archive's location.
void AddArchiveOption(CLI::App& command, StoreOptions& options);

// Registers --keep-segments, for commands that compact the archive.
void AddKeepSegmentsOption(CLI::App& command, StoreOptions& options);

// The archive's object store; null: not configured. Errors are those of OpenObjects.
absl::StatusOr<std::shared_ptr<store::ObjectStore>> OpenArchive(const StoreOptions& options);

// The argument of OpenStore: --store as it is, or "sqlite:" and the data directory, which is
// ${XDG_DATA_HOME:-~/.local/share}/gprofhub by default. FAILED_PRECONDITION if the home directory
// is unknown.
absl::StatusOr<std::string> StoreLocation(const StoreOptions& options);

}  // namespace gprofhub::server
