# Counts what a test script tries. To be sourced.
#
#   trial NAME COMMAND …   passes if the command ends well; prints what it said if not. In a function only the last command decides:
#                          join several by &&
#   tally NAME             prints `NAME: N passed, M failed`, and ends the script with 1 if some failed

passed=0
failed=0

trial() {
    local name=$1 said
    shift
    if said=$("$@" 2>&1); then
        passed=$((passed + 1))
        echo "  $name: passed"
    else
        failed=$((failed + 1))
        printf '  %s: failed\n%s\n' "$name" "$said"
    fi
}

tally() {
    echo "$1: $passed passed, $failed failed"
    [ "$failed" = 0 ] || exit 1
}
