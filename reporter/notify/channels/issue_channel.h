// An issue of the project's repository for each event: opened once, kept up to date, closed.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "reporter/forge/forge.h"
#include "reporter/notify/channels/channel.h"

namespace gprofhub::reporter {

// The forges by project. A hidden line in its body marks an event's issue, so that it is found
// again if the answer to its making was lost. An issue that somebody closed stays closed until the
// change comes back. One that somebody deleted is not made again. A digest is an issue of its own,
// which is closed at once.
std::unique_ptr<Channel> MakeIssueChannel(std::map<std::string, std::shared_ptr<Forge>> forges);

}  // namespace gprofhub::reporter
