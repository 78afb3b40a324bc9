// Pages that are about no profile: the gate, log-in, errors, licences.
#pragma once

#include <string>
#include <vector>

#include "page/html/html.h"
#include "page/views/shell.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

Html GateView(const Context& context, const v1::GetGateStatsResponse& stats,
              const v1::ListAcknowledgementsResponse& acknowledgements);

struct LoginPage {
  std::string refusal;  // why the last attempt failed; empty: there was none
  std::string next;     // where to go then
  std::string issuer;   // where people log in, too; empty: nowhere
};
Html LoginView(const Context& context, const LoginPage& page);

// What went wrong, and what to do.
Html MessageView(const std::string& title, const std::string& message);

struct Licence {
  std::string name, version, licence, text;
};
Html LicencesView(const std::vector<Licence>& licences);

}  // namespace gprofhub::page
