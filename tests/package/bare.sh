# The packages install in a bare Debian 12, work there, and leave nothing when they are purged.
#   tests/package/bare.sh BUILD [ROOT]     ROOT: a bare system made by debootstrap; without it one is made
[ "$(id -u)" = 0 ] && command -v debootstrap > /dev/null || { echo "needs root and debootstrap; to install: tools/setup.sh package"; exit 77; }
. "$(dirname "$0")"/../cli/common
root=${2:-}
if [ -z "$root" ]; then
    root=$work/root
    debootstrap --variant=minbase bookworm "$root" > "$work/log" 2>&1 ||
        { echo "debootstrap could not make a Debian 12 (no network?): $(tail -1 "$work/log")"; exit 77; }
fi
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/tmp "$@"; }
files() { (cd "$root" && find usr etc opt srv -xdev -not -path '*/__pycache__*' | sort); }
names="heddle libheddle0 libheddle-dev python3-heddle"
# what they depend on comes first, so that what is there before and after is the same but for them
inside apt-get update -q > "$work/log" 2>&1 || { echo "no package lists in the bare system: $(tail -1 "$work/log")"; exit 77; }
expect 0 inside apt-get install -y -q --no-install-recommends gcc libc6-dev pkg-config python3 libjansson-dev libinih-dev man-db
files > "$work/before"
mkdir -p "$root/debs" && cp "$B"/deb/*.deb "$root/debs/"
expect 0 inside sh -c 'apt-get install -y -q --no-install-recommends /debs/*.deb'
expect 0 inside heddle run vecadd --size tiny
out_has 'vecadd on gtx480'
out_has 'ok'
expect 0 inside heddle --version
expect 0 inside heddle list machines
expect 0 inside test -e /usr/share/man/man1/heddle-run.1.gz
expect 0 inside python3 -c 'import heddle; assert heddle.run("vecadd", size="tiny")["checksum_ok"]; d = heddle.Device("gtx480"); assert d.array([1, 2], "I").read()[1] == 2'
cp "$top"/examples/library.c "$top"/examples/scale.ptx "$root/tmp/"
expect 0 inside sh -c 'cd /tmp && gcc library.c $(pkg-config --cflags --libs heddle) -o library && ./library scale.ptx'
out_has 'data\[100\] = 300'
expect 0 inside sh -c "apt-get purge -y -q $names"
files > "$work/after"
cmp -s "$work/before" "$work/after" || { complain "left behind, or gone with them:"; diff "$work/before" "$work/after" | head -20; }
finish
