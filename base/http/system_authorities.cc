#include "base/http/system_authorities.h"

#include <unistd.h>

namespace gprofhub::base {

std::string SystemAuthorities() {
  for (const char* path :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/cert.pem"}) {
    if (access(path, R_OK) == 0) return path;
  }
  return "";
}

}  // namespace gprofhub::base
