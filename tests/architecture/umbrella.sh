# umbrella.sh <c++> <include>: ridgepoint.hpp reaches every public header of what it promises, the kernels of rp::native_cpu
# without ridgepoint::dispatch, and with it nothing that is dear to compile.
set -eu
cxx="$1" include="$2"
failed=0
# Every header that compiling <header> with <flag> … reads, of this library without the folder it is in.
reached_by() {
  header=$1
  shift
  "$cxx" -std=c++20 -I"$include" "$@" -M -x c++ "$include/ridgepoint/$header" | tr ' \\' '\n\n' | sed 's|.*include/ridgepoint/||' | LC_ALL=C sort -u
}

reached=$(reached_by ridgepoint.hpp)
for header in cpu/cpu.hpp cpu/probe.hpp cpu/all.hpp cpu/native_cpu.hpp cpu/probe_ops.hpp $(cd "$include/ridgepoint" && find core data graph ops roofline -name '*.hpp' | LC_ALL=C sort); do
  case "$header" in
    core/csv.hpp | core/parallel.hpp | core/static_view.hpp | core/team.hpp | core/with_constant.hpp | data/make_ahead.hpp) continue ;;
    data/*png.hpp | data/*embryo*.hpp) continue ;;                              # who wants them links libpng
    *json* | roofline/chart.hpp | roofline/markup.hpp) continue ;;
  esac
  echo "$reached" | grep -qx "$header" || { echo "ridgepoint.hpp does not reach $header"; failed=1; }
done

# unwanted <header> <pattern>: the header reaches nothing like that.
unwanted() {
  found=$(reached_by "$1" -DRIDGEPOINT_WITH_DISPATCH | grep -E "$2" | tr '\n' ' ')
  [ -z "$found" ] || { echo "$1 reaches $found; must stay light"; failed=1; }
}
unwanted ridgepoint.hpp '^(kernels/[^p]|models/|mxu/|gpu/|onednn/|reference/|study/|benchmark/)|xsimd|immintrin|json|svg|^simd/batch|/(complex|iostream|regex|random)$'
[ $failed -ne 0 ] || echo "ridgepoint.hpp reaches what it promises and nothing dear"
exit $failed
