# A Debian that mmdebstrap has just made, for scripts that try something in it. Source this file as root in a folder
# of its own; the system is in ./system.
# shellcheck shell=bash

SYSTEM=$PWD/system
readonly DEBIAN_SOURCES=/etc/apt/sources.list.d/debian.sources

# Why no system can be made on this machine; nothing: one can.
why_no_system() {
  local mirror
  if ((EUID != 0)); then
    echo "only root may make a system"
  elif ! command -v mmdebstrap >/dev/null; then
    echo "mmdebstrap is not installed: apt-get install mmdebstrap"
  elif ! unshare --mount --pid --fork true 2>/dev/null; then
    echo "this root may not mount anything"
  else
    mirror=$(sed -n '/^URIs: */{s///;s/ .*//p;q}' "$DEBIAN_SOURCES" 2>/dev/null || true)
    if [[ -z $mirror ]]; then
      echo "$DEBIAN_SOURCES names no mirror"
      return
    fi
    /usr/lib/apt/apt-helper download-file "$mirror/dists/bookworm/InRelease" "$PWD/release" >/dev/null 2>&1 ||
      echo "Debian's mirror $mirror does not answer"
  fi
}

# in_system COMMAND...: with processes and mounts of its own, which end with the command. A folder of this machine that
# SHARED names is there as /shared; what is written to it stays there.
in_system() {
  # shellcheck disable=SC2016  # the shell within expands it
  unshare --mount --pid --fork --kill-child=KILL bash -c '
    mount -t proc proc "$1/proc"
    if [[ -n $2 ]]; then
      mkdir -p "$1/shared" "$1.upper" "$1.work"
      mount -t overlay overlay -o "lowerdir=$2,upperdir=$1.upper,workdir=$1.work" "$1/shared"
    fi
    exec chroot "$1" /usr/bin/env -i HOME=/root USER=root LC_ALL=C.UTF-8 \
      PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive NODE_EXTRA_CA_CERTS=/etc/authorities.pem \
      "${@:3}"' enter "$SYSTEM" "${SHARED:-}" "$@"
}

timed() {
  local name=$1 started
  shift
  started=$(milliseconds_now)
  check "$name" "$@"
  echo "  $(as_seconds $(($(milliseconds_now) - started)))"
}

# make_system SUITE: minimal, with the mirrors that this machine uses, and its network settings. If
# this machine configures further authorities for Node, npm needs them there, too.
make_system() {
  local source=$DEBIAN_SOURCES
  if [[ $1 != bookworm || ! -f $source ]]; then source=; fi
  mmdebstrap --quiet --variant=apt "$1" "$SYSTEM" ${source:+"$source"} || return 1
  cp /etc/resolv.conf "$SYSTEM/etc/resolv.conf"
  cp "${NODE_EXTRA_CA_CERTS:-/dev/null}" "$SYSTEM/etc/authorities.pem"
}
