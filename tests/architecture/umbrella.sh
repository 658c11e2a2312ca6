# umbrella.sh <c++> <include>: checks that ridgepoint.hpp includes every public header that it documents, and the
# kernels of rp::native_cpu only without ridgepoint::dispatch. With dispatch it must include no header that is slow to
# compile.
set -eu
cxx="$1" include="$2"
failed=0
# reached_by <header> <flag> …: prints every header of this library that compiling <header> reads, relative to
# ridgepoint/.
reached_by() {
  header=$1
  shift
  "$cxx" -std=c++20 -I"$include" "$@" -M -x c++ "$include/ridgepoint/$header" | tr ' \\' '\n\n' | sed 's|.*include/ridgepoint/||' | LC_ALL=C sort -u
}

reached=$(reached_by ridgepoint.hpp)
for header in cpu/cpu.hpp cpu/probe.hpp cpu/all.hpp cpu/native_cpu.hpp cpu/probe_ops.hpp $(cd "$include/ridgepoint" && find core data graph ops roofline -name '*.hpp' | LC_ALL=C sort); do
  case "$header" in
    core/csv.hpp | core/parallel.hpp | core/team.hpp | core/type_list.hpp | data/make_ahead.hpp) continue ;;
    data/*png.hpp | data/*embryo*.hpp) continue ;;                              # users link libpng
    *json* | roofline/chart.hpp | roofline/markup.hpp) continue ;;
  esac
  echo "$reached" | grep -qx "$header" || { echo "ridgepoint.hpp does not reach $header"; failed=1; }
done

# unwanted <header> <pattern>: fails if the header reaches a matching header.
unwanted() {
  found=$(reached_by "$1" -DRIDGEPOINT_WITH_DISPATCH | grep -E "$2" | tr '\n' ' ')
  [ -z "$found" ] || { echo "$1 reaches $found; must be fast to compile"; failed=1; }
}
unwanted ridgepoint.hpp '^(kernels/[^p]|models/|mxu/|gpu/|onednn/|reference/|study/|benchmark/)|xsimd|immintrin|json|svg|^simd/batch|/(complex|iostream|regex|random)$'
[ $failed -ne 0 ] || echo "ridgepoint.hpp includes its documented headers and none that is slow to compile"
exit $failed
