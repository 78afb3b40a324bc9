// Maintains one issue in the project's repository per event: opens, updates and closes it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "reporter/forge/forge.h"
#include "reporter/notify/channels/channel.h"

namespace gprofhub::reporter {

// `forges` by project. An event's issue is identified by a hidden line in its body, so that it is
// found again if the response to its creation was lost. An issue that a person closed stays closed
// until the change recurs. A deleted issue is not created again. A digest is a separate issue,
// which is closed at once.
std::unique_ptr<Channel> MakeIssueChannel(std::map<std::string, std::shared_ptr<Forge>> forges);

}  // namespace gprofhub::reporter
