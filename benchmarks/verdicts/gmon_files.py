"""The histogram of a gmon file: samples by function, and samples added to one."""

import bisect
import random
import struct
import subprocess

HEADER = struct.Struct("<4si12x")
HISTOGRAM = struct.Struct("<QQII15sc")
ARC = struct.Struct("<QQI")


class Gmon:
    def __init__(self, data):
        self.data = bytearray(data)
        magic, version = HEADER.unpack_from(data)
        if magic != b"gmon" or version != 1:
            raise SystemExit("not a gmon file of version 1")
        self.histograms = []  # (low, high, bins, rate, where the bins begin)
        self._arcs = []
        at = HEADER.size
        while at < len(data):
            tag, at = data[at], at + 1
            if tag == 0:
                low, high, bins, rate, _, _ = HISTOGRAM.unpack_from(data, at)
                self.histograms.append((low, high, bins, rate, at + HISTOGRAM.size))
                at += HISTOGRAM.size + 2 * bins
            elif tag == 1:
                self._arcs.append(ARC.unpack_from(data, at))
                at += ARC.size
            else:
                raise SystemExit(f"gmon record {tag} at byte {at - 1} is not known here")

    def arcs(self):
        """(address of the call, address of the callee, count) of each arc."""
        return self._arcs

    def bins(self):
        """(address, offset, samples) of each bin with samples."""
        for low, high, bins, _, start in self.histograms:
            width = (high - low) / bins if bins else 0
            values = struct.unpack_from(f"<{bins}H", self.data, start)
            for i, value in enumerate(values):
                if value:
                    yield int(low + i * width), start + 2 * i, value


class Functions:
    """Address ranges of a program's functions, clones with their originals."""

    def __init__(self, program, plain):
        self.ranges = []
        for line in subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True).stdout.splitlines():
            parts = line.split()
            if len(parts) == 4 and parts[2] in "tTwWi":
                start, size = int(parts[0], 16), int(parts[1], 16)
                self.ranges.append((start, start + size, plain(parts[3])))
        self.ranges.sort()

    def at(self, address):
        """The function that the address lies in, or an empty name."""
        i = bisect.bisect_right(self.ranges, (address, float("inf"), "")) - 1
        return self.ranges[i][2] if i >= 0 and address < self.ranges[i][1] else ""

    def samples(self, gmon):
        """{function: [(offset, samples)]}."""
        found, at = {}, 0
        for address, offset, value in sorted(gmon.bins()):
            while at < len(self.ranges) and self.ranges[at][1] <= address:
                at += 1
            if at < len(self.ranges) and self.ranges[at][0] <= address:
                found.setdefault(self.ranges[at][2], []).append((offset, value))
        return found


def poisson(draw, mean):
    """A Poisson number, by its waiting times."""
    count, waited = -1, 0.0
    while waited < mean:
        waited += draw.expovariate(1.0)
        count += 1
    return max(count, 0)


def slowed(gmon, bins, share, seed):
    """The file's bytes with a function's samples increased by `share` of them: as
    many more as chance would have it, where it has samples already."""
    draw = random.Random(seed)
    data = bytearray(gmon.data)
    offsets = [offset for offset, _ in bins]
    weights = [value for _, value in bins]
    for offset in draw.choices(offsets, weights, k=poisson(draw, share * sum(weights))) if offsets else []:
        (value,) = struct.unpack_from("<H", data, offset)
        struct.pack_into("<H", data, offset, value + 1)
    return bytes(data)
