#!/bin/bash
# The runs of a GPU session in their order, on the GPU machine: session_driver.sh BEGAN
#
# BEGAN is the time (seconds since 1970) at which the machine was asked for; a run ends at a second counted
# from then. Started by setsid, so that it goes on between calls; its own log is $W/driver.log.
# Ends (seconds): FIRST_END (base-a, base-b, range-a), BASE_END (base, base-range), STUDENT_END, LAST_END
# (student-range, pronoun-base).
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
READERS=5 start base-a "$FIRST_END"
part mpnet
READERS=5 start base-b "$FIRST_END"
READERS=5 start range-a "$FIRST_END"
(start base-open 0; finished base-open) &
part texts
READERS=6 python -m research.models.session_data "$W" raw "$W/texts" > "$W/raw.log" 2>&1
log "raw: $(ls "$W/raw" | wc -l) files"
part student-start
READERS=6 start student "$STUDENT_END"
part pronoun
start pronoun-first "$PRONOUN_END"
part gte-small
READERS=4 $N read base
READERS=4 $N read base-range
READERS=4 $N read student-range
(while [ ! -f "$W/out-base-open/ended" ]; do sleep 2; done; start small-open 0) &

finished base-a
finished base-b
start base "$BASE_END"
finished range-a
start base-range "$BASE_END"
start student-range "$LAST_END"
finished base
finished pronoun-first
start pronoun-base "$LAST_END"
log "driver: done"
