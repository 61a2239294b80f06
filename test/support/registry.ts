/** A registry of images for one test (Debian's docker-registry), filled without downloads. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../src/lib/wait-until.ts';
import { BUSYBOX_ENTRYPOINT, BUSYBOX_ENV, busyboxTar } from './agent/busybox-root.ts';
import { findProgram } from './services/find-program.ts';
import { freePort } from './services/free-port.ts';

export const REGISTRY_USER = 'millrace';
export const REGISTRY_PASSWORD = 'correct horse';
/** The hash of the password above. */
const HTPASSWD = `${REGISTRY_USER}:$2b$04$VlqbjqR/zuRI3NMMdz7LFuTopRY577EBU98okRYrnORB.cfmzi1cu\n`;
const MANIFEST_TYPE = 'application/vnd.docker.distribution.manifest.v2+json';
const READY_MS = 20_000;

/** A shell script that runs the program and ends it when standard input closes, which happens however the test ends. */
const GUARD = '"$@" < /dev/null & child=$!; read -r line; kill "$child"; wait "$child"';

interface Test {
  teardown(call: () => unknown): void;
}

export interface TestRegistry {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  /** Pushes the busybox image, its files altered; resolves with the digest of its manifest. */
  push(name: string, tag: string, changes?: object, alter?: (root: string) => void): Promise<string>;
  stop(): Promise<void>;
}

/** Options for `t.test` that skip a test if programs that it needs are missing. */
export function needsPrograms(...programs: readonly string[]): { skip?: string } {
  const missing = programs.filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return {};
  if (process.env.CI === 'true') return {};
  return { skip: `not run: apt-get install -y ${missing.join(' ')}` };
}

/** `isPrivate`: only with the name and password above. */
export async function testRegistry(t: Test, { isPrivate = false } = {}): Promise<TestRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-registry-'));
  const address = `127.0.0.1:${await freePort()}`;
  writeFileSync(join(folder, 'htpasswd'), HTPASSWD);
  writeFileSync(join(folder, 'config.yml'), configuration(folder, address, isPrivate));
  const program = findProgram('docker-registry') ?? 'docker-registry';
  const child = spawn('/bin/sh', ['-c', GUARD, 'registry', program, 'serve', join(folder, 'config.yml')], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = once(child, 'exit');
  child.unref();
  (child.stdin as unknown as Socket).unref();
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin.end();
    await gone;
  };
  t.teardown(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const answers = () =>
    fetch(`http://${address}/v2/`).then(
      () => true as const,
      () => undefined,
    );
  if ((await waitUntil(answers, { timeoutMs: READY_MS })) === undefined)
    throw new Error('the registry does not answer');
  return { address, push: (name, tag, ...more) => push(`http://${address}`, name, tag, ...more), stop };
}

function configuration(folder: string, address: string, isPrivate: boolean): string {
  const auth = isPrivate
    ? `auth:\n  htpasswd:\n    realm: test\n    path: ${join(folder, 'htpasswd')}\n`
    : '';
  return `version: 0.1
log:
  level: error
storage:
  filesystem:
    rootdirectory: ${join(folder, 'data')}
http:
  addr: ${address}
${auth}`;
}

async function push(
  url: string,
  name: string,
  tag: string,
  changes: object = {},
  alter?: (root: string) => void,
): Promise<string> {
  const layer = busyboxTar(alter);
  const config = {
    architecture: { x64: 'amd64' }[process.arch as string] ?? process.arch,
    os: 'linux',
    config: { Env: BUSYBOX_ENV, Entrypoint: BUSYBOX_ENTRYPOINT, ...changes },
    rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    history: [{ created: '2020-01-01T00:00:00Z', created_by: 'test' }],
  };
  const configBytes = Buffer.from(JSON.stringify(config));
  for (const blob of [layer, configBytes]) await pushBlob(url, name, blob);
  const described = (mediaType: string, blob: Buffer) => {
    return { mediaType, size: blob.length, digest: digestOf(blob) };
  };
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: described('application/vnd.docker.container.image.v1+json', configBytes),
      layers: [described('application/vnd.docker.image.rootfs.diff.tar', layer)],
    }),
  );
  await call(`${url}/v2/${name}/manifests/${tag}`, 'PUT', manifest, MANIFEST_TYPE);
  return digestOf(manifest);
}

async function pushBlob(url: string, name: string, blob: Buffer): Promise<void> {
  const begun = await call(`${url}/v2/${name}/blobs/uploads/`, 'POST', Buffer.alloc(0));
  const at = new URL(begun.headers.get('location') ?? '', url);
  at.searchParams.set('digest', digestOf(blob));
  await call(at.href, 'PUT', blob);
}

async function call(url: string, method: string, body: Buffer, type = 'application/octet-stream') {
  const authorization = `Basic ${Buffer.from(`${REGISTRY_USER}:${REGISTRY_PASSWORD}`).toString('base64')}`;
  const answer = await fetch(url, {
    method,
    body: new Uint8Array(body),
    headers: { authorization, 'content-type': type },
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
