#!/usr/bin/env bash
# What the action does: gets a doubletap, runs it, and says where its reports are. Inputs come as variables; see action.yml.
set -euo pipefail

# a line break in an output's value would be an output of its own
for name in INPUT_SARIF INPUT_JUNIT INPUT_HTML; do
  case ${!name} in
  *$'\n'* | *$'\r'*)
    echo "error: ${name#INPUT_} holds a line break; it must be a path" >&2
    exit 2
    ;;
  esac
done

binary=$INPUT_BINARY
if [ -z "$binary" ]; then
  echo "::group::building doubletap"
  cargo install --locked --quiet --path "$GITHUB_ACTION_PATH" --root "$RUNNER_TEMP/doubletap"
  echo "::endgroup::"
  binary=$RUNNER_TEMP/doubletap/bin/doubletap
fi

journal=$RUNNER_TEMP/doubletap.$$.jsonl
arguments=(run "$INPUT_TARGET" --journal "$journal")
for format in sarif junit html; do
  name=INPUT_${format^^}
  if [ -n "${!name}" ]; then
    arguments+=(--output "$format=${!name}")
  fi
done
if [ -n "$INPUT_BASELINE" ]; then
  arguments+=(--baseline "$INPUT_BASELINE")
fi
if [ "$INPUT_ANNOTATIONS" = true ]; then
  arguments+=(--github)
fi
while IFS= read -r line; do
  line=${line%$'\r'}
  if [ -n "$line" ]; then
    arguments+=("$line")
  fi
done <<<"$INPUT_ARGUMENTS"

code=0
"$binary" "${arguments[@]}" || code=$?
{
  echo "exit-code=$code"
  echo "sarif=$INPUT_SARIF"
  echo "junit=$INPUT_JUNIT"
  echo "html=$INPUT_HTML"
  echo "journal=$journal"
} >>"$GITHUB_OUTPUT"
exit "$code"
