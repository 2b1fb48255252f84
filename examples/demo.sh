#!/bin/sh
# The main job on the examples: two saved passes judged by the embedded rule, shown, and proved
# again. No key, no network. The folder it leaves is the run; it is made anew each time.
set -eu
run=receipts/demo
rm -rf "$run"
set -x
judge run --answers examples/pass-1.jsonl --answers examples/pass-2.jsonl \
  --references examples/references.json --rubric correctness/v1 --judge lexical --out "$run"
judge verify "$run"
