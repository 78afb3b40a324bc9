"""The rules that BUILD files load."""

load(":benchmark.bzl", _gprof_benchmark = "gprof_benchmark")
load(":ordered_binary.bzl", _gprof_ordered_binary = "gprof_ordered_binary")
load(":profile.bzl", _gprof_profile = "gprof_profile", _gprof_test_suite = "gprof_test_suite")

gprof_benchmark = _gprof_benchmark
gprof_ordered_binary = _gprof_ordered_binary
gprof_profile = _gprof_profile
gprof_test_suite = _gprof_test_suite
