#include "page/views/addresses.h"

namespace gprofhub::page {

Url HomeUrl() { return Url::Path({}); }
Url ProjectUrl(absl::string_view project) { return Url::Path({"p", project}); }
Url RunsUrl(absl::string_view project) { return Url::Path({"p", project, "runs"}); }
Url RunUrl(absl::string_view project, absl::string_view run) {
  return Url::Path({"p", project, "runs", run});
}
Url TargetUrl(absl::string_view project, absl::string_view run, absl::string_view page,
              absl::string_view target) {
  return Url::Path({"p", project, "runs", run, page}).With("target", target);
}
Url CompareUrl(absl::string_view project, absl::string_view run, absl::string_view base) {
  return Url::Path({"p", project, "compare", run}).With("base", base);
}
Url FindingUrl(absl::string_view project, absl::string_view run, absl::string_view base,
               absl::string_view finding) {
  return Url::Path({"p", project, "compare", run, finding}).With("base", base);
}
Url InvocationUrl(absl::string_view project, absl::string_view invocation_id) {
  return Url::Path({"p", project, "invocations", invocation_id});
}
Url InvocationsUrl(absl::string_view project) { return Url::Path({"p", project, "invocations"}); }
Url FunctionUrl(absl::string_view project, absl::string_view function, absl::string_view target) {
  return Url::Path({"p", project, "function"}).With("name", function).With("target", target);
}
Url ChangesUrl(absl::string_view project) { return Url::Path({"p", project, "changes"}); }
Url GateUrl(absl::string_view project) { return Url::Path({"p", project, "gate"}); }
Url AcknowledgeUrl(absl::string_view project) { return Url::Path({"p", project, "acknowledge"}); }
Url TakeBackUrl(absl::string_view project) { return Url::Path({"p", project, "take-back"}); }
Url LoginUrl() { return Url::Path({"login"}); }
Url LogoutUrl() { return Url::Path({"logout"}); }
Url LicencesUrl() { return Url::Path({"licences"}); }
Url ApiUrl() { return Url::Path({"api", "v1", "openapi.json"}); }

}  // namespace gprofhub::page
