#include "cli/client/connect.h"

#include "absl/strings/str_cat.h"
#include "ci/upload/channel.h"
#include "ci/upload/explain_connection.h"

namespace gprofhub::cli {
namespace {

ci::ClientTls TlsOf(const ServerOptions& options) {
  return {options.authorities, options.client_certificate, options.client_key};
}

}  // namespace

std::shared_ptr<grpc::Channel> Connect(const ServerOptions& options) {
  if (!options.token.empty() && ci::SendsInTheClear(options.server)) {
    Warn(absl::StrCat("the token goes to ", options.server,
                      " unencrypted; use an https:// address"));
  }
  const ci::ClientTls tls = TlsOf(options);
  if (!tls.empty() && !ci::ParseServerAddress(options.server).is_encrypted) {
    Warn(absl::StrCat("certificates are given, but the connection to ", options.server,
                      " is not encrypted; use an https:// address"));
  }
  return ci::ConnectTo(options.server, tls);
}

std::string WhyNoAnswer(const ServerOptions& options) {
  return ci::ExplainNoConnection(options.server, TlsOf(options));
}

}  // namespace gprofhub::cli
