#!/bin/sh
# SPDX-License-Identifier: MIT
# render.sh PAGE_PROGRAM VEGA_JS: draws a page in headless Chromium and checks that the marks are there.
# Exits 77 (ctest: skipped) where there is no Chromium.
skip() { echo "SKIPPED: $*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no Chromium"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
draw() {
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" \
    --virtual-time-budget=20000 "$@" "file://$folder/page.html" 2>/dev/null
}

"$1" "$folder/page.html" "$2" || fail "the page was not written"
draw --dump-dom > "$folder/dom.html" || skip "Chromium does not run here"
if [ -s "$2" ]; then
  grep -q 'data-chart="vega"' "$folder/dom.html" || fail "the chart library did not draw the chart"
  grep -q 'class="mark-symbol role-mark marks_marks"' "$folder/dom.html" || fail "no marks in the chart"
else
  echo "no chart library: checking the static chart"
  grep -q 'class="mark"' "$folder/dom.html" || fail "no marks in the static chart"
fi
draw --screenshot="$folder/page.png" --window-size=1400,1000
[ "$(wc -c < "$folder/page.png")" -gt 20000 ] || fail "the screenshot is empty"
echo "drawn"
