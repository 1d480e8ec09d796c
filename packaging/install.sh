#!/bin/sh
# Installs svc from one file of a release, and nothing else: tried by test/release/install.test.ts with dash and bash on Linux; not run on macOS.
#
#   sh install.sh --from svc-0.1.0-linux-x64.tar.xz          # a file, or the address of one
#   sh install.sh --from https://.../svc-0.1.0-linux-x64.tar.xz --sum SHA256
#   sh install.sh --from https://.../svc-0.1.0-linux-x64.tar.xz --signers FILE
#
# The sum is that of the SHA256SUMS beside the file, or the one that --sum says. With --signers (as in ssh-keygen(1), ALLOWED SIGNERS), one of them
# has signed those sums: SHA256SUMS.sig. Nothing is put anywhere before all of that is right.

set -u

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
usage() {
  printf 'install.sh: %s\n' "$1" >&2
  say 'Usage: sh install.sh --from URL|FILE [--sum SHA256 | --signers FILE] [--to DIR]' >&2
  exit 2
}
has() { command -v "$1" > /dev/null 2>&1; }

# All of it is read before any of it runs: half a script that was piped here does nothing.
main() {
  from='' sum='' signers='' to='' scratch='' aside=''
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --sum | --signers | --to) [ -n "${2:-}" ] || usage "$1 takes a value." ;;
      *) usage "There is no $1." ;;
    esac
    case $1 in
      --from) from=$2 ;;
      --sum) sum=$2 ;;
      --signers) signers=$2 ;;
      --to) to=$2 ;;
    esac
    shift 2
  done
  [ -n "$from" ] || usage 'Say --from URL|FILE.'
  [ -z "$sum" ] || [ -z "$signers" ] || usage 'Say --sum or --signers: what is signed are the sums beside the file.'
  [ -z "$signers" ] || [ -f "$signers" ] || fail "There is no file $signers."
  choose_folder
  name=${from%%[?#]*}
  case $from in *://*) ;; *) name=$from ;; esac
  name=${name##*/}
  check_platform
  trap 'clean' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  scratch=$(mktemp -d) || fail 'There is no temporary folder.'
  fetch "$from" "$scratch/file"
  check_sum
  put
}

clean() {
  [ -z "$scratch" ] || rm -rf "$scratch"
  [ -z "$aside" ] || rm -f "$aside"
}

choose_folder() {
  if [ -z "$to" ]; then
    [ -n "${HOME:-}" ] || fail 'HOME is not set: say --to DIR.'
    # What root puts into somebody's home, that person can't replace, and root would start what that person can.
    [ "$(id -u)" != 0 ] || { [ -z "${SUDO_USER:-}" ] && [ -n "$(find "$HOME" -prune -user 0)" ]; } ||
      fail 'You are root in the home of somebody else: run it without sudo, or say --to /usr/local/bin for everybody.'
    to=$HOME/.local/bin
  fi
  case $to in /*) ;; *) to=$PWD/$to ;; esac
  [ ! -d "$to/svc" ] || fail "$to/svc is a folder: move it away, or say another --to DIR."
}

# Where its name says for which it is.
check_platform() {
  case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) os=$(uname -s) ;; esac
  case $(uname -m) in x86_64 | amd64) arch=x64 ;; aarch64 | arm64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
  case $name in
    svc-*-"$os-$arch".tar.xz) ;;
    svc-*-*-*.tar.xz) fail "$name is for another platform: this is $os-$arch. Nothing was installed." ;;
  esac
}

# fetch URL|FILE PATH
fetch() {
  case $1 in
    https://*) download "$1" "$2" '=https' ;;
    http://*)
      [ -n "$sum$signers" ] || is_loopback "$1" || fail 'What comes by http can be changed on its way: say --sum SHA256, or use https.'
      download "$1" "$2" '=http,https'
      ;;
    *://*) fail "Only https and files: $1" ;;
    *)
      [ -f "$1" ] || fail "There is no file $1."
      cat < "$1" > "$2" || fail "$1 could not be copied to $scratch: is the disk full?"
      ;;
  esac
}

# Whether nobody else can be asked: what stands before an @ is a name of a user, and a curl takes a backslash for a slash.
is_loopback() {
  host=${1#*://}
  case $1 in *\\*) return 1 ;; esac
  host=${host%%[/?#]*}
  case $host in
    127.0.0.1 | localhost) ;;
    127.0.0.1: | localhost: | 127.0.0.1:*[!0-9]* | localhost:*[!0-9]*) return 1 ;;
    127.0.0.1:* | localhost:*) ;;
    *) return 1 ;;
  esac
}

download() {
  has curl || fail 'There is no curl here: install it, or download the file and say --from FILE.'
  curl -fsSL --proto "$3" --proto-redir "$3" --retry 2 -o "$2" -- "$1" ||
    fail "$1 could not be downloaded. Nothing was installed."
}

check_sum() {
  if [ -z "$sum" ]; then
    case $from in
      *://*) beside=${from%%[?#]*} && beside=${beside%/*}/SHA256SUMS ;;
      */*) beside=${from%/*}/SHA256SUMS ;;
      *) beside=SHA256SUMS ;;
    esac
    case $beside in
      *://*) ;;
      *) [ -f "$beside" ] || fail 'There is no SHA256SUMS beside the file: say --sum SHA256. Nothing was installed.' ;;
    esac
    fetch "$beside" "$scratch/sums"
    [ -z "$signers" ] || check_signature
    # A line is the sum, two signs, and the name as it is.
    sum=$(NAME=$name awk 'substr($0, 67) == ENVIRON["NAME"] { print $1; exit }' "$scratch/sums")
    [ -n "$sum" ] || fail "$beside has no sum of $name: say --sum SHA256. Nothing was installed."
  fi
  if has sha256sum; then
    found=$(sha256sum < "$scratch/file")
  elif has shasum; then
    found=$(shasum -a 256 < "$scratch/file")
  else
    fail 'There is neither sha256sum nor shasum here to check the file with.'
  fi
  found=${found%% *}
  [ "$found" = "$(printf %s "$sum" | tr ABCDEF abcdef)" ] ||
    fail "$name is not the file that its sum says ($found, not $sum). Nothing was installed."
}

# Who signed is looked up in the file, and then held to it: a name that the signature itself says proves nothing.
check_signature() {
  has ssh-keygen || fail 'There is no ssh-keygen here to check the signature with (OpenSSH 8.8 or newer: apt-get install openssh-client).'
  case $beside in
    *://*) ;;
    *) [ -f "$beside.sig" ] || fail "There is no $beside.sig: this release is not signed. Nothing was installed." ;;
  esac
  fetch "$beside.sig" "$scratch/sig"
  # ssh-keygen passes over bytes that it has no use for: here the file has one spelling.
  awk '
    NR == 1 { good = $0 == "-----BEGIN SSH SIGNATURE-----"; next }
    ended { good = 0 }
    $0 == "-----END SSH SIGNATURE-----" { ended = 1; next }
    { good = good && !short && $0 ~ /^[A-Za-z0-9+\/]+=*$/ && length($0) <= 70; short = length($0) < 70 }
    END { exit !(good && ended) }
  ' "$scratch/sig" && [ "$(tail -c 1 "$scratch/sig" | od -An -tx1 | tr -d ' ')" = 0a ] ||
    fail "The signature of $beside is not good. Nothing was installed."
  is_listed=''
  is_signed || {
    [ -n "$is_listed" ] || fail "Nobody in $signers has signed $beside. Nothing was installed."
    fail "The signature of $beside is not good. Nothing was installed."
  }
}

# A line at a time: a key may stand on several, each with names and uses of its own, and ssh-keygen says the names of the first alone.
is_signed() {
  while IFS= read -r line || [ -n "$line" ]; do
    printf '%s\n' "$line" > "$scratch/line"
    ssh-keygen -Y find-principals -f "$scratch/line" -s "$scratch/sig" > "$scratch/names" 2> /dev/null < /dev/null || continue
    while IFS= read -r signer; do
      is_listed=yes
      ssh-keygen -Y verify -f "$scratch/line" -I "$signer" -n svc-release -s "$scratch/sig" < "$scratch/sums" > /dev/null 2>&1 &&
        return 0
    done < "$scratch/names"
  done < "$signers"
  return 1
}

# Written aside, tried, and renamed: svc that starts meanwhile is the old one or the new one.
put() {
  has xz || fail 'There is no xz here to unpack it with (apt-get install xz-utils, brew install xz).'
  member=$(xz -dc < "$scratch/file" | tar -tf - | grep '^svc-[A-Za-z0-9.+~-]*/svc$' | head -n 1)
  [ -n "$member" ] || fail "$name is no archive of svc. Nothing was installed."
  mkdir -p "$to" || fail "$to could not be made."
  new=$to/.svc.$$
  # Never through something that lies there already.
  (set -C && : > "$new") 2> /dev/null || fail "Nothing can be written to $to."
  aside=$new
  { xz -dc < "$scratch/file" | tar -xOf - "$member" > "$aside"; } ||
    fail "svc could not be written to $to: is the disk full? Nothing was installed."
  chmod 755 "$aside" || fail "$aside could not be made executable."
  version=$("$aside" --version 2> /dev/null) || fail "$name does not run here ($os-$arch). On Linux it needs glibc 2.28
or newer and libstdc++, and a $to from which programs may be run. Nothing was installed."
  mv -f "$aside" "$to/svc" || fail "$to/svc could not be replaced."
  aside=''
  say "$version is $to/svc."
  case ":${PATH:-}:" in
    *":$to:"*) ;;
    *) say "Your shell does not look there yet. Add to ~/.profile, or to what your shell reads: export PATH=\"$to:\$PATH\"" ;;
  esac
  say 'For completion in your shell: svc completion --help'
}

main "$@"
