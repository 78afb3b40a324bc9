"""Runs a command on a terminal, as a person does.

    on_terminal.py [--interrupt-at TEXT] COMMAND...

The command's output is copied to standard output. When it has TEXT, the terminal sends Ctrl-C, once.
If it has a page's address, the page is read before that, and "PAGE STATUS" printed. The status is
the command's.
"""

import os
import pty
import re
import sys
import urllib.request

arguments = sys.argv[1:]
interrupt_at = None
if arguments[0] == "--interrupt-at":
    interrupt_at = arguments[1]
    arguments = arguments[2:]

child, terminal = pty.fork()
if child == 0:
    os.execvp(arguments[0], arguments)
output = ""
while True:
    try:
        piece = os.read(terminal, 65536).decode(errors="replace")
    except OSError:  # the command has ended
        break
    output += piece
    print(piece, end="", flush=True)
    if interrupt_at and interrupt_at in output:
        for page in re.findall(r"(http://\S+)", output)[:1]:
            with urllib.request.urlopen(page) as response:
                print(f"\nPAGE {response.status}", flush=True)
        interrupt_at = None
        os.write(terminal, b"\x03")
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
