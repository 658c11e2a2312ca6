# umbrella.sh <c++> <include>: ridgepoint.hpp reaches every public header that needs no library and no decision of the user.
set -eu
cxx="$1" include="$2"
reached=$("$cxx" -std=c++20 -I"$include" -M -x c++ "$include/ridgepoint/ridgepoint.hpp" | tr ' \\' '\n\n' | grep 'include/ridgepoint/' | sed 's|.*include/ridgepoint/||' | LC_ALL=C sort -u)
failed=0
for header in $(cd "$include/ridgepoint" && find . -name '*.hpp' | sed 's|^[.]/||' | LC_ALL=C sort); do
  case "$header" in
    onednn/* | benchmark/* | simd/* | kernels/* | *json* | *html* | cpu/dispatch* | study/targets/*) continue ;;
  esac
  echo "$reached" | grep -qx "$header" || { echo "ridgepoint.hpp does not reach $header"; failed=1; }
done
[ $failed -ne 0 ] || echo "ridgepoint.hpp reaches everything it promises"
exit $failed
