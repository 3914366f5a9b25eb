#!/bin/sh
# Make a folder for a trial: the files of this folder, certificates, and settings with new passwords.
#
#   sh make_trial.sh FOLDER HOST...     each HOST is a name or an address of a server or a gateway
#
# For more than a trial use certificates of your own authority, and one key for each server.
set -eu
umask 077
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
mkdir "$folder" "$folder/tls" "$folder/members"
cp "$here"/*.conf "$here"/nats.env "$here"/compose.yaml "$folder"
cd "$folder"

names=
for host in "$@"; do
  case $host in
    *[!0-9.]*) names="$names,DNS:$host" ;;
    *) names="$names,IP:$host" ;;
  esac
done

# The authority, and two certificates by it: the servers show theirs to clients and to each other,
# the gateway shows its own to clients. With that of the gateway nobody can open a route.
curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
openssl req -x509 $curve -keyout tls/ca.key -out tls/ca.pem -days 30 -subj "/CN=Behest trial" \
  -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign"
make_certificate() {  # NAME USES
  openssl req -new $curve -keyout "tls/$1.key" -out "tls/$1.csr" -subj "/CN=$1" \
    -addext "subjectAltName=${names#,}" -addext "extendedKeyUsage=$2"
  openssl x509 -req -in "tls/$1.csr" -CA tls/ca.pem -CAkey tls/ca.key -CAcreateserial -days 30 \
    -copy_extensions copy -out "tls/$1.pem"
  rm "tls/$1.csr"
}
make_certificate server serverAuth,clientAuth
make_certificate gateway serverAuth

for member in admin gateway-1 brain-1 brain-2 executor-1 executor-2; do
  password=p$(openssl rand -hex 24)
  echo "$password" > "members/$member.password"
  echo "NATS_PASSWORD_$(echo "$member" | tr a-z- A-Z_)=$password" >> nats.env
  role=${member%-*}
  if [ -f "$here/$role.toml" ]; then
    sed "s/MEMBER/$member/" "$here/$role.toml" > "members/$member.toml"
  fi
done
