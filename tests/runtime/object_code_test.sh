#!/bin/sh
# The runtime runs while the program's vector registers hold arguments, and where libc must not be
# called: its object code must not touch the ones nor call the other, for every compiler.
set -eu
archive=$1
if objdump -d "$archive" | grep -E '%[xyz]mm[0-9]'; then
    echo "vector registers in $archive"
    exit 1
fi
# Resolved by the loader, and called only at the start, on creation of threads and on request. Then
# come names of the archive's own and of the linker's.
allowed='_GLOBAL_OFFSET_TABLE_|pthread_atfork|dlsym|environ|main|dl_iterate_phdr|gh_[a-z_]+|__pthread_create|pthread_attr_getsigmask_np|mq_notify|pthread_create|__real_[a-z0-9_]+'
# Of and for functions that block and await signals, or close descriptors, for the program.
allowed="$allowed|__errno_location|pthread_setcanceltype|sigprocmask|__close|__sigaction"
allowed="$allowed|_?__interceptor_(pthread_create|close|sigaction|sigwait|sigwaitinfo|sigtimedwait)"
# Of the end of a thread.
allowed="$allowed|__sigsetjmp|__pthread_(un)?register_cancel|__pthread_unwind_next"
allowed="$allowed|__(start|stop)_gprofhub_(fell_back|counters|sites)|__msan_init|_r_debug|dlmopen|gprofhub_(waiting|system)_microseconds|gprofhub_event_[a-z_]+"
if nm -u "$archive" | awk 'NF == 2 {print $2}' | grep -vxE "$allowed"; then
    echo "calls from $archive into libc"
    exit 1
fi
