#include "cli/client/connect.h"

#include "absl/strings/str_cat.h"
#include "ci/upload/channel.h"

namespace gprofhub::cli {

std::shared_ptr<grpc::Channel> Connect(const ServerOptions& options) {
  if (!options.token.empty() && ci::SendsInTheClear(options.server)) {
    Warn(absl::StrCat("the token goes to ", options.server,
                      " unencrypted; use an https:// address"));
  }
  return ci::ConnectTo(options.server);
}

}  // namespace gprofhub::cli
