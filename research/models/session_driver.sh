#!/bin/bash
# The runs of a GPU session in their order, on the GPU machine: session_driver.sh BEGAN
#
# BEGAN is the time (seconds since 1970) at which the machine was asked for; a run ends at a second counted
# from then. Started by setsid, so that it goes on between calls; its own log is $W/driver.log.
began=$1
now() { echo $(($(date +%s) - began)); }
log() { echo "$(now) $*"; }
start() { # NAME END: a run that ends at the second END
  log "start $1 for $(($2 - $(now))) s"
  $N start "$1" $(($2 - $(now)))
}
alive() { kill -0 "$(cat "$W/$1.pid")" 2>/dev/null; }

start language "$LANGUAGE_END"
until [ -f "$W/parts/teacher.done" ]; do sleep 1; done
start pronoun-first "$FIRST_END"
until [ -f "$W/parts/texts.done" ]; do sleep 1; done
READERS=8 python -m research.models.session_data "$W" raw "$W/texts" > "$W/raw.log" 2>&1
log "raw: $(ls "$W/raw" | wc -l) files"
READERS=8 $N read base

while [ ! -f "$W/out-language/ended" ] && [ "$(now)" -lt $((LANGUAGE_END + 25)) ]; do
  if ! alive language && [ ! -f "$W/out-language/ended" ]; then
    log "language died: $(tail -n 1 "$W/language.log" | cut -c1-200)"
    cp "$W/language.log" "$W/language-1.log"
    CHECKPOINTS=1 start language "$LANGUAGE_END"
    sleep 20
    alive language || break
  fi
  sleep 2
done
[ -f "$W/out-language/ended" ] || export TEACHER=teacher
log "teacher of base: ${TEACHER:-language}"
start base "$BASE_END"
unset TEACHER
ln -sfn "$W/qwen/parts" "$W/pronoun-teacher/parts"
start teacher "$BASE_END"
while [ ! -f "$W/out-base/ended" ] && alive base; do sleep 1; done
log "base: $(ls "$W/out-base" | tr '\n' ' ')"
while alive pronoun-first; do sleep 1; done
start pronoun-base "$LAST_END"
