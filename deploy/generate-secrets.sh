#!/bin/sh
# Makes the secrets of an installation, each once: what is there is left as it is. Each folder below $1 is a volume of
# its own, given to nobody but who needs it. Run as root, before anything else.
set -eu
umask 077
secrets=${1:?folder of the secrets}
app=${2:-10001}

random() { head -c 33 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

# keep <file>: standard input into a file that must not be there half written, unless it is there.
keep() {
  if [ -e "$1" ]; then cat >/dev/null; return; fi
  cat >"$1.new"
  sync "$1.new"
  mv "$1.new" "$1"
}
value() { random | keep "$1"; cat "$1"; }

mkdir -p "$secrets/made" "$secrets/postgres" "$secrets/nats" "$secrets/minio" "$secrets/coordinator" "$secrets/agent"
made=$secrets/made
database=$(value "$made/database-password")
nats=$(value "$made/nats-password")
join=$(value "$made/join-token")
admin=$(value "$made/admin-password")
minio_user=$(value "$made/minio-user")
minio_password=$(value "$made/minio-password")
notify=$(value "$made/notification-password")

printf '%s' "$database" | keep "$secrets/postgres/password"

keep "$secrets/nats/nats.conf" <<END
port: 4222
http_port: 8222
jetstream { store_dir: /data }
authorization {
  users = [
    { user: millrace, password: "$nats" }
    { user: minio, password: "$notify", permissions: { publish: ["arrivals", "\$JS.API.>"], subscribe: ["_INBOX.>"] } }
  ]
}
END

keep "$secrets/minio/minio.env" <<END
MINIO_ROOT_USER="$minio_user"
MINIO_ROOT_PASSWORD="$minio_password"
MINIO_NOTIFY_NATS_ENABLE_MILLRACE="on"
MINIO_NOTIFY_NATS_ADDRESS_MILLRACE="nats:4222"
MINIO_NOTIFY_NATS_SUBJECT_MILLRACE="arrivals"
MINIO_NOTIFY_NATS_JETSTREAM_MILLRACE="on"
MINIO_NOTIFY_NATS_QUEUE_DIR_MILLRACE="/events"
MINIO_NOTIFY_NATS_USERNAME_MILLRACE="minio"
MINIO_NOTIFY_NATS_PASSWORD_MILLRACE="$notify"
END

keep "$secrets/coordinator/coordinator.env" <<END
export DATABASE_URL='postgresql://millrace:$database@postgres:5432/millrace'
export NATS_URL='nats://millrace:$nats@nats:4222'
export MILLRACE_JOIN_TOKEN='$join'
export MILLRACE_ADMIN_PASSWORD='$admin'
END

keep "$secrets/agent/agent.env" <<END
export MILLRACE_JOIN_TOKEN='$join'
export AWS_ACCESS_KEY_ID='$minio_user'
export AWS_SECRET_ACCESS_KEY='$minio_password'
END

# The authority that coordinators and agents show each other certificates of.
if [ ! -e "$secrets/coordinator/tls/ca.pem" ]; then
  rm -rf "$secrets/coordinator/tls"
  node bin/millrace.js certificates authority --dir "$secrets/coordinator/tls.new" >/dev/null
  mv "$secrets/coordinator/tls.new" "$secrets/coordinator/tls"
fi
chown -R "$app:$app" "$secrets/coordinator" "$secrets/agent"
# Where agents work, as the host has it: the container engine mounts from there.
shift; [ $# -eq 0 ] || shift
for folder in "$@"; do
  mkdir -p "$folder"
  chown "$app:$app" "$folder"
  chmod 0711 "$folder"
done
