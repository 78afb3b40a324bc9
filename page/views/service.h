// Pages that are not about a profile: the gate, log-in, errors, licences.
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
  std::string refusal;  // why the last attempt failed; empty: no attempt yet
  std::string next;     // where to go after the log-in
  std::string issuer;   // of single sign-on; empty: not configured
};
Html LoginView(const Context& context, const LoginPage& page);

// Error page: what failed, and what to do.
Html MessageView(const std::string& title, const std::string& message);

struct Licence {
  std::string name, version, licence, text;
};
Html LicencesView(const std::vector<Licence>& licences);

}  // namespace gprofhub::page
