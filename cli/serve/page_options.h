// The page options of `gprofhub serve`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/decoding/budget.h"
#include "cli/listen/listen_address.h"
#include "cli/serve/forges.h"
#include "cli/serve/http/page_server.h"
#include "cli/serve/texts/read_source.h"
#include "collector/calls/as_of.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

struct PageOptions {
  std::string listen;  // "HOST:PORT"; empty: no pages
  std::string url;     // public address of the pages; empty: unknown
  std::vector<std::string> public_projects;
  std::vector<std::string> proxies;
  std::string user_header;
  // Where people log in (login_issuer.h); empty: with tokens only.
  std::string login_issuer, login_client, login_secret_file, login_ca_file;
  std::vector<std::string> login_users;
  std::vector<std::string> checkouts;  // "PROJECT=FOLDER"
  std::string picture_key;             // that signs comments' pictures; empty: none
  std::vector<std::string> sources;    // "PROJECT=https://…/{commit}/{file}#L{line}"
};

// The pages' configured address, if other machines can reach it. Errors are ParseListenAddress's
// and IsLoopback's.
absl::StatusOr<std::optional<ListenAddress>> BeyondLoopback(const PageOptions& options);

void AddPageOptions(CLI::App& command, PageOptions& options);

// Where source is read, for pages and listings. Null: nowhere. MakeSourceReader's errors.
absl::StatusOr<ReadSource> SourceReaderOf(const PageOptions& options, const ForgeOptions& forges);

// Null: pages are not configured. `decoding` outlives them. INVALID_ARGUMENT for a malformed
// option; ListenOn's errors.
absl::StatusOr<std::unique_ptr<PageServer>> StartPages(
    const PageOptions& options, const ForgeOptions& forges, PageStore store, ReadSource read_source,
    collector::Access access, base::DecodingBudget& decoding, collector::AsOf as_of);

// Where comparisons are on the pages, with {project} and {run}.
inline constexpr char kComparisonPath[] = "/p/{project}/compare/{run}";

// The template of the addresses of comparisons, with {project} and {run}; empty without --http-url:
// then the public address is unknown.
std::string ComparisonPageUrl(const PageOptions& options);

// Pictures in comments: the reporter and the page server share a key.
struct PictureOptions {
  std::string key;   // empty: comments have no pictures
  std::string host;  // by which people, and forges, reach the pages: "https://gprofhub.example"
};

// `key_file` holds the key; empty: no pictures. `page_url` is that of comparisons on our own pages,
// as ComparisonPageUrl makes it. INVALID_ARGUMENT for another, and for a key that could be guessed;
// ReadSecret's errors.
absl::StatusOr<PictureOptions> ReadPictureOptions(const std::string& key_file,
                                                  const std::string& page_url);

}  // namespace gprofhub::cli
