// Workload of civetweb: a server with threads, and clients in threads of the same process over
// loopback. The argument is how many requests each client makes.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "civetweb.h"

enum { kClients = 4 };

struct client {
  pthread_t thread;
  int port, requests, number;
  unsigned long sum;
};

static int hello(struct mg_connection* connection, void* data) {
  (void)data;
  const struct mg_request_info* request = mg_get_request_info(connection);
  char name[100] = "", body[600];
  if (request->query_string)
    mg_get_var(request->query_string, strlen(request->query_string), "name", name, sizeof name);
  const char* agent = mg_get_header(connection, "User-Agent");
  char encoded[300];
  mg_url_encode(name, encoded, sizeof encoded);
  const int size = snprintf(body, sizeof body, "hello %s (%s) from %s\n", name, encoded,
                            agent ? agent : "nobody");
  mg_printf(connection, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: keep-alive\r\n\r\n",
            size);
  mg_write(connection, body, (size_t)size);
  return 200;
}

static int sum_of_body(struct mg_connection* connection, void* data) {
  (void)data;
  char piece[64], body[100];
  unsigned long sum = 0;
  int size;
  while ((size = mg_read(connection, piece, sizeof piece)) > 0)
    for (int i = 0; i < size; ++i) sum = sum * 31 + (unsigned char)piece[i];
  size = snprintf(body, sizeof body, "%lu\n", sum);
  mg_send_http_ok(connection, "text/plain", size);
  mg_write(connection, body, (size_t)size);
  return 200;
}

static void send_all(int to, const char* text, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(to, text, size, MSG_NOSIGNAL);
    if (sent <= 0) exit(3);
    text += sent;
    size -= (size_t)sent;
  }
}

// Reads one answer with a Content-Length; the sum of its body's bytes.
static unsigned long answer(int from) {
  char text[4096];
  size_t size = 0;
  for (;;) {
    const ssize_t received = recv(from, text + size, sizeof text - 1 - size, 0);
    if (received <= 0) exit(4);
    size += (size_t)received;
    text[size] = '\0';
    const char* body = strstr(text, "\r\n\r\n");
    const char* length = strstr(text, "Content-Length: ");
    if (!body || !length) continue;
    body += 4;
    if (size < (size_t)(body - text) + strtoul(length + 16, NULL, 10)) continue;
    unsigned long sum = 0;
    for (; *body; ++body) sum = sum * 131 + (unsigned char)*body;
    return sum;
  }
}

static void* run_client(void* data) {
  struct client* client = data;
  const struct sockaddr_in server = {.sin_family = AF_INET,
                                     .sin_port = htons((unsigned short)client->port),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int to = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(to, (const struct sockaddr*)&server, sizeof server) != 0) exit(2);
  char text[1200];
  for (int i = 0; i < client->requests; ++i) {
    int size;
    if (i % 3 == 2) {
      char body[400];
      const int length = 50 + i * 7 % 300;
      memset(body, 'a' + i % 26, sizeof body);
      size = snprintf(text, sizeof text,
                      "POST /sum HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%.*s", length,
                      length, body);
    } else {
      size = snprintf(text, sizeof text,
                      "GET /hello?x=1&name=%%41dam+%d HTTP/1.1\r\nHost: x\r\nAccept: "
                      "*/*\r\nUser-Agent: client%d\r\n"
                      "Cookie: a=b; c=%d\r\nAccept-Language: en\r\n\r\n",
                      i, client->number, i);
    }
    send_all(to, text, (size_t)size);
    client->sum += answer(to);
  }
  close(to);
  return NULL;
}

int main(int count, char** arguments) {
  const int requests = count > 1 ? atoi(arguments[1]) : 100;
  const char* options[] = {"listening_ports",
                           "127.0.0.1:0",
                           "num_threads",
                           "5",
                           "enable_keep_alive",
                           "yes",
                           "tcp_nodelay",
                           "1",
                           "keep_alive_timeout_ms",
                           "20000",
                           "request_timeout_ms",
                           "20000",
                           NULL};
  struct mg_callbacks callbacks;
  memset(&callbacks, 0, sizeof callbacks);
  mg_init_library(0);
  struct mg_context* server = mg_start(&callbacks, NULL, options);
  if (!server) return 1;
  struct mg_server_port port;
  if (mg_get_server_ports(server, 1, &port) != 1) return 1;
  mg_set_request_handler(server, "/hello", hello, NULL);
  mg_set_request_handler(server, "/sum", sum_of_body, NULL);
  struct client clients[kClients];
  unsigned long sum = 0;
  for (int i = 0; i < kClients; ++i) {
    clients[i] = (struct client){.port = port.port, .requests = requests, .number = i};
    pthread_create(&clients[i].thread, NULL, run_client, &clients[i]);
  }
  for (int i = 0; i < kClients; ++i) {
    pthread_join(clients[i].thread, NULL);
    sum += clients[i].sum;
  }
  mg_stop(server);
  mg_exit_library();
  printf("%lu\n", sum);
  return 0;
}
