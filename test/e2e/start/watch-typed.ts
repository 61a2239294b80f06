/** `millrace watch` as a newcomer types it, in a directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { compiledPrograms } from '../../support/run/compiled-programs.ts';
import { freePort } from '../../support/services/free-port.ts';
import { until } from '../harness/until.ts';
import { createWorld, type World } from '../harness/world.ts';

export const PROGRAM = join(import.meta.dirname, '../../../bin/millrace.js');

export class Typed {
  readonly child: ChildProcess;
  readonly exited: Promise<number | string>;
  output = '';
  errors = '';
  #hasEnded = false;

  /** `within`: a command that becomes the one that follows it as its arguments. */
  constructor(
    cwd: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    within: readonly string[] = [],
  ) {
    const { PATH = '', HOME = '' } = process.env;
    const own = { PATH, HOME, ...compiledPrograms(), ...env };
    const [program = '', ...given] = [...within, process.execPath, PROGRAM, 'watch', ...args];
    this.child = spawn(program, given, { cwd, env: own });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    this.exited = new Promise((resolve) => {
      // Later than 'exit': all that it has written has come.
      this.child.once('close', (code, signal) => {
        this.#hasEnded = true;
        resolve(code ?? signal ?? '');
      });
    });
  }

  /** Until it has shown this. Throws at once if it ends before. */
  async shows(what: RegExp): Promise<void> {
    await until(`it shows ${what}`, () => what.test(this.output) || this.#hasEnded).catch((error: Error) => {
      throw new Error(`${error.message}; it showed: ${this.output}${this.errors}`);
    });
    if (!what.test(this.output)) throw new Error(`it ended without ${what}: ${this.output}${this.errors}`);
  }

  interrupt(): Promise<number | string> {
    this.child.kill('SIGINT');
    return this.exited;
  }
}

export interface Place {
  readonly world: World;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function createPlace(t: Parameters<typeof createWorld>[0]): Promise<Place> {
  const world = await createWorld(t);
  const cwd = join(world.folder, 'home');
  await mkdir(join(cwd, 'in'), { recursive: true });
  return { world, cwd, env: { MILLRACE_HTTP: `127.0.0.1:${await freePort()}` } };
}

/** The same, where the database of its own is not the subject: it takes most of the processor time of a start. */
export async function createPlaceOnDatabase(t: Parameters<typeof createWorld>[0]): Promise<Place> {
  const { env, ...place } = await createPlace(t);
  return { ...place, env: { ...env, DATABASE_URL: await migratedDatabase(t) } };
}

/** As programs deliver files: under another name first. */
export async function deliver(cwd: string, name: string, text: string): Promise<void> {
  await writeFile(join(cwd, 'in', `${name}_tmp`), text);
  await rename(join(cwd, 'in', `${name}_tmp`), join(cwd, 'in', name));
}

export async function products(cwd: string, into = 'out'): Promise<string[]> {
  return (await readdir(join(cwd, into))).filter((name) => !name.startsWith('.')).sort();
}

/** The service at another address, where calls that change something wait for `before`. */
export async function proxied(t: Test, to: URL, before: (method: string, path: string) => Promise<void>) {
  const proxy = createServer(async (incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    await before(method, path);
    const outgoing = request({ host: to.hostname, port: to.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  proxy.on('upgrade', ({ method, url, rawHeaders }, socket) => {
    const upstream = connect(Number(to.port), to.hostname);
    const lines = rawHeaders.flatMap((text, index) =>
      index % 2 === 0 ? [`${text}: ${rawHeaders[index + 1]}`] : [],
    );
    upstream.write(`${[`${method} ${url} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
    for (const one of [socket, upstream]) one.on('error', () => undefined);
    socket.pipe(upstream).pipe(socket);
    t.teardown(() => upstream.destroy());
  });
  t.teardown(() => proxy.closeAllConnections());
  return `http://127.0.0.1:${await listening(t, proxy)}`;
}

export async function listening(t: Test, server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}
