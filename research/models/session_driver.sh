#!/bin/bash
# The runs of a GPU session in their order, on the GPU machine: session_driver.sh BEGAN
#
# BEGAN is the time (seconds since 1970) at which the machine was asked for; a run ends at a second counted
# from then. Started by setsid, so that it goes on between calls; its own log is $W/driver.log.
# Ends (seconds): FIRST_END (base-a, base-b), PRONOUN_END (pronoun-first), BASE_END (base), STUDENT_END (both
# students), LAST_END (pronoun-base).
began=$1
now() { echo $(($(date +%s) - began)); }
log() { echo "$(now) $*"; }
start() { # NAME END: a run that ends at the second END; 0 for one that has the epochs of its recipe
  local seconds=0
  [ "$2" = 0 ] || seconds=$(($2 - $(now)))
  log "start $1 for $seconds s"
  $N start "$1" "$seconds"
}
alive() { # a process that ended and was not waited for is not alive
  local status
  status=$(grep ^State "/proc/$(cat "$W/$1.pid")/status" 2>/dev/null) && [[ $status != *Z* ]]
}
part() { until [ -f "$W/parts/$1.done" ]; do sleep 0.5; done; }
finished() { until [ -f "$W/out-$1/ended" ] || ! alive "$1"; do sleep 1; done; log "$1: $(ls "$W/out-$1" | tr '\n' ' ')"; }

part teacher
READERS=7 start base-a "$FIRST_END"
part mpnet
READERS=7 start base-b "$FIRST_END"
part texts
READERS=8 python -m research.models.session_data "$W" raw "$W/texts" > "$W/raw.log" 2>&1
log "raw: $(ls "$W/raw" | wc -l) files"
part student-start
part teacher-old
READERS=8 start student "$STUDENT_END"
part pronoun
start pronoun-first "$PRONOUN_END"
part gte-small
READERS=4 $N read base
READERS=4 $N read student-2

finished base-a
finished base-b
start base "$BASE_END"
start student-2 "$STUDENT_END"
finished base
finished pronoun-first
start pronoun-base "$LAST_END"
log "driver: done"
