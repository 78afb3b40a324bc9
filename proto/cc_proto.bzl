"""C++ code from .proto files, made by Debian's protoc and gRPC plugin."""

def cc_proto(name, src, deps = [], grpc = False, visibility = None):
    """A cc_library of the messages in `src`, with its services if grpc is set.

    Args:
      name: the library; include "proto/<src without .proto>.pb.h".
      src: one .proto file of this package.
      deps: cc_proto libraries of the imported files.
      grpc: whether to generate services too ("….grpc.pb.h").
      visibility: as everywhere.
    """
    stem = "proto/" + src[:-len(".proto")]
    base = src[:-len(".proto")]
    outs = [base + ".pb.h", base + ".pb.cc"]
    command = "protoc --proto_path=. --cpp_out=$(BINDIR) "
    if grpc:
        outs += [base + ".grpc.pb.h", base + ".grpc.pb.cc"]
        command += "--grpc_out=$(BINDIR) --plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin "
    native.genrule(
        name = name + "_generate",
        srcs = [src, ":all_protos"],
        outs = outs,
        cmd = command + stem + ".proto",
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = [out for out in outs if out.endswith(".cc")],
        hdrs = [out for out in outs if out.endswith(".h")],
        copts = ["-w"],
        visibility = visibility,
        deps = deps + (["@grpc"] if grpc else ["@protobuf"]),
    )
