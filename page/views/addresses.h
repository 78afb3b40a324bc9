// The stable addresses of all pages: people share them, and comments link to them.
#pragma once

#include "absl/strings/string_view.h"
#include "page/html/url.h"

namespace gprofhub::page {

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
Url ChangesUrl(absl::string_view project);
Url GateUrl(absl::string_view project);
Url AcknowledgeUrl(absl::string_view project);
Url TakeBackUrl(absl::string_view project);
Url LoginUrl();
Url LogoutUrl();
Url LicencesUrl();
Url ApiUrl();

}  // namespace gprofhub::page
