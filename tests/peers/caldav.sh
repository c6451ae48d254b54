#!/usr/bin/env bash
# A CalDAV server of somebody else's, on loopback, with calendars of a test: what `kind = "caldav"` is read
# against. Needs Python 3.10 or newer, curl, and a package index that pip knows.
#
#   caldav.sh install VENV                            a virtual environment with both servers
#   caldav.sh start SERVER VENV PORT FOLDER           SERVER is `radicale` or `xandikos`; returns when it answers
#   caldav.sh fill SERVER PORT ID NAME [FILE]         makes the calendar NAME and puts the events of an iCalendar
#                                                     file (or of standard input) into it, one resource a UID
#   caldav.sh drop SERVER PORT ID UID                 deletes the resource of a UID
#   caldav.sh stop FOLDER
#
# The address to read is `http://127.0.0.1:PORT/`, the user `me`, the password `pw`; xandikos asks for none and
# does not mind one. FOLDER holds what the server keeps, its log and its process id, and nothing else does.
#
# Tried with radicale 3.9.0 and xandikos 0.4.10 under Python 3.11.7.
set -euo pipefail

readonly RADICALE=3.9.0
readonly XANDIKOS=0.4.10
readonly LOGIN=me:pw
# A server has ten seconds to answer.
readonly TRIES_MAX=100

die() {
  printf 'caldav.sh: %s\n' "$1" >&2
  exit 2
}

# The collection that holds a user's calendars.
home_of() {
  case $1 in
    radicale) printf '/me/' ;;
    xandikos) printf '/user/calendars/' ;;
    *) die "no server \`$1\`" ;;
  esac
}

# A request that must succeed.
ask() {
  curl --silent --show-error --fail --max-time 10 --noproxy '*' --user "$LOGIN" --output /dev/null "$@"
}

install() {
  python3 -m venv "$1"
  "$1/bin/pip" --quiet --disable-pip-version-check install "radicale==$RADICALE" "xandikos==$XANDIKOS"
}

start() {
  local server=$1 venv=$2 port=$3 folder=$4
  mkdir -p "$folder/data"
  case $server in
    radicale)
      printf '%s\n' "$LOGIN" >"$folder/users"
      cat >"$folder/radicale.conf" <<EOF
[server]
hosts = 127.0.0.1:$port
[auth]
type = htpasswd
htpasswd_filename = $folder/users
htpasswd_encryption = plain
[rights]
type = owner_only
[storage]
filesystem_folder = $folder/data
EOF
      "$venv/bin/radicale" --config "$folder/radicale.conf" >"$folder/log" 2>&1 &
      ;;
    xandikos)
      "$venv/bin/xandikos" serve --defaults -d "$folder/data" -l 127.0.0.1 -p "$port" >"$folder/log" 2>&1 &
      ;;
    *) die "no server \`$server\`" ;;
  esac
  printf '%s\n' "$!" >"$folder/pid"
  local try
  for ((try = 0; try < TRIES_MAX; try++)); do
    if curl --silent --max-time 1 --noproxy '*' --output /dev/null "http://127.0.0.1:$port/"; then
      return 0
    fi
    kill -0 "$(<"$folder/pid")" 2>/dev/null || break
    sleep 0.1
  done
  cat "$folder/log" >&2
  stop "$folder"
  die "$server does not answer on port $port"
}

# Text in XML.
escaped() {
  python3 -c 'import sys, xml.sax.saxutils as x; sys.stdout.write(x.escape(sys.argv[1]))' "$1"
}

# One file a UID below $1, each with the zones of the whole calendar.
split() {
  python3 -c '
import pathlib, re, sys
folder = pathlib.Path(sys.argv[1])
text = sys.stdin.read().replace("\r\n", "\n")
parts = lambda kind: re.findall(rf"^BEGIN:{kind}\n.*?^END:{kind}\n", text, re.M | re.S)
zones, series = "".join(parts("VTIMEZONE")), {}
for event in parts("VEVENT"):
    uid = re.search(r"^UID:(.*)$", event, re.M).group(1)
    series[uid] = series.get(uid, "") + event
for uid, events in series.items():
    whole = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Verger//peers//EN\n" + zones + events + "END:VCALENDAR\n"
    (folder / f"{uid}.ics").write_bytes(whole.replace("\n", "\r\n").encode())
' "$1"
}

fill() {
  local server=$1 port=$2 id=$3 name=$4 file=${5:-/dev/stdin} home parts part
  home=$(home_of "$server")
  ask --request MKCALENDAR --header 'Content-Type: application/xml; charset=utf-8' --data-binary @- \
    "http://127.0.0.1:$port$home$id/" <<EOF
<?xml version="1.0" encoding="utf-8"?>
<C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop>
<displayname>$(escaped "$name")</displayname>
<C:supported-calendar-component-set><C:comp name="VEVENT"/></C:supported-calendar-component-set>
</prop></set></C:mkcalendar>
EOF
  parts=$(mktemp -d)
  split "$parts" <"$file"
  for part in "$parts"/*.ics; do
    ask --request PUT --header 'Content-Type: text/calendar; charset=utf-8' --data-binary "@$part" \
      "http://127.0.0.1:$port$home$id/$(basename "$part")"
  done
  rm -r "$parts"
}

drop() {
  ask --request DELETE "http://127.0.0.1:$2$(home_of "$1")$3/$4.ics"
}

stop() {
  local pid try
  pid=$(<"$1/pid")
  kill "$pid" 2>/dev/null || true
  for ((try = 0; try < TRIES_MAX; try++)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  rm -f "$1/pid"
}

case "${1:-} $#" in
  'install 2' | 'start 5' | 'fill 5' | 'fill 6' | 'drop 5' | 'stop 2') "$@" ;;
  *) die "see the head of this file for how to call it" ;;
esac
