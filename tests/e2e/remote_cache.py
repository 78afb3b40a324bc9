"""A remote cache for Bazel, in memory: --remote_cache=http://127.0.0.1:PORT.

    remote_cache.py

It prints its port. It serves until its standard input ends.
"""

import http.server
import sys
import threading


class Cache(http.server.BaseHTTPRequestHandler):
    """GET and PUT of /ac/DIGEST and /cas/DIGEST."""

    protocol_version = "HTTP/1.1"
    contents = {}

    def answer(self, status, content=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        content = self.contents.get(self.path)
        self.answer(404) if content is None else self.answer(200, content)

    def do_PUT(self):
        self.contents[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cache)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
