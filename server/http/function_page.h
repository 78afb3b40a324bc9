// Shared by the page handlers: a call, assets, and the page of one function.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "collector/access/authorizer.h"
#include "page/html.h"
#include "page/views/shell.h"
#include "server/http/page_request.h"
#include "server/http/visits.h"

namespace gprofhub::server {

// The scripts and styles of the pages, as web/ makes them. They are part of the program.

struct Asset {
  absl::string_view name;    // "app.js"
  absl::string_view type;    // of its content
  absl::string_view packed;  // with gzip
};

// Hash of all assets' contents: their addresses contain it, so that browsers may cache them for
// ever.
absl::string_view AssetsVersion();

absl::Span<const Asset> AllAssets();
// Null: no asset has this name.
const Asset* FindAsset(absl::string_view name);

struct AssetLicence {
  absl::string_view name, version, licence, text;
};
const std::vector<AssetLicence>& AssetLicences();

// Context of a page's request: the visitor, and the readable data.

struct PageCall {
  // All outlive the call.
  const PageSources& sources;
  Visits& visits;
  const PageRequest& request;
  const Visitor& visitor;
  page::Context context;

  const PageStore& store() const { return sources.store; }
};

// Of no project yet.
PageCall BeginCall(const PageSources& sources, Visits& visits, const PageRequest& request,
                   const Visitor& visitor);

// The page is of this project from now on. Errors are Visits::Permit's and
// CheckProject's.
absl::Status EnterProject(PageCall& call, const std::string& project, collector::Scope scope);

PageAnswer Show(const PageCall& call, const page::Frame& frame, const page::Html& content);

// Sends the browser there.
PageAnswer GoTo(const PageCall& call, const page::Url& url);

absl::Status NoSuchPage();

// One function over the runs, or the functions whose name contains a text.

absl::StatusOr<PageAnswer> FunctionPage(PageCall& call);

}  // namespace gprofhub::server
