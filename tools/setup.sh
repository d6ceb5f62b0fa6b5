#!/bin/sh
# Installs the Debian packages heddle needs and that are missing; does nothing when none is.
#
#   tools/setup.sh [--check] [GROUP...]
#   --check   only say what is missing; exit 1 when something is
#   groups    build workloads test lint riscv, all five when none is named; and for single suites of tests,
#             installed when named: page cluster foreign package
#
# Written for Debian 12 (bookworm). The table below is the whole list: group, package, what it is for.
set -eu

packages() {
    cat <<'TABLE'
build      gcc                 the C compiler
build      libc6-dev           the C library's headers
build      make                drives the build
build      libjansson-dev      reads manifests, writes JSON results
build      libinih-dev         reads machines
build      libsqlite3-dev      keeps the results of sweeps
build      opencl-headers      OpenCL's interface, for the driver
build      zlib1g-dev          packs the data of report pages
build      node-d3             D3, which draws report pages: its file is copied; neither node nor npm comes along
workloads  clang-19            compiles the bundled OpenCL C workloads to PTX; the second compiler of the tests
workloads  libclc-19           OpenCL C's built-in functions as PTX
test       libcmocka-dev       the unit tests' framework
test       ocl-icd-libopencl1  the OpenCL loader, which finds the driver; programs under heddle exec need it too
test       ocl-icd-opencl-dev  what OpenCL programs are linked with
test       clinfo              asks the driver about everything
test       zstd                unpacks the recorded hardware results in tests/data
test       libclang-rt-19-dev  clang's sanitizers and libFuzzer
test       valgrind            runs a small set of tests under memcheck
lint       clang-format-19     checks the formatting
lint       clang-tidy-19       static checks
riscv      lld-19              links RISC-V programs
riscv      gcc-riscv64-unknown-elf  its libgcc: what a RISC-V program calls for arithmetic its processor lacks
page       chromium            opens the report page in a real browser
page       python3             drives it
cluster    slurm-wlm           Slurm's controller and node daemon, which the tests of sweeps start
cluster    munge               who is who among Slurm's daemons
foreign    qemu-user           runs RISC-V programs on the host: a second opinion on their results
package    debhelper           builds the Debian package
package    lintian             checks the Debian package
package    fakeroot            builds it without being root
package    debootstrap         makes a bare Debian in which the package is tried
package    zsh                 a shell whose completion is tried
package    fish                another one
package    mandoc              checks the manual pages
TABLE
}

check=
groups=
known=$(packages | awk '!seen[$1]++ { printf "%s ", $1 }')
for arg; do
    case $arg in
    --check) check=1; continue ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    esac
    case " $known" in
    *" $arg "*) groups="$groups $arg" ;;
    *) echo "tools/setup.sh: unknown group '$arg'; the groups are ${known% }" >&2; exit 2 ;;
    esac
done
[ -n "$groups" ] || groups="build workloads test lint riscv"

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "tools/setup.sh: this is not a Debian system; install the equivalents of these by hand:" >&2
    packages >&2
    exit 2
fi

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=
report=$(mktemp)
trap 'rm -f "$report"' EXIT
packages > "$report"
while read -r group package why; do
    case " $groups " in *" $group "*) ;; *) continue ;; esac
    installed "$package" && continue
    [ -n "$missing" ] || echo "tools/setup.sh: missing packages:"
    printf '  %-20s %s\n' "$package" "$why"
    missing="$missing $package"
done < "$report"
[ -n "$missing" ] || exit 0
[ -z "$check" ] || exit 1

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
else
    echo "tools/setup.sh: installing needs root or sudo, and there is neither. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 2
fi

apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 "$@"; }
tries=0
until apt update -q; do
    tries=$((tries + 1))
    if [ $tries -ge 3 ]; then
        echo "tools/setup.sh: apt-get update failed $tries times; installing from the lists that are here" >&2
        break
    fi
    echo "tools/setup.sh: apt-get update failed, trying again in 5 seconds" >&2
    sleep 5
done
# shellcheck disable=SC2086
if ! apt install -y -q --no-install-recommends $missing; then
    echo "tools/setup.sh: apt-get could not install$missing (its messages are above)" >&2
    exit 2
fi
