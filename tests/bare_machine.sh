#!/usr/bin/env bash
# Runs README's two commands on a bare Debian, with what README says a machine needs and nothing else, as a user that is
# not root, without a locale and with TERM=dumb:
#
#     sudo tests/bare_machine.sh [FOLDER]
#
# Needs root, the package debootstrap and the network, and takes about 20 minutes on two cores. The toolchain and the
# crates are copied in, the last commit is cloned. /proc and /dev/pts are mounted, as every machine has them. FOLDER,
# target/bare-machine unless it is given, holds the Debian; an existing one is used again. Debian's release is that of
# this machine, or $SUITE; debootstrap's mirror is used, or $MIRROR.
set -euo pipefail
cd "$(dirname "$0")/.."

root=${1:-target/bare-machine}
suite=${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
packages=$(sed -n 's/^sudo apt install \([a-z0-9 -]*\).*/\1/p' README.md)
echo "README names: ${packages:?README has no line with apt install}"

# Mounts of a namespace of its own end with this script, however it ends.
if [[ ${IN_NAMESPACE:-} != yes ]]; then
    IN_NAMESPACE=yes exec unshare --mount "$0" "$@"
fi

if [[ ! -e $root/etc/debian_version ]]; then
    debootstrap --variant=minbase "$suite" "$root" ${MIRROR:-} >"$root.log" 2>&1 || { tail "$root.log" && exit 1; }
fi
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
cp /etc/resolv.conf "$root/etc/"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get install -qq --yes --no-install-recommends $packages >"$root.log" 2>&1 || { tail "$root.log" && exit 1; }
inside id user >/dev/null 2>&1 || inside useradd --create-home user

# The toolchain and the crates, in place of what rustup and cargo would fetch.
home=$root/home/user
rm -rf "$root/opt/rust" "$home/tictune"
cp -a "$(rustc --print sysroot)" "$root/opt/rust"
CARGO_HOME=$home/.cargo cargo fetch --quiet --locked
git bundle create --quiet "$home/tictune.bundle" HEAD
inside chown -R user:user /home/user

failed=0
# A command of README. Says with which status it ended, and after how long.
as_user() { # COMMAND
    local start=$SECONDS status=0
    echo "\$ $1"
    chroot --userspec=user:user "$root" env -i HOME=/home/user PATH=/opt/rust/bin:/usr/bin:/bin TERM=dumb \
        CARGO_NET_OFFLINE=true sh -c "cd /home/user/tictune && $1" >"$root.log" 2>&1 || status=$?
    grep -E '^test result|FAILED|^error|^skipped for want of|^nothing was skipped' "$root.log" || tail -3 "$root.log"
    echo "status $status after $((SECONDS - start)) s"
    [[ $status -eq 0 ]] || failed=1
}
chroot --userspec=user:user "$root" git clone --quiet /home/user/tictune.bundle /home/user/tictune
as_user "cargo run --release -- evolve experiments/quickstart.toml"
as_user "cargo test"
exit "$failed"
