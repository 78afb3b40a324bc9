"""Programs without their debug information."""

import os
import subprocess
import tempfile


def stripped(program):
    """The bytes of the program, stripped."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program")
        subprocess.run(["strip", "--strip-unneeded", "-o", path, program], check=True)
        with open(path, "rb") as file:
            return file.read()
