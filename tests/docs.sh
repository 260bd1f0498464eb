#!/usr/bin/env bash
# Runs every command of the documentation in a shortened form, so that none of them goes stale, or those of some pages:
#
#     tests/docs.sh target/release/tictune [PAGE...]
#
# Not run: what builds the program itself (cargo test, bench, install, and examples, which `cargo test` runs), and
# commands of many machines, which tests/cluster runs.
#
# A command is a line of a code block that begins with "tictune " or "cargo run --release -- ". It fails the check if it
# fails, or if `shorten` below has no rule for it. Everything happens in a temporary folder.
set -euo pipefail

binary=$(realpath "${1:?usage: tests/docs.sh PATH_TO_TICTUNE [PAGE...]}")
pages=("${@:2}")
root=$(realpath "$(dirname "$0")/..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
[[ ${#pages[@]} -gt 0 ]] || mapfile -t pages < <(find README.md docs experiments notebooks -name '*.md' | sort)

# The pages' commands, each once. Those that make a run go first, since others read it.
commands=$(
    awk '
        FNR == 1 { code = 0 }
        /^```/ { code = !code; next }
        code || /^    / {
            sub(/^ +(\$ )?/, "")
            sub(/  +#.*/, "")
            if (/nats:\/\//) next
            if (sub(/^cargo run --release -- /, "") || sub(/^tictune /, "")) {
                if (/^new /) print 0, $0; else if (/^(evolve|learn) / && !/--(check|resume)/) print 1, $0; else print 2, $0
            }
        }' "${pages[@]}" | awk '!seen[$0]++' | sort -s -k1,1 | cut -d' ' -f2-
)

# with OPTION VALUE: gives an option of $command this value.
with() {
    if [[ $command == *" $1 "* ]]; then
        command=$(sed -E "s/ $1 [^ ]+/ $1 $2/" <<<"$command")
    else
        command+=" $1 $2"
    fi
}

# Makes $command short. Commands without a rule are an error.
shorten() {
    case $command in
        *runs/chess[\ /]*) command+=" --help" ;; # Of a run that is not played here; tests/cli exports one.
        evolve*--check* | schema*) ;;
        evolve*experiments/programs* | evolve*chess/toga* | evolve*chess/glaurung* | evolve*examples/gnugo* | evolve*examples/fairymax* | "evolve chess.toml") command+=" --check" ;; # Minutes of games, even when shortened.
        evolve*) with --max-generations 1 ;;
        fitness*) command+=" </dev/null" ;; # No candidates: the input ends at once.
        learn*) ;; # The configs are shortened below.
        compare*) with --games 10 ;;
        profile*) with --games 2 ;;
        validate*runs/showcase*) with --games 2 ;; # Evolved no weights: its agent plays those of its config.
        validate*) with --games 2 && with --depths 1,2 ;;
        match*--sprt*) with --games 40 ;;
        match*) with --games 2 ;;
        tournament*) with --games 2 ;;
        reproduce) ;;
        reproduce*--time-scale*) with --games 2 ;;
        reproduce*) with --games 2 && with --iterations 100 && with --nodes 500 ;;
        bot*) command+=" </dev/null" ;;   # No platform asks: the input ends at once.
        play*) command+=" <<<'hint'" ;;   # The person asks for a hint and leaves.
        # It goes on until it is told to end, and has to be there then.
        serve*) with --port 0 && command+=' & page=$!; sleep 1; kill $page' ;;
        ladder*) with --games 2 ;;
        export* | report* | perft* | bench* | doctor* | list* | show* | runs* | completions* | man* | new*) ;;
        *) return 1 ;;
    esac
}

# The folder: the experiments with fewer games, the config of the README, and programs that stand in for a reader's bots.
cp -r examples experiments notebooks "$folder"
cd "$folder"
awk '/^```/ { code = /toml/; next } code' "$root/README.md" >mine.toml
sed -i -E 's/^population = .*/population = 4/; s/^games = [0-9_]+( *#.*)?$/games = 20/; s/^report_every = .*/report_every = 10/; s/^match = \{ games = [0-9]+/match = { games = 20/' \
    mine.toml experiments/{quickstart,codingame}.toml experiments/{liang,lifshitz,papadam,parameters,staged}/*.toml experiments/regression/learn-extended.toml experiments/chess/first.toml
sed -i '/^\[budget\]/,/^games/ s/^games = .*/games = 600/' mine.toml experiments/{quickstart,codingame}.toml
mkdir bin
ln -s /usr/games/toga2 engine
ln -s "$binary" bin/tictune
for name in best mean; do echo minimax:weights=liang-optimized >pycma-$name-agent.txt; done # As pycma.py writes them.
printf '#!/bin/sh\nexec tictune bot --protocol theaigames --agent random\n' >bin/java
printf '#!/bin/sh\nexec tictune bot --protocol codingame --agent random\n' >bot
chmod +x bin/java bot
export PATH="$folder/bin:$PATH"

count=0 failed=0
while read -r command; do
    written=$command
    # Chess engines are not everywhere.
    if [[ $command == *chess* && ! (-x /usr/games/toga2 && -x /usr/games/glaurung) ]]; then
        echo "skipped: no engines  tictune $command"
        continue
    fi
    if ! shorten; then
        echo "NO RULE  tictune $written"
        failed=$((failed + 1))
        continue
    fi
    start=$EPOCHREALTIME
    if ! eval "timeout 180 tictune $command" >output.txt 2>&1 </dev/null; then
        echo "FAILED   tictune $command"
        tail -5 output.txt
        failed=$((failed + 1))
    fi
    awk -v start="$start" -v end="$EPOCHREALTIME" -v text="tictune $command" \
        'BEGIN { printf "%6.2f s  %s\n", end - start, text }'
    count=$((count + 1))
done <<<"$commands"
echo "$count commands run, $failed wrong"
[[ $failed -eq 0 ]]
