#!/usr/bin/env bash
# Runs README's two commands on a bare Debian, with what README says a machine needs and nothing else, by a user that is
# not root, without a locale and with TERM=dumb:
#
#     sudo env "PATH=$PATH" "HOME=$HOME" tests/bare_machine.sh
#
# Needs root, the package debootstrap and the network, and takes about 15 minutes on two cores. The toolchain and the
# crates are copied in, in place of what rustup and cargo would fetch; the last commit is cloned. Of this machine's
# kernel it sees /proc and /dev/pts. Debian's release is this machine's or $SUITE, the mirror debootstrap's or $MIRROR.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=$(sed -n 's/^sudo apt install \([a-z0-9 -]*\).*/\1/p' README.md)

# What is mounted in a namespace of its own goes when this script ends.
[[ ${IN_NAMESPACE:-} == yes ]] || IN_NAMESPACE=yes exec unshare --mount "$0"
folder=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'umount "$root"/{proc,dev/pts} || true; rm -rf --one-file-system "$folder"' EXIT
root=$folder/debian log=$folder/log home=$folder/debian/home/user
chmod 755 "$folder"

# Runs a command, whose output is shown if it fails.
quietly() { local status; "$@" >"$log" 2>&1 || { status=$? && tail -n 50 "$log" && return "$status"; }; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
by_user() { # COMMAND
    chroot --userspec=user:user "$root" env -i HOME=/home/user PATH=/opt/rust/bin:/usr/bin:/bin TERM=dumb \
        CARGO_NET_OFFLINE=true sh -c "cd && $1"
}

echo "README names: ${packages:?README has no line with apt install}"
quietly debootstrap --variant=minbase "${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}" "$root" ${MIRROR:-}
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
quietly inside apt-get install --yes --no-install-recommends $packages
inside useradd --create-home user
cp -a "$(rustc --print sysroot)" "$root/opt/rust"
CARGO_HOME=$home/.cargo cargo fetch --quiet --locked
git bundle create --quiet "$home/tictune.bundle" HEAD
inside chown -R user:user /home/user
quietly by_user "git clone tictune.bundle tictune"

failed=0
for command in "cargo run --release -- evolve experiments/quickstart.toml" "cargo test"; do
    echo "\$ $command"
    start=$SECONDS status=0
    quietly by_user "cd tictune && $command" || status=$? failed=1
    grep -E '^(test result|report|skipped for want of|nothing was skipped)' "$log" || true
    echo "status $status after $((SECONDS - start)) s"
done
exit "$failed"
