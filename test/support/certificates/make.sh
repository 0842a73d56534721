#!/bin/sh
# Made the certificates beside it, once; run it to make them anew. Nothing but tests trusts them.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/ca.conf" <<CONF
[ca]
default_ca = test
[test]
database = $work/index
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
CONF

# sign <name> <its extensions> <first day> <last day> <by whom...>
sign() {
  name=$1 extensions=$2 first=$3 last=$4
  shift 4
  [ -f "$work/$name.key" ] || openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$work/$name.key"
  openssl req -new -key "$work/$name.key" -subj "/CN=vals test $name" -out "$work/$name.csr"
  printf '%b' "$extensions" > "$work/extensions"
  : > "$work/index"
  openssl ca -batch -notext -config "$work/ca.conf" -in "$work/$name.csr" -extfile "$work/extensions" \
    -startdate "${first}0101000000Z" -enddate "${last}0101000000Z" -out "$work/$name.crt" "$@"
  cat "$work/$name.key" "$work/$name.crt" > "$name.pem"
}
by_itself() { sign "$@" -selfsign -keyfile "$work/$1.key"; }
by_authority() { sign "$@" -cert "$work/authority.crt" -keyfile "$work/authority.key"; }

here='subjectAltName=DNS:localhost,DNS:vals.test,DNS:proxy.test,IP:127.0.0.1'
by_itself authority 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash' 2020 2120
# Its key is needed no more.
cp "$work/authority.crt" authority.pem
by_itself self-signed "$here" 2020 2120
by_authority good "$here" 2020 2120
by_authority expired "$here" 2020 2021
by_authority other-host 'subjectAltName=DNS:other.example,DNS:another.example' 2020 2120
