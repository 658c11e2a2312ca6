# pkg_config.sh <pkg-config> <folder of the .pc files> <c++> <flags> <consumer> <work>: checks that every component's
# module resolves, and that programs build and run with pkg-config's flags only.
set -eu
pkg_config=$1 folder=$2 cxx=$3 own_flags=$4 consumer=$5 work=$6
export PKG_CONFIG_PATH="$folder"
mkdir -p "$work"

flags=$("$pkg_config" --cflags --libs ridgepoint)
case "$flags" in *-m* | *-l* | *-O*) echo "ridgepoint.pc adds flags: $flags" >&2; exit 1 ;; esac
for module in "$folder"/*.pc; do
  case "$(basename "$module" .pc)" in *-onednn | *-json | *-benchmark) continue ;; esac       # optional packages
  "$pkg_config" --exists --print-errors "$(basename "$module" .pc)"
done
build_and_run() {  # <program> <module …>
  program=$1
  shift
  eval "set -- $("$pkg_config" --cflags --libs "$@")"             # pkg-config escapes spaces for a shell
  # shellcheck disable=SC2086
  "$cxx" $own_flags "$consumer/$program.cpp" "$@" -o "$work/$program"
  "$work/$program"
}
build_and_run plain ridgepoint
build_and_run digits ridgepoint-dispatch ridgepoint-data
case "$("$pkg_config" --cflags ridgepoint-dispatch)" in
  *-DRIDGEPOINT_WITH_DISPATCH*) ;;
  *) echo "ridgepoint-dispatch.pc does not say that its archive holds networks" >&2; exit 1 ;;
esac
build_and_run training ridgepoint-dispatch
