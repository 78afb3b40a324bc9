// For proxies between a client and PostgresServer.
#pragma once

#include <cstdint>
#include <string>

namespace gprofhub::tests {

// A socket that is connected to the server whose Unix socket is in the folder, or -1.
int ConnectToServer(const std::string& folder);

// The URL of PostgresServer::CreateDatabase, through a port on loopback.
std::string ThroughPort(const std::string& url, const std::string& folder, uint16_t port);

}  // namespace gprofhub::tests
