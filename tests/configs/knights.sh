# An engine for chess games from the start against its like: they repeat positions until the game is drawn.
DIR=${DIR:-.}
mode=$1
while read -r line; do
    set -- $line
    case "$1" in
    uci)
        echo "Knights by nobody"
        echo "id name Knights 1"
        echo "option name Hash type spin default 1 min 1 max 64"
        echo "option name King Safety type spin default 100 min 0 max 400"
        echo "option name Clear Hash type button"
        [ "$mode" = slow ] && sleep 0.7
        echo "uciok" ;;
    isready) echo readyok ;;
    ucinewgame) echo "$$" >> "$DIR/games" ;;
    setoption) echo "$line" >> "$DIR/options" ;;
    position)
        echo "$line" >> "$DIR/positions"
        plies=$(($# - 3))
        [ $# -lt 3 ] && plies=0 ;;
    go)
        echo "$line" >> "$DIR/searches"
        case $((plies % 4)) in
        0) move=g1f3 ;; 1) move=g8f6 ;; 2) move=f3g1 ;; 3) move=f6g8 ;;
        esac
        score=5
        case "$mode" in
        thinks) sleep 0.03 ;;
        blinks) sleep 0.003 ;;
        crash) [ $plies -ge 2 ] && { echo "out of luck" >&2; exit 7; } ;;
        sometimes) [ $(wc -l < "$DIR/games") -eq 3 ] && exit 7 ;;
        hang) [ $plies -ge 2 ] && sleep 60 ;;
        illegal) [ $plies -ge 2 ] && move=e2e5 ;;
        nonsense) [ $plies -ge 2 ] && move=castle ;;
        none) [ $plies -ge 2 ] && move="(none)" ;;
        winning) score=900 ;;
        losing) score=-900 ;;
        esac
        reply=
        if [ "$mode" = ponders ]; then
            case $((plies % 4)) in
            0) reply="ponder g8f6" ;; 1) reply="ponder f3g1" ;; 2) reply="ponder f6g8" ;; 3) reply="ponder g1f3" ;;
            esac
        fi
        echo "info depth 1 score cp $score nodes 7 pv $move"
        [ "$2" = ponder ] || echo "bestmove $move $reply" ;;
    ponderhit | stop)
        echo "$line" >> "$DIR/searches"
        echo "bestmove $move $reply" ;;
    quit) exit ;;
    esac
done
