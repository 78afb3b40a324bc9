#!/usr/bin/env python3
"""Writes a gmon.out from a description, for tests.

  make_gmon.py OUT [ITEM...]

Items, in file order:
  --size 4|8 --big --version N          header; 8, little and 1 by default
  --bsd RATE                            the file in 4.4BSD's format, with RATE 0 in the one before;
                                        of one histogram (its rate is not used) and arcs
  --hist LOW HIGH BINS RATE DIMENSION ABBREVIATION
  --sample ADDRESS COUNT                into the bins of the histogram before it
  --arc FROM SELF COUNT
  --block ADDRESS COUNT                 all blocks make one record, at the end
  --raw HEX                             any bytes
"""
import struct
import sys


class Writer:
    def __init__(self):
        self.address = "Q"
        self.order = "<"
        self.version = 1
        self.records = []
        self.histogram = None
        self.blocks = []
        self.bsd_rate = None
        self.bsd_histogram = (0, 0, [])

    def pack(self, format_, *values):
        return struct.pack(self.order + format_, *values)

    def flush(self):
        if self.histogram is None:
            return
        low, high, bins, rate, dimension, abbreviation = self.histogram
        if self.bsd_rate is not None:
            self.bsd_histogram = (low, high, bins)
            self.histogram = None
            return
        head = self.pack(self.address * 2 + "ii15sc", low, high, len(bins), rate,
                         dimension.encode(), abbreviation.encode())
        self.records.append(b"\0" + head + self.pack("%dH" % len(bins), *bins))
        self.histogram = None

    def add(self, item, values):
        numbers = [int(v, 0) if v[:1].isdigit() else None for v in values]
        if item == "--size":
            self.address = "Q" if numbers[0] == 8 else "I"
        elif item == "--big":
            self.order = ">"
        elif item == "--bsd":
            self.bsd_rate = numbers[0]
        elif item == "--version":
            self.version = numbers[0]
        elif item == "--hist":
            self.flush()
            self.histogram = [numbers[0], numbers[1], [0] * numbers[2], numbers[3]] + values[4:]
        elif item == "--sample":
            low, high, bins = self.histogram[:3]
            bins[(numbers[0] - low) * len(bins) // (high - low)] += numbers[1]
        elif item == "--arc":
            self.flush()
            if self.bsd_rate is None:
                self.records.append(b"\1" + self.pack(self.address * 2 + "I", *numbers))
            else:
                self.records.append(self.pack(self.address * 3, *numbers))
        elif item == "--block":
            self.blocks.append(self.pack(self.address * 2, *numbers))
        elif item == "--raw":
            self.flush()
            self.records.append(bytes.fromhex(values[0]))

    def content(self):
        self.flush()
        if self.blocks:
            self.records.append(b"\2" + self.pack("I", len(self.blocks)) + b"".join(self.blocks))
        if self.bsd_rate is not None:
            return self.bsd_content()
        return b"gmon" + self.pack("i", self.version) + bytes(12) + b"".join(self.records)

    def bsd_content(self):
        low, high, bins = self.bsd_histogram
        head = self.pack(self.address * 2, low, high)
        version = self.pack("ii", 0x51879, self.bsd_rate) + bytes(12) if self.bsd_rate else b""
        size = self.pack("i", len(head) + 4 + len(version) + 2 * len(bins))
        return head + size + version + self.pack("%dH" % len(bins), *bins) + b"".join(self.records)


ARITY = {"--bsd": 1, "--size": 1, "--big": 0, "--version": 1, "--hist": 6, "--sample": 2, "--arc": 3,
         "--block": 2, "--raw": 1}


def make(items):
    writer = Writer()
    at = 0
    while at < len(items):
        count = ARITY[items[at]]
        writer.add(items[at], items[at + 1:at + 1 + count])
        at += 1 + count
    return writer.content()


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(make(sys.argv[2:]))
