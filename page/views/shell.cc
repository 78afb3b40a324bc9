#include "page/views/shell.h"

#include "absl/strings/str_cat.h"
#include "page/views/addresses.h"

namespace gprofhub::page {
namespace {

Html Head(const Context& context, const Frame& frame) {
  std::vector<Html> pieces = {
      El("meta", {{"charset", "utf-8"}}),
      El("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}),
      El("meta", {{"name", "color-scheme"}, {"content", "light dark"}}),
      El("title", {}, Html(absl::StrCat(frame.title, " · gprofhub"))),
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
  return El("form",
            {{"class", "search"},
             {"role", "search"},
             Action(Url::Path({"p", context.project, "function"}))},
            El("input", {{"type", "search"},
                         {"name", "name"},
                         {"id", "search"},
                         {"autocomplete", "off"},
                         {"spellcheck", "false"},
                         {"placeholder", "Find a function  /"},
                         {"aria-label", "Find a function"}}));
}

Html Way(const Context& context, const Frame& frame) {
  if (context.project.empty()) return "";
  std::vector<Html> steps = {
      El("li", {}, Link(HomeUrl(), "Projects")),
      El("li", {}, Link(ProjectUrl(context.project), Html(context.project)))};
  for (const auto& [words, url] : frame.way) {
    steps.push_back(El("li", {}, Link(url, Html(words))));
  }
  return El("nav", {{"class", "way"}, {"aria-label", "Way back"}}, El("ol", {}, Join(steps)));
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
  return Document(Join({Head(context, frame), scripts}), Join(body));
}

}  // namespace gprofhub::page
