# Plays the legal move whose place in the list is the first argument's, from the end if the second is true. It draws
# nothing.
while read row column; do
    read count
    place=$(($1 % count))
    [ "$2" = true ] && place=$((count - 1 - place))
    i=0
    while [ $i -lt $count ]; do
        read r c
        [ $i -eq $place ] && move="$r $c"
        i=$((i + 1))
    done
    echo $move
done
