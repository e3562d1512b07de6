#!/usr/bin/env bash
# What a stranger does: the README's two commands, in a fresh clone of HEAD in an empty folder, with nothing beside it, and a PATH that
# holds Node, npm, git and a shell with its basic tools, and nothing else. No browser, engine or other runtime of this machine is found,
# so a test that needs one without saying so fails here. The report of the tests is left in the folder that is given.
#   scripts/ci/bare.sh [FOLDER FOR THE REPORT]
set -euo pipefail
cd "$(dirname "$0")/../.."
origin=$PWD
report=${1:-}

COMMANDS="node npm npx git"
# POSIX, as far as npm, the scripts of packages and the tests use it. `script` and `ps` are parts (scripts/setup/parts.mjs).
TOOLS="sh env cat cp mv rm mkdir rmdir ln ls chmod touch head tail sort wc tr cut sed grep mktemp mkfifo sleep true false dirname basename uname id date tee readlink tar gzip"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/clone"
for name in $COMMANDS $TOOLS; do
  program=$(type -P "$name") || { echo "$name is not on this machine" >&2; exit 1; }
  ln -s "$(readlink -f "$program")" "$work/bin/$name"
done

git clone -q --no-local . "$work/clone/tenon"
cd "$work/clone/tenon"
# The README's own lines, without their comments.
mapfile -t commands < <(sed -nE 's/^(npm ci && [^#]*[^# ])( *#.*)?$/\1/p' README.md)
[ "${#commands[@]}" = 2 ] || { echo "The README has ${#commands[@]} lines that begin with npm ci, and should have two" >&2; exit 1; }
status=0
for command in "${commands[@]}"; do
  echo "== $command"
  env -u CI -u TENON_WITHOUT -u CHROMIUM PATH="$work/bin" sh -c "$command" </dev/null || status=$?
done
if [ -n "$report" ] && [ -f out/test-results.json ]; then
  mkdir -p "$report"
  # As if the files of this checkout had run.
  sed "s#$work/clone/tenon/#$origin/#g" out/test-results.json >"$report/bare.json"
fi
exit "$status"
