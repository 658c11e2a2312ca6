#!/bin/sh
# SPDX-License-Identifier: MIT
# render.sh PAGE_PROGRAM VEGA_JS [FOLDER]: draws pages in headless Chromium at widths from a phone to a wide window, at
# one width in light and dark. Checks that the marks are drawn and nothing is cut off, with the chart library or,
# without it, with the command's own SVG. FOLDER keeps the pictures. Exits 77 (ctest: skipped) without Chromium.
skip() { echo "SKIPPED: $*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no Chromium"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
pictures=${3:-$folder}
draw() {                                                         # draw [options] PAGE
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$folder/profile" \
    --virtual-time-budget=20000 "$@" 2>/dev/null
}

for kind in measured modelled flags chart; do
  page="$folder/$kind.html" marks="symbol role-mark marks_marks" words=">FLOP/s</text>"
  [ $kind != flags ] || { marks="rect role-mark concat_0_concat_1_layer_0_marks" words=">definition: 1.00 ms with x86-64</text>"; }
  "$1" "$page" "$2" ${kind#measured} || fail "the page was not written"
  # Reports elements wider than their window: the page, and the tables in their boxes. Also reports charts that the
  # chart library did not replace, their parts outside their frames, and the order of a table sorted from the keyboard.
  cat >> "$page" <<'SCRIPT'
<script>
addEventListener('load', () => setTimeout(() => {
  const cut = [...document.querySelectorAll('html, .wide')].filter(box => box.scrollWidth > box.clientWidth + 1);
  const head = document.querySelector('th:nth-child(2)');
  head.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));
  document.body.dataset.sorted = head.getAttribute('aria-sort');
  const plain = [...document.querySelectorAll('.chart>svg')], strays = [];
  for (const chart of plain) {
    const frame = chart.getBoundingClientRect();
    for (const part of chart.querySelectorAll('text,rect,path')) {
      const box = part.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        strays.push(part.textContent.replaceAll('"', '').slice(0, 40) || part.tagName);
    }
  }
  document.body.dataset.plain = plain.length;
  document.body.dataset.strays = strays.join(', ') || 'nothing';
  document.body.dataset.cut = cut.map(box => box.id || box.tagName + ' ' + box.scrollWidth).join(', ') || 'nothing';
}, 1000));
</script>
SCRIPT
  widths="400 1000 1400 1920"
  [ $kind != chart ] || widths="400 1000"
  for width in $widths; do
    draw --window-size=$width,1000 --dump-dom "file://$page" > "$folder/dom.html" || skip "Chromium does not run"
    cut=$(sed -n 's/.*data-cut="\([^"]*\)".*/\1/p' "$folder/dom.html" | head -n 1)
    if [ $width -ge 1000 ]; then
      [ "$cut" = nothing ] || fail "$kind, $width pixels wide: cut off: ${cut:-not measured}"
    else                                                         # a phone scrolls tables in their boxes, never the page
      case "$cut" in "" | *HTML*) fail "$kind, $width pixels wide: the page scrolls sideways: ${cut:-not measured}" ;; esac
    fi
    [ $width -eq 1000 ] || continue                              # each start of Chromium takes seconds
    for scheme in light dark; do
      dark=$([ $scheme = light ] || echo --blink-settings=preferredColorScheme=0)
      draw $dark --window-size=$width,1000 --screenshot="$pictures/$kind-$scheme.png" "file://$page"
      [ "$(wc -c < "$pictures/$kind-$scheme.png")" -gt 15000 ] || fail "$kind, $scheme: the screenshot is empty"
    done
    cmp -s "$pictures/$kind-light.png" "$pictures/$kind-dark.png" && fail "$kind: the dark screenshot equals the light one"
  done
  grep -q 'data-sorted="ascending"' "$folder/dom.html" || fail "$kind: a table is not sorted from the keyboard"
  if [ -s "$2" ]; then
    grep -q 'data-chart="vega"' "$folder/dom.html" || fail "$kind: the chart library did not draw the chart"
    grep -q "class=\"mark-$marks\"" "$folder/dom.html" || fail "$kind: no marks in the chart"
    grep -q 'data-plain="0"' "$folder/dom.html" || fail "$kind: the chart library left a chart as it was"
  else
    ! grep -q 'data-plain="0"' "$folder/dom.html" || fail "$kind: no chart without the chart library"
    grep -q 'class="mark"' "$folder/dom.html" && grep -q "$words" "$folder/dom.html" || fail "$kind: no marks or words in the chart"
    strays=$(sed -n 's/.*data-strays="\([^"]*\)".*/\1/p' "$folder/dom.html" | head -n 1)
    [ "$strays" = nothing ] || fail "$kind: outside the chart's frame: ${strays:-not measured}"
  fi
done
echo "drawn"
