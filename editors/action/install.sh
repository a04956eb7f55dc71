#!/usr/bin/env bash
# Installs trainc into a folder of its own, so that the job's Python stays as it is.
# TRAINC_PYTHON: the interpreter. TRAINC_VERSION: a released version, or empty for the one that this action came with.
set -euo pipefail

if [[ -n $TRAINC_VERSION && ! $TRAINC_VERSION =~ ^[0-9]+[0-9A-Za-z.+!-]*$ ]]; then
  echo "::error title=trainc::the input \`version\` has to be a version such as 0.1.0"
  exit 2
fi
requirement=$GITHUB_ACTION_PATH
if [[ -n $TRAINC_VERSION ]]; then
  requirement="trainc==$TRAINC_VERSION"
fi

home=$RUNNER_TEMP/trainc
"$TRAINC_PYTHON" -m venv "$home"
programs=$home/bin
if [[ -d $home/Scripts ]]; then
  programs=$home/Scripts
fi
"$programs/python" -m pip install --quiet --disable-pip-version-check "$requirement"
echo "programs=$programs" >>"$GITHUB_OUTPUT"
