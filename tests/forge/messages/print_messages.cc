// Prints what chats get, each kind of message: {"slack": […], "matrix": […]}.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "reporter/notify/channels.h"

namespace gprofhub::tests {
namespace {

reporter::Notification MakeNotification() {
  reporter::Notification notification;
  notification.project = "acme/db <!channel>";
  notification.branch = "main";
  notification.configuration = "k8-opt";
  notification.owners = {"@acme/db"};
  v1::ChangeEvent& event = notification.event;
  event.mutable_at()->set_commit(std::string(40, 'c'));
  event.mutable_last_before()->set_commit(std::string(40, 'a'));
  event.mutable_culprit()->set_commit(std::string(40, 'c'));
  event.mutable_culprit()->set_subject("Look each word up twice");
  v1::Finding& cause = *event.mutable_cause();
  cause.set_metric(v1::Finding::CALLS);
  cause.set_verdict(v1::Finding::REGRESSED);
  cause.set_function("ns::parse<" + std::string(3000, 'x') + ">(\"quoted\")");
  cause.set_target("//db:query_test");
  cause.set_before(10);
  cause.set_after(20);
  return notification;
}

nlohmann::json Messages() {
  nlohmann::json all = {{"slack", nlohmann::json::array()}, {"matrix", nlohmann::json::array()}};
  for (const auto kind : {reporter::Message::Kind::kOpened, reporter::Message::Kind::kUpdated,
                          reporter::Message::Kind::kClosed, reporter::Message::Kind::kDigest}) {
    reporter::Message message;
    message.kind = kind;
    message.notification = MakeNotification();
    message.digest = {"acme/db", "2026-11-16 to 2026-11-22", {MakeNotification()}, 3};
    all["slack"].push_back(nlohmann::json::parse(reporter::SlackBody(message)));
    all["matrix"].push_back(nlohmann::json::parse(reporter::MatrixBody(message)));
  }
  return all;
}

}  // namespace
}  // namespace gprofhub::tests

int main() {
  std::cout << gprofhub::tests::Messages().dump() << std::endl;
  return 0;
}
