# Completion offers what the tables hold, in the command and through each shell that is installed.
. "$(dirname "$0")"/common
# asked WORD...: the candidates for the last word
asked() { "$heddle" help --complete -- "$@" | cut -f1; }
offers() {
    local what=$1
    shift
    asked "$@" > "$work/asked"
    grep -qxF -e "$what" "$work/asked" || { complain "heddle $*: $what is not offered but:"; head -5 "$work/asked"; }
}
offers_not() {
    local what=$1
    shift
    ! asked "$@" | grep -qxF -e "$what" || complain "heddle $*: $what is offered"
}
for command in $("$heddle" list commands | cut -d' ' -f1); do
    offers "$command" ""
    offers --help "$command" --
    # every option of the table, and no option's kinds of names is unknown (that would end the command)
    "$heddle" help "$command" | sed -n 's/^  \(-., \)\{0,1\}--\([a-z0-9-]*\).*/\2/p' > "$work/options"
    while read -r option; do
        offers "--$option" "$command" "--$option"
        expect 0 "$heddle" help --complete -- "$command" "--$option" ""
        expect 0 "$heddle" help --complete -- "$command" "--$option="
    done < "$work/options"
    expect 0 "$heddle" help --complete -- "$command" ""
done
offers run ru
offers_not compare ru
offers vecadd run v
offers :files run v
offers gtx480 run x --machine ""
offers --machine=gtx480 run --machine=g
offers sm.l1.mshrs= run x --set sm.l1.m
offers sm.sched=gto run x --set sm.sched=
offers --set=sm.sched=gto run --set=sm.sched=g
offers sm.sched=lrr,gto compare bfs --vary sm.sched=lrr,g
offers gpu.perfect_memory=true run x --set gpu.perfect_memory=t
offers machine=small compare x --vary machine=s
offers tiny run vecadd --size t
offers gsi run vecadd --cpi g
offers l1_hit_rate compare x --metric l1_hit
offers keys list k
offers mascar study m
offers :files study m
offers studies list stu
offers gto explain gt
offers tomasulo lab to
offers :files run x --json ""
offers :folders vectors ""
offers :files exec -- ""
offers_not --size run x --json ""
offers_not --size run -- --s
expect 2 "$heddle" help --completion tcsh
err_has 'no completion for the shell "tcsh"; there is one for bash, zsh, fish'
# bash itself: the word at the cursor, with = in it
bash_offers() {
    printf '%s\n' "$("$heddle" help --completion bash)" "compopt() { :; }; COMP_LINE='$1'; COMP_POINT=\${#COMP_LINE}" \
        'COMPREPLY=(); _heddle; printf "%s\n" "${COMPREPLY[@]}"' > "$work/ask.bash"
    (cd "$top" && PATH=$B:$PATH bash --norc "$work/ask.bash") > "$work/asked" 2> "$work/err"
    grep -qxF -e "$2" "$work/asked" || { complain "bash: '$1' does not offer $2 but:"; head -5 "$work/asked" "$work/err"; }
}
bash_offers 'heddle comp' compare
bash_offers 'heddle run ' vecadd
bash_offers 'heddle run --mach' --machine
bash_offers 'heddle run x --set sm.sched=g' gto
bash_offers 'heddle run --machine=g' gtx480
bash_offers 'heddle check README' README.md
if command -v zsh > /dev/null; then
    "$heddle" help --completion zsh > "$work/_heddle"
    expect 0 zsh -n "$work/_heddle"
fi
if command -v fish > /dev/null; then
    "$heddle" help --completion fish > "$work/heddle.fish"
    fish_offers() {
        PATH=$B:$PATH HOME=$work fish -c "source $work/heddle.fish; complete -C '$1'" 2> "$work/err" | cut -f1 > "$work/asked"
        grep -qxF -e "$2" "$work/asked" || { complain "fish: '$1' does not offer $2 but:"; head -5 "$work/asked" "$work/err"; }
    }
    fish_offers 'heddle comp' compare
    fish_offers 'heddle run --machine g' gtx480
    fish_offers 'heddle run x --set sm.sched=g' sm.sched=gto
fi
finish
