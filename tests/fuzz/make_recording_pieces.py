"""Writes a recording as the pieces that recording_pieces.cc puts together.

    python3 make_recording_pieces.py RECORDING PIECES

What is empty in its chunks is left out first, so that the recording is as small as one with the
same records can be. profile/format/recording.h has the layout.
"""
import struct
import sys

PAGE, HEAD, ENTRY, SLOT, SITE = 4096, 64, 32, 32, 16
DIRECTORY_ENTRIES, PROBES = 1024, 32
ARCS, SAMPLES, STACKS, BLOCKS, THREADS, MODULES = range(1, 7)
DIRECTORY, SITES, COUNTERS, EXCLUDED, MARKED, IN_USE, FIRST_CALLS = range(7, 14)
TABLES = (ARCS, SAMPLES, STACKS, BLOCKS, FIRST_CALLS)
RECORD_BYTES = {THREADS: 128, MODULES: 1024}
MARKS, THREAD_WORDS = 4, 3


def chunks_of(recording):
    """Number of the directory entry, kind, thread and chunk of each chunk that the directory names."""
    for which in range(64):
        directory = struct.unpack_from("<Q", recording, 32 + 8 * which)[0]
        if directory == 0:
            continue
        for i in range(DIRECTORY_ENTRIES):
            at = directory + HEAD + i * ENTRY
            offset, size, kind, thread, _ = struct.unpack_from("<QQIIQ", recording, at)
            if kind != 0:
                number = which * DIRECTORY_ENTRIES + i
                yield number, kind, thread, recording[offset:offset + size]


def head_of(chunk, body, capacity):
    """The chunk's head for another body, of `capacity` records."""
    head = bytearray(chunk[:HEAD])
    struct.pack_into("<Q", head, 8, HEAD + len(body))
    struct.pack_into("<Q", head, 32, capacity)
    return bytes(head) + body


def kept_records(kind, chunk):
    """The records or slots of a chunk that are not empty, by index."""
    capacity = struct.unpack_from("<Q", chunk, 32)[0]
    if kind in (*TABLES, IN_USE):
        return [i for i in range(capacity + PROBES)
                if chunk[HEAD + i * SLOT:HEAD + i * SLOT + 8] != bytes(8)]
    size = RECORD_BYTES[kind]
    return list(range(max([i + 1 for i in range(capacity)
                           if any(chunk[HEAD + i * size:HEAD + (i + 1) * size])], default=0)))


def packed_marks(kind, chunk, marked):
    """What a chunk of `kind` held at the marks, for the chunk without its empty records."""
    count = struct.unpack_from("<Q", marked, 32)[0]
    words = struct.unpack_from(f"<{MARKS * count}Q", marked, HEAD)
    if kind in TABLES:
        kept, extra = kept_records(kind, chunk), PROBES
    elif kind == THREADS:
        kept, extra = range(THREAD_WORDS * len(kept_records(kind, chunk))), 0
    else:
        kept, extra = range(count), 0
    body = b""
    for place in range(MARKS):
        body += struct.pack(f"<{len(kept)}Q", *[words[place * count + i] for i in kept])
        body += bytes(8 * extra)
    return head_of(marked, body, len(kept) + extra)


def packed(kind, chunk):
    """The chunk without its empty records."""
    capacity = struct.unpack_from("<Q", chunk, 32)[0]
    if kind in TABLES:
        slots = [chunk[HEAD + i * SLOT:HEAD + (i + 1) * SLOT] for i in range(capacity + PROBES)]
        kept = kept_records(kind, chunk)
        place = {old: new for new, old in enumerate(kept)}
        body = b""
        for i in kept:
            key, context, count, _ = struct.unpack("<QQQQ", slots[i])
            if kind == STACKS and context != 0:
                context = 1 + place[context - 1]
            body += struct.pack("<QQQQ", key, context, count, 0)
        return head_of(chunk, body + bytes(PROBES * SLOT), len(kept))
    if kind == IN_USE:
        kept = kept_records(kind, chunk)
        body = b"".join(chunk[HEAD + i * SLOT:HEAD + (i + 1) * SLOT] for i in kept)
        return head_of(chunk, body + bytes(PROBES * SLOT), len(kept))
    if kind in RECORD_BYTES:
        size = RECORD_BYTES[kind]
        used = len(kept_records(kind, chunk))
        return head_of(chunk, chunk[HEAD:HEAD + used * size], used)
    if kind == SITES:
        return head_of(chunk, chunk[HEAD:HEAD + capacity * SITE], capacity)
    if kind in (COUNTERS, EXCLUDED):
        words = struct.unpack_from("<Q", chunk, 16)[0]
        short = head_of(chunk, chunk[words:words + 8 * capacity], capacity)
        return short[:16] + struct.pack("<Q", HEAD) + short[24:]
    raise SystemExit(f"a chunk of an unknown kind {kind}")


def numbered(chunk, number, marks):
    """The chunk with other numbers of its directory entry and of that of its marks."""
    return chunk[:24] + struct.pack("<II", number, marks) + chunk[32:]


def without_empty_records(recording):
    """Kind, thread and chunk of all chunks, numbered anew."""
    old = list(chunks_of(recording))
    place = {number: new for new, (number, _, _, _) in enumerate(old)}
    owners = {struct.unpack_from("<I", chunk, 28)[0] - 1: (kind, chunk) for _, kind, _, chunk in old}
    for number, kind, thread, chunk in old:
        marks = struct.unpack_from("<I", chunk, 28)[0]
        if kind == MARKED:
            short = packed_marks(*owners[number], chunk)
        else:
            short = packed(kind, chunk)
        # Older recordings have other numbers there.
        yield kind, thread, numbered(short, place[number] + 1, place.get(marks - 1, -1) + 1)


def compact(recording):
    """The same recording without what is empty in it."""
    chunks = list(without_empty_records(recording))
    header = bytearray(recording[:PAGE])
    struct.pack_into("<64Q", header, 32, PAGE, *([0] * 63))
    end = PAGE + HEAD + DIRECTORY_ENTRIES * ENTRY
    entries, bodies = b"", b""
    for kind, thread, chunk in chunks:
        entries += struct.pack("<QQIIQ", end + len(bodies), len(chunk), kind, thread, 0)
        bodies += chunk
    struct.pack_into("<QI", header, 16, end + len(bodies), len(chunks))
    old = struct.unpack_from("<Q", recording, 32)[0]
    head = recording[old:old + HEAD]
    return bytes(header) + head + entries.ljust(DIRECTORY_ENTRIES * ENTRY, b"\0") + bodies


def pieces_of(recording, gap=12):
    """Its bytes that are not 0, and shorter gaps between them, with the zeros before each."""
    result, at = b"", 0
    while at < len(recording):
        begin = at
        while begin < len(recording) and recording[begin] == 0:
            begin += 1
        end = begin
        while end < len(recording) and end - begin < 65000 and any(recording[end:end + gap]):
            end += 1
        if begin == len(recording):  # the last piece says where the recording ends
            begin = end = len(recording)
        result += struct.pack("<IH", begin - at, end - begin) + recording[begin:end]
        at = end
    return result


def main():
    with open(sys.argv[1], "rb") as file:
        recording = file.read()
    with open(sys.argv[2], "wb") as file:
        file.write(pieces_of(compact(recording)))


if __name__ == "__main__":
    main()
