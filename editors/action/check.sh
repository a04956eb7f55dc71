#!/usr/bin/env bash
# Runs `trainc check`. The inputs come as environment variables: they are words of its command line and never shell code.
# TRAINC_PATHS: a path a line. TRAINC_ARGS: words between blanks. TRAINC_FORMAT: sarif, github or text. TRAINC_SARIF: a file.
set -euo pipefail

refuse() {
  echo "::error title=trainc::$1"
  exit 2
}

words=()
while IFS=$' \t\r' read -r -a line; do
  # An empty array is an unset one for the bash of macOS.
  words+=(${line[@]+"${line[@]}"})
done <<<"$TRAINC_ARGS"

words+=(--format "$TRAINC_FORMAT")
case $TRAINC_FORMAT in
  sarif)
    # A line end would write further outputs of this step.
    [[ -n $TRAINC_SARIF && $TRAINC_SARIF != *$'\n'* ]] || refuse "the input \`sarif-file\` has to be a file's name"
    words+=(--output "$TRAINC_SARIF")
    ;;
  github | text) ;;
  *) refuse "the input \`format\` has to be sarif, github or text" ;;
esac

words+=(--)
before=${#words[@]}
while IFS= read -r line; do
  line=${line%$'\r'}
  line=${line#"${line%%[![:blank:]]*}"}
  line=${line%"${line##*[![:blank:]]}"}
  if [[ -n $line ]]; then
    words+=("$line")
  fi
done <<<"$TRAINC_PATHS"
[[ ${#words[@]} -gt $before ]] || refuse "the input \`paths\` names no path"

code=0
"$TRAINC_PROGRAMS/trainc" check "${words[@]}" || code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
if [[ $TRAINC_FORMAT == sarif && -f $TRAINC_SARIF ]]; then
  echo "sarif=$TRAINC_SARIF" >>"$GITHUB_OUTPUT"
fi
exit "$code"
