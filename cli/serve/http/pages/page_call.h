// Context of a page's request: the visitor, and the readable data.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/serve/http/data/page_sources.h"
#include "cli/serve/http/visits/page_request.h"
#include "cli/serve/http/visits/visits.h"
#include "collector/access/scopes.h"
#include "page/html/html.h"
#include "page/html/url.h"
#include "page/views/shell.h"

namespace gprofhub::cli {

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

// The page is of this project from now on. Errors are Visits::Permit's.
absl::Status EnterProject(PageCall& call, const std::string& project, collector::Scope scope);

PageAnswer Show(const PageCall& call, const page::Frame& frame, const page::Html& content);

// Sends the browser there.
PageAnswer GoTo(const page::Url& url);

absl::Status NoSuchPage();

}  // namespace gprofhub::cli
