#include "page/views/shell.h"

#include "absl/strings/str_cat.h"
#include "page/html.h"
#include "page/words.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/row_words.h"

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
Url SearchUrl(absl::string_view project, absl::string_view text) {
  return Url::Path({"p", project, "search"}).With("q", text);
}
Url ChangesUrl(absl::string_view project) { return Url::Path({"p", project, "changes"}); }
Url GateUrl(absl::string_view project) { return Url::Path({"p", project, "gate"}); }
Url AcknowledgeUrl(absl::string_view project) { return Url::Path({"p", project, "acknowledge"}); }
Url TakeBackUrl(absl::string_view project) { return Url::Path({"p", project, "take-back"}); }
Url LoginUrl() { return Url::Path({"login"}); }
Url LogoutUrl() { return Url::Path({"logout"}); }
Url LicencesUrl() { return Url::Path({"licences"}); }
Url ApiUrl() { return Url::Path({"api", "v1", "openapi.json"}); }

namespace {

constexpr absl::string_view kHome = "Projects";

// The most particular first, so that narrow tabs differ: "Finding · What changed · Run 7 · acme".
std::string TabTitle(const Context& context, const Frame& frame) {
  std::string title = frame.title;
  for (auto step = frame.way.rbegin(); step != frame.way.rend(); ++step) {
    absl::StrAppend(&title, " · ", step->first);
  }
  const bool is_of_project = !context.project.empty() && frame.title != context.project;
  return absl::StrCat(title, is_of_project ? " · " : "", is_of_project ? context.project : "",
                      context.project.empty() ? " · gprofhub" : "");
}

Html Head(const Context& context, const Frame& frame) {
  std::vector<Html> pieces = {
      El("meta", {{"charset", "utf-8"}}),
      El("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}),
      El("meta", {{"name", "color-scheme"}, {"content", "light dark"}}),
      El("title", {}, Html(TabTitle(context, frame))),
      El("link", {{"rel", "icon"}, Href(AssetUrl(context, "icon.svg"))}),
      El("link", {{"rel", "stylesheet"}, Href(AssetUrl(context, "style.css"))}),
  };
  return Join(pieces);
}

Html Menu(const Context& context, const Frame& frame) {
  std::vector<Html> items;
  const auto add = [&](absl::string_view section, absl::string_view words, const Url& url) {
    Attributes attributes = {Href(url)};
    if (frame.section == section) attributes.push_back(Attribute("aria-current", "page"));
    items.push_back(El("li", {}, El("a", attributes, Html(words))));
  };
  if (!context.project.empty()) {
    add("project", "Overview", ProjectUrl(context.project));
    add("runs", "Runs", RunsUrl(context.project));
    add("invocations", "Invocations", InvocationsUrl(context.project));
    add("changes", "Changes", ChangesUrl(context.project));
    add("gate", "Gate", GateUrl(context.project));
  }
  return items.empty() ? Html() : El("nav", {{"aria-label", "Project"}}, El("ul", {}, Join(items)));
}

Html Account(const Context& context) {
  if (context.is_logged_in) {
    return El("form", {{"method", "post"}, Action(LogoutUrl()), {"class", "account"}},
              {FormGuard(context), El("span", {}, Html(context.user)),
               El("button", {{"type", "submit"}, {"class", "quiet"}}, "Log out")});
  }
  if (context.can_log_in) return Link(LoginUrl(), "Log in", "account");
  return context.user.empty() ? Html() : El("span", {{"class", "account"}}, Html(context.user));
}

Html Search(const Context& context) {
  if (context.project.empty()) return "";
  return El(
      "form", {{"class", "search"}, {"role", "search"}, Action(SearchUrl(context.project, ""))},
      El("input", {{"type", "search"},
                   {"name", "q"},
                   {"id", "search"},
                   {"autocomplete", "off"},
                   {"spellcheck", "false"},
                   {"maxlength", "200"},
                   {"placeholder", "Search  /"},
                   {"aria-label", "Search"},
                   {"data-url", Url::Path({"api", "v1", "projects", context.project, "search"})}}));
}

Html Way(const Context& context, const Frame& frame) {
  std::vector<Html> steps;
  const auto add = [&](const Url& url, absl::string_view words) {
    steps.push_back(El("li", {}, Link(url, Html(words))));
  };
  if (frame.title != kHome) add(HomeUrl(), kHome);
  if (!context.project.empty() && frame.title != context.project) {
    add(ProjectUrl(context.project), context.project);
  }
  for (const auto& [words, url] : frame.way) add(url, words);
  steps.push_back(El("li", {{"aria-current", "page"}}, Html(frame.title)));
  return El("nav", {{"class", "way"}, {"aria-label", "Breadcrumbs"}}, El("ol", {}, Join(steps)));
}

}  // namespace

Url AssetUrl(const Context& context, absl::string_view name) {
  return Url::Path({"assets", context.assets, name});
}

Html FormGuard(const Context& context) {
  return El("input", {{"type", "hidden"}, {"name", "csrf"}, {"value", context.csrf}});
}

std::string WholePage(const Context& context, const Frame& frame, const Html& content) {
  std::vector<Html> body = {
      El("a", {Href(Url::Here("main")), {"class", "skip"}}, "Skip to the content"),
      El("header", {{"class", "top"}},
         {Link(HomeUrl(), El("b", {}, "gprofhub"), "brand"), Menu(context, frame), Search(context),
          Account(context)}),
      Way(context, frame),
      El("main", {{"id", "main"}, {"tabindex", "-1"}}, content),
      El("footer", {},
         {context.as_of.empty()
              ? Html()
              : El("p", {{"class", "note"}},
                   Html(absl::StrCat("This server reads a copy of the database, as of ",
                                     context.as_of, "."))),
          Html("Exact call counts, measured in your tests. "),
          El("button",
             {{"type", "button"}, {"class", "quiet"}, {"id", "keys"}, {"hidden", "hidden"}},
             "Keys: ?"),
          Html(" "), Link(ApiUrl(), "API"), Html(" · "), Link(LicencesUrl(), "Licences")}),
  };
  const Html scripts = Join(
      {ScriptTag(AssetUrl(context, "app.js")),
       frame.script.empty() ? Html()
                            : ScriptTag(AssetUrl(context, absl::StrCat(frame.script, ".js")))});
  return Document(Join({Head(context, frame), scripts}), Join(body), context.path_prefix);
}

namespace {

std::string RerunsWords(const v1::GetGateStatsResponse& stats) {
  if (stats.reruns() == 0) return "Reruns: none.";
  return absl::StrCat("Reruns: ", stats.reruns(), ", of ",
                      reporter::CountOfNoun(stats.rerun_targets(), "target"), " in total.");
}

}  // namespace

Html GateView(const Context& context, const v1::GetGateStatsResponse& stats,
              const v1::ListAcknowledgementsResponse& acknowledgements) {
  std::vector<Row> rules;
  for (const v1::GetGateStatsResponse::Rule& rule : stats.rules()) {
    rules.push_back({{El("code", {}, Html(rule.rule())), Count(static_cast<double>(rule.gated())),
                      Count(static_cast<double>(rule.acknowledged())),
                      Count(static_cast<double>(rule.not_a_regression())),
                      Html(reporter::HumanShare(rule.false_alarm_rate()))}});
  }
  std::vector<Row> said;
  for (int i = acknowledgements.acknowledgements_size(); i-- > 0;) {
    const v1::Acknowledgement& one = acknowledgements.acknowledgements(i);
    const Html take_back =
        context.may_acknowledge
            ? El("form", {{"method", "post"}, Action(TakeBackUrl(context.project))},
                 {FormGuard(context),
                  El("input",
                     {{"type", "hidden"}, {"name", "id"}, {"value", absl::StrCat(one.id())}}),
                  El("button", {{"type", "submit"}, {"class", "quiet"}}, "Take back")})
            : Html();
    said.push_back(
        {{When(one.created_unix_ms()), Html(one.author()), FunctionCode(one.function()),
          Html(one.target()),
          Html(one.pull_request().empty() ? "all" : absl::StrCat("#", one.pull_request())),
          Html(one.not_a_regression() ? "false alarm" : "accepted"), Html(one.reason()),
          When(one.expires_unix_ms()), take_back}});
  }
  const Html rule_table = rules.empty()
                              ? El("p", {}, "No check has failed yet.")
                              : Table("Rules",
                                      {{"Rule"},
                                       {"Gated", true},
                                       {"Accepted", true},
                                       {"False alarms", true},
                                       {"Rate", true, "A lower bound: reporting is voluntary"}},
                                      rules);
  const Html said_table = said.empty() ? El("p", {}, "No change was accepted yet.")
                                       : Table("Newest first",
                                               {{"Date"},
                                                {"Author"},
                                                {"Function"},
                                                {"Target"},
                                                {"Pull request"},
                                                {"Kind"},
                                                {"Reason"},
                                                {"Expires"},
                                                {""}},
                                               said);
  return Join({El("h1", {}, "Gate and false alarms"), rule_table, El("h2", {}, "Acknowledgements"),
               said_table, El("p", {{"class", "about"}}, Html(RerunsWords(stats)))});
}

Html LoginView(const Context& context, const LoginPage& page) {
  return Join(
      {El("h1", {}, "Log in"),
       page.refusal.empty() ? Html()
                            : El("p", {{"class", "note"}, {"role", "alert"}}, Html(page.refusal)),
       page.issuer.empty() ? Html()
                           : El("p", {{"class", "buttons"}},
                                Link(Url::Path({"login", "issuer"}).With("next", page.next),
                                     Html(absl::StrCat("Log in at ", page.issuer)), "button")),
       El("form", {{"method", "post"}, {"class", "login"}, Action(LoginUrl())},
          {FormGuard(context),
           El("input", {{"type", "hidden"}, {"name", "next"}, {"value", page.next}}),
           El("label", {},
              {Html("Token "), El("input", {{"type", "password"},
                                            {"name", "token"},
                                            {"autocomplete", "current-password"},
                                            {"required", "required"},
                                            {"size", "50"}})}),
           El("button", {{"type", "submit"}}, "Log in")}),
       El("p", {{"class", "about"}},
          {Html("A token for reading: "),
           El("code", {}, "gprofhub token create --project PROJECT --scope read")})});
}

Html ErrorView(const Context& context, const std::string& title, const std::string& why,
               const std::string& advice) {
  return Join({El("h1", {}, Html(title)),
               why.empty() ? Html() : El("p", {{"class", "lead"}, {"role", "alert"}}, Html(why)),
               El("p", {}, Html(advice)),
               El("p", {{"class", "buttons"}},
                  {context.project.empty()
                       ? Html()
                       : Link(ProjectUrl(context.project), Html(context.project), "button"),
                   Link(HomeUrl(), "All projects", "button")})});
}

Html LicencesView(const std::vector<Licence>& licences) {
  std::vector<Html> pieces = {
      El("h1", {}, "Licences"),
      El("p", {{"class", "lead"}}, "Third-party code of the pages, with its licences.")};
  for (const Licence& licence : licences) {
    pieces.push_back(
        El("details", {},
           {El("summary", {},
               Html(absl::StrCat(licence.name, " ", licence.version, ": ", licence.licence))),
            El("pre", {{"tabindex", "0"}}, Html::Lines(licence.text))}));
  }
  return Join(pieces);
}

}  // namespace gprofhub::page
