/**
 * An S3 server for the tests: MinIO of compose.yml where an engine can run it, else Ceph's gateway with a monitor and
 * one store in memory, from Debian packages. Its address contains the keys: `http://key:secret@host:port`.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '../../../src/lib/wait-until.ts';
import { startChild, stopChild } from './child.ts';
import { startComposed } from './compose.ts';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { SERVICE_ENV, type Started } from './service.ts';

/** Debian packages, each with a program by which it is recognized as installed. */
export const CEPH_PACKAGES = [
  { program: 'radosgw', package: 'radosgw' },
  { program: 'ceph-mon', package: 'ceph-mon' },
  { program: 'ceph-osd', package: 'ceph-osd' },
  { program: 'ceph', package: 'ceph-common' },
] as const;
const PACKAGE_NAMES = CEPH_PACKAGES.map((one) => one.package).join(' ');
export const S3_INSTALL = `no S3 server: apt-get install -y ${PACKAGE_NAMES}`;

const run = promisify(execFile);
const KEY = 'millrace-test';
const READY_MS = 90_000;
const TRIES_MAX = 3;

export async function startS3(folder: string): Promise<Started> {
  if (CEPH_PACKAGES.every(({ program }) => findProgram(program) !== undefined)) return startAgain(folder);
  const composed = await startComposed('minio', 9000);
  if (composed === undefined) return { missing: S3_INSTALL };
  return served(composed.address, 'millrace', composed.secret, composed.stop);
}

function served(address: string, key: string, secret: string, stop: () => Promise<void>): Started {
  return { env: { [SERVICE_ENV.s3.url]: `http://${key}:${secret}@${address}` }, stop };
}

/**
 * The store picks further ports itself, and two that start at the same time may pick the same; then it is started
 * again.
 */
async function startAgain(folder: string): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    const started = await startCeph(join(folder, `s3-${attempt}`));
    if ('env' in started || attempt === TRIES_MAX) return started;
  }
}

async function startCeph(home: string): Promise<Started> {
  for (const name of ['mon', 'osd', 'run']) mkdirSync(join(home, name), { recursive: true });
  const [port, monitorPort] = [await freePort(), await freePort()];
  const configuration = join(home, 'ceph.conf');
  const fsid = randomUUID();
  writeFileSync(configuration, configurationText({ home, fsid, port, monitorPort }));
  const secret = randomUUID();
  const children: ReturnType<typeof startChild>[] = [];
  const begin = (program: string, ...args: string[]) => {
    const log = join(home, `${program}.out`);
    children.push(startChild(path(program), ['-f', '-c', configuration, ...args], log));
  };
  const stop = async () => {
    for (const child of children.reverse()) await stopChild(child, 3_000);
  };
  try {
    const map = join(home, 'monmap');
    await call('monmaptool', '--create', '--addv', 'a', `[v1:127.0.0.1:${monitorPort}]`, '--fsid', fsid, map);
    await call('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '-c', configuration);
    begin('ceph-mon', '-i', 'a');
    const store = randomUUID();
    await call('ceph', '-c', configuration, 'osd', 'new', store, '0');
    await call('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store, '-c', configuration);
    begin('ceph-osd', '-i', '0');
    begin('radosgw', '-n', 'client.rgw');
    const user = ['user', 'create', '--uid', 'millrace', '--display-name', 'millrace'];
    const isUp = () => (children.some((child) => child.exitCode !== null) ? 'ended' : answers(port));
    const state = await waitUntil<true | 'ended'>(isUp, { timeoutMs: READY_MS });
    if (state !== true)
      throw new Error(state === 'ended' ? 'one of its programs ended' : 'it does not answer');
    const keys = ['--access-key', KEY, '--secret-key', secret];
    await call('radosgw-admin', '-c', configuration, ...user, ...keys);
    return served(`127.0.0.1:${port}`, KEY, secret, stop);
  } catch (error) {
    await stop();
    return { missing: `Ceph's gateway does not start here: ${String(error).slice(0, 500)}${logsOf(home)}` };
  }
}

interface Place {
  readonly home: string;
  readonly fsid: string;
  readonly port: number;
  readonly monitorPort: number;
}

/** Without authentication between its daemons, because it listens on loopback and only while tests run. */
function configurationText({ home, fsid, port, monitorPort }: Place): string {
  return `[global]
fsid=${fsid}
mon_host=v1:127.0.0.1:${monitorPort}
mon_initial_members=a
auth_cluster_required=none
auth_service_required=none
auth_client_required=none
osd_pool_default_size=1
osd_pool_default_min_size=1
osd_crush_chooseleaf_type=0
osd_pool_default_pg_num=4
osd_pool_default_pgp_num=4
osd_objectstore=memstore
memstore_device_bytes=4294967296
run_dir=${home}/run
log_file=${home}/$name.log
admin_socket=${home}/run/$name.asok
pid_file=${home}/$name.pid
mon_data=${home}/mon
osd_data=${home}/osd
ms_bind_ipv6=false
public_addr=127.0.0.1
rgw_frontends=beast endpoint=127.0.0.1:${port}
`;
}

function path(program: string): string {
  return findProgram(program) ?? program;
}

function call(program: string, ...args: string[]) {
  return run(path(program), args, { timeout: READY_MS });
}

function answers(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const ask = get({ host: '127.0.0.1', port, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(true);
    });
    ask.on('timeout', () => ask.destroy());
    ask.on('error', () => resolve(undefined));
  });
}

/** In one line, since that is what is shown of a test that is not run. */
function logsOf(home: string): string {
  return ['ceph-mon', 'ceph-osd', 'radosgw']
    .map((program) => {
      try {
        const end = readFileSync(join(home, `${program}.out`), 'utf8').slice(-300);
        return `; ${program}: ${end.replace(/\s+/g, ' ').trim()}`;
      } catch {
        return ''; // it was not started
      }
    })
    .join('');
}
