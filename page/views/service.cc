#include "page/views/service.h"

#include "absl/strings/str_cat.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/words/words.h"
#include "reporter/text/numbers.h"

namespace gprofhub::page {

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
                                       {"Rate", true, "A lower bound: nobody has to say so"}},
                                      rules);
  const Html said_table = said.empty() ? El("p", {}, "Nobody has, yet.")
                                       : Table("Acknowledgements, newest first",
                                               {{"When"},
                                                {"Who"},
                                                {"Function"},
                                                {"Target"},
                                                {"Pull request"},
                                                {"What"},
                                                {"Why"},
                                                {"Until"},
                                                {""}},
                                               said);
  return Join({El("h1", {}, "Gate and false alarms"), rule_table,
               El("h2", {}, "Who said it is all right"), said_table,
               El("p", {{"class", "about"}},
                  Html(absl::StrCat("Tests were run again ", stats.reruns(), " times, ",
                                    stats.rerun_targets(), " targets in all.")))});
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

Html MessageView(const std::string& title, const std::string& message) {
  return Join({El("h1", {}, Html(title)), El("p", {{"class", "lead"}}, Html(message))});
}

Html LicencesView(const std::vector<Licence>& licences) {
  std::vector<Html> pieces = {
      El("h1", {}, "Licences"),
      El("p", {{"class", "lead"}}, "The pages use these works of others, as they allow.")};
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
