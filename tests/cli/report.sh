# heddle report and --html, without a browser: what is written, what is refused, that names stay names. tests/page
# opens pages in a real one.
. "$(dirname "$0")"/common
cd "$work" || exit 1
page() { # FILE: a whole page that asks for nothing from outside
    grep -q '^<!doctype html>' "$1" && grep -q '^</html>' "$1" || complain "$1 is no whole page"
    grep -q "default-src 'none'" "$1" || complain "$1 has no content security policy"
    ! grep -qiE '<(link|img|iframe|script)[^>]* (src|href)=|[: ]url\(|@import' "$1" || complain "$1 names something outside of itself"
    grep -q 'Redistribution and use in source and binary forms' "$1" || complain "$1 lacks the library's licence"
}
data() { # FILE: its data, unpacked: gzip's head before the deflated bytes; of the end gzip complains
    { printf '\037\213\010\0\0\0\0\0\0\0'; sed -n 's/.*id="data">\([^<]*\)<.*/\1/p' "$1" | base64 -d | tail -c +3; } | gzip -dc 2> /dev/null
}
expect 0 "$heddle" run vecadd --size tiny --machine small --quiet --json r.json --html r.html
page r.html
data r.html > data.json
same "$("$B"/json_get data.json runs.0.cycles)" "$(json r.json cycles)" "cycles of page and JSON"
same "$(json r.json kernels.0.time.blocks.in_all)" "$(json r.json counters.ctas)" "blocks over time"
same "$(json r.json kernels.0.pipeline.sm)" 0 "the SM whose pipeline is shown"
same "$(json r.json kernels.0.flops.fp32)" 5000 "additions of vecadd, one an element"
expect 0 "$heddle" run vecadd --size tiny --machine small --quiet --json plain.json
for key in state_hash config_hash cycles; do same "$(json plain.json $key)" "$(json r.json $key)" "$key with and without a page"; done
! grep -q '"pipeline"' plain.json || complain "results have a timeline that nobody asked for"
expect 0 "$heddle" run vecadd --size tiny --machine small --quiet --timeline --json plain.json
grep -q '"pipeline"' plain.json || complain "--timeline leaves no timeline"
expect 2 "$heddle" run vecadd --size tiny --functional --timeline; err_has 'needs timing'
same "$("$B"/json_get data.json runs.0.kernels.0.by_pc.0.pc)" 0 "the page has instructions without --by-pc"
[ "$(stat -c %s r.html)" -lt 1000000 ] || complain "a page of a small run has $(stat -c %s r.html) bytes"
expect 0 "$heddle" report r.json -o again.html
page again.html
expect 0 "$heddle" report r.json -o -
out_has '^<!doctype html>'
expect 0 "$heddle" compare vecadd --size tiny --machine small --quiet --vary sm.warps=8,16 --html c.html --json c.json
page c.html
data c.html > data.json
same "$("$B"/json_get data.json runs.1.keys)" '{"sm.warps":"16"}' "keys of a run of a comparison"
expect 0 "$heddle" report c.json r.json -o both.html --title 'Both </title><script>alert(1)</script>'
page both.html
grep -q '<title>Both &lt;/title&gt;&lt;script&gt;' both.html || complain "the title is not escaped"
expect 0 "$heddle" run vecadd --size tiny --functional --quiet --html f.html
page f.html
expect 0 "$heddle" lab tomasulo six --html lab.html
grep -q 'prefers-color-scheme' lab.html && grep -q 'getElementById("slider")' lab.html || complain "the laboratory's page lacks style or slider"

# names that would be markup, were they not kept apart
sed 's,"name": "vecadd","name": "</script><script>alert(1)</script><img src=x onerror=alert(2)>",' r.json > hostile.json
expect 0 "$heddle" report hostile.json -o hostile.html
page hostile.html
! sed 's,<title>.*</title>,,' hostile.html | grep -q 'alert(' || complain "a name stands in the page's markup"
expect 0 "$heddle" report r.json -o bytes.html --title "$(printf 'a\377b')"
grep -q '<title>a?b' bytes.html || complain "bytes that are no UTF-8 stand in the title"

# mistakes
expect 2 "$heddle" report; err_has 'an operand is missing'
expect 2 "$heddle" report r.json; err_has '-o page.html'
expect 2 "$heddle" report nowhere.json -o x.html; err_has 'nowhere.json: No such file'
echo '{' > broken.json; expect 2 "$heddle" report broken.json -o x.html; err_has 'broken.json: line .*no JSON'
echo '{"name": "x"}' > other.json; expect 2 "$heddle" report r.json other.json -o x.html; err_has 'no result of heddle run'
echo '{"programs": [3]}' > other.json; expect 2 "$heddle" report other.json -o x.html; err_has 'programs\[0\]'
echo '[]' > other.json; expect 2 "$heddle" report other.json -o x.html; err_has 'no result'
[ ! -e x.html ] || complain "a page was written after a mistake"
expect 2 "$heddle" report r.json -o r.json; err_has 'is an input'
mkdir empty
expect 2 env HEDDLE_DATA="$work/empty" "$heddle" report r.json -o x.html; err_has 'node-d3'
expect 2 "$heddle" report r.json -o /dev/full; err_has 'No space left'
expect 2 "$heddle" report r.json -o no/such/x.html; err_has 'No such file'
finish
