// Page frame: the document, its head, the breadcrumbs, the footer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html.h"
#include "page/words.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// The stable addresses of all pages: people share them, and comments link to them.

Url HomeUrl();
Url ProjectUrl(absl::string_view project);
Url RunsUrl(absl::string_view project);
Url RunUrl(absl::string_view project, absl::string_view run);
// A page about one target of a run: "graph", "flame", "listing", "ordering", "download".
Url TargetUrl(absl::string_view project, absl::string_view run, absl::string_view page,
              absl::string_view target);
// Comparison of a run with its baseline, or with `base` unless that is empty.
Url CompareUrl(absl::string_view project, absl::string_view run, absl::string_view base);
Url FindingUrl(absl::string_view project, absl::string_view run, absl::string_view base,
               absl::string_view finding);
// A Bazel invocation, by its id.
Url InvocationUrl(absl::string_view project, absl::string_view invocation_id);
Url InvocationsUrl(absl::string_view project);
// By linkage name; `target` empty: of all targets.
Url FunctionUrl(absl::string_view project, absl::string_view function, absl::string_view target);
// Search for a text in the project; empty: the form.
Url SearchUrl(absl::string_view project, absl::string_view text);
Url ChangesUrl(absl::string_view project);
Url GateUrl(absl::string_view project);
Url AcknowledgeUrl(absl::string_view project);
Url TakeBackUrl(absl::string_view project);
Url LoginUrl();
Url LogoutUrl();
Url LicencesUrl();
Url ApiUrl();

// Per-request context: the project and the user.
struct Context {
  std::string project;  // empty: none
  SourceLinks links;    // of the project
  std::string user;     // empty: anonymous
  bool is_logged_in = false;
  bool can_log_in = false;
  bool may_acknowledge = false;
  std::string csrf;         // token in every form that changes something
  std::string assets;       // version of the scripts and styles
  std::string as_of;        // time of the database snapshot; empty: not a snapshot
  std::string path_prefix;  // of the pages' addresses (html.h)
};

struct Frame {
  std::string title;         // of the tab, and the last breadcrumb
  std::string section = {};  // "runs", "changes", "gate": marked in the menu
  std::vector<std::pair<std::string, Url>> way = {};  // breadcrumbs between project and title
  std::string script = {};  // in addition to app.js: "chart", "flame" or "graph"
};

// An asset's address.
Url AssetUrl(const Context& context, absl::string_view name);

// The hidden CSRF fields of a form that changes something.
Html FormGuard(const Context& context);

// The whole document.
std::string WholePage(const Context& context, const Frame& frame, const Html& content);

// Pages that are not about a profile: the gate, log-in, errors, licences.

Html GateView(const Context& context, const v1::GetGateStatsResponse& stats,
              const v1::ListAcknowledgementsResponse& acknowledgements);

struct LoginPage {
  std::string refusal;  // why the last attempt failed; empty: no attempt yet
  std::string next;     // where to go after the log-in
  std::string issuer;   // of single sign-on; empty: not configured
};
Html LoginView(const Context& context, const LoginPage& page);

// Error page: the error's title, its reason (may be empty) and advice, with links to the list of
// projects, and to the project if the context has one.
Html ErrorView(const Context& context, const std::string& title, const std::string& why,
               const std::string& advice);

struct Licence {
  std::string name, version, licence, text;
};
Html LicencesView(const std::vector<Licence>& licences);

}  // namespace gprofhub::page
