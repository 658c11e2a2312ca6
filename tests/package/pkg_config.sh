# pkg_config.sh <pkg-config> <folder of ridgepoint.pc> <c++> <source> <program>: builds and runs with pkg-config's flags alone.
set -eu
export PKG_CONFIG_PATH="$2"
flags=$("$1" --cflags --libs ridgepoint)
case "$flags" in *-m* | *-l* | *-O*) echo "ridgepoint.pc adds flags: $flags" >&2; exit 1 ;; esac
"$3" -std=c++20 $flags "$4" -o "$5"
"$5"
