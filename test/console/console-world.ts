/** A service with the console built from these sources, jobs that fail and complete, and pages of a real browser. */
import { join } from 'node:path';
import pg from 'pg';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { buildConsole } from '../../scripts/build/console.ts';
import { createPasswords } from '../../src/auth/passwords.ts';
import { startClients } from '../api/compat/clients-world.ts';
import { until } from '../e2e/harness/until.ts';
import { startBrowser, type Tabs } from '../support/browser.ts';
import { migratedDatabase } from '../support/db.ts';
import { freePort } from '../support/services/free-port.ts';

export const PASSWORD = 'a-password-of-tests';
/** Texts of others must stay texts. */
export const HOSTILE = '<img src=x onerror="document.title=1">';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
type Json = any;

/** The service alone: tests bring a browser. */
export interface ConsoleService {
  readonly url: string;
  /** The address of its database, for tests that need more objects than calls make in a short time. */
  readonly database: string;
  /** A folder of the service, for workspaces. */
  readonly folder: string;
  /** Kills the service with -9. Resolves with what starts it again, at the same address. */
  kill(): Promise<() => Promise<void>>;
  /** As `admin`. */
  call(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }>;
  /** Creates a job type that runs a shell script, and answers its id. */
  jobType(name: string, script: string, resources?: Readonly<Record<string, number>>): Promise<number>;
  job(jobTypeId: number): Promise<number>;
  status(job: number, status: string): Promise<void>;
}

export interface ConsoleWorld extends ConsoleService {
  readonly tabs: Tabs;
}

export async function startConsole(t: Test): Promise<ConsoleWorld> {
  return { ...(await startService(t)), tabs: await startBrowser(t) };
}

export async function startService(t: Test): Promise<ConsoleService> {
  // Takes seconds, and the runner has built it.
  if (process.env.MILLRACE_TEST_BUILT === undefined)
    await buildConsole(join(import.meta.dirname, '../../dist/console'));
  const database = await migratedDatabase(t);
  await makeAdmin(database);
  const env = {
    DATABASE_URL: database,
    MILLRACE_HTTP: `127.0.0.1:${await freePort()}`,
    MILLRACE_AUTH: 'on',
  };
  const clients = await startClients(t, env);
  const login = await clients.call('POST', '/v6/login/', { username: 'admin', password: PASSWORD });
  const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const csrf = cookies.find((cookie) => cookie.startsWith('csrftoken='))?.slice('csrftoken='.length) ?? '';
  const headers = { cookie: cookies.join('; '), 'x-csrftoken': csrf };
  const call: ConsoleService['call'] = (method, path, body) => clients.call(method, path, body, headers);
  let { program } = clients;
  return {
    url: clients.url,
    database,
    folder: clients.world.folder,
    async kill() {
      await program.end('SIGKILL');
      return async () => {
        program = await clients.world.start('up', 'up', env);
      };
    },
    call,
    async jobType(name, script, resources = {}) {
      const { json, status } = await call('POST', '/v6/job-types/', manifest(name, script, resources));
      if (status !== 201) throw new Error(JSON.stringify(json));
      return json.id;
    },
    async job(jobTypeId) {
      const { json, status } = await call('POST', '/v6/jobs/', { job_type_id: jobTypeId, input: {} });
      if (status !== 201) throw new Error(JSON.stringify(json));
      return json.id;
    },
    async status(job, wanted) {
      await until(
        `job ${job} is ${wanted}`,
        async () => (await call('GET', `/v6/jobs/${job}/`)).json.status === wanted,
      );
    },
  };
}

/**
 * The administrator that a first start would make, with a hash that is checked at once: each page logs in, which takes
 * a third of a second of processor time otherwise.
 */
async function makeAdmin(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    await client.query(
      `insert into account (username, first_name, last_name, is_staff, password_hash, created, last_modified)
       values ('admin', 'Admin', 'User', true, $1, now(), now())`,
      [await createPasswords(4).hash(PASSWORD)],
    );
  } finally {
    await client.end();
  }
}

function manifest(name: string, script: string, resources: Readonly<Record<string, number>>): object {
  const scalar = Object.entries(resources).map(([each, value]) => ({ name: each, value }));
  return {
    container_image: 'process:default',
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: name, description: HOSTILE },
        ...{ maintainer: { name: 'Ann', email: 'ann@example.com' }, timeout: 3_600 },
        ...(scalar.length === 0 ? {} : { resources: { scalar } }),
        interface: { command: `sh -c '${script}'` },
      },
    },
  };
}

/** Found in a page whose lists, graphs and figures are all there. */
export const SETTLED = 'main:has(h1):not(:has(.loading, .unread, .plot-space, [role=status]:empty))';

interface Teardown {
  teardown(call: () => Promise<void>): void;
}

export interface Watched {
  readonly page: Page;
  /** Errors of the console, refusals of the policy, and requests that failed. */
  readonly troubles: string[];
}

const DESKTOP = { viewport: { width: 1_280, height: 860 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/**
 * A page of somebody who has logged in; it is watched from its first address in the console on. It is closed with its
 * test, because a page that is left open goes on to read and draw what later tests change.
 */
export async function openPage(
  t: Teardown,
  world: ConsoleWorld,
  path = '/',
  username = 'admin',
  device: BrowserContextOptions = DESKTOP,
): Promise<Watched> {
  const page = await world.tabs.newPage(device);
  t.teardown(() => page.context().close());
  // The page of the login has tests of its own.
  const login = await page.context().request.post(new URL('/v6/login/', world.url).href, {
    data: { username, password: PASSWORD },
  });
  if (!login.ok()) throw new Error(`no login of ${username}: ${login.status()}`);
  const troubles = watch(page);
  const unanswered = unansweredOf(page);
  await page.goto(new URL(path, world.url).href);
  try {
    await page.locator('.connection.live').waitFor();
  } catch (error) {
    const shown = (await page.locator('body').innerText()).slice(0, 1_000);
    throw new Error(JSON.stringify({ path, shown, troubles, unanswered: [...unanswered] }), { cause: error });
  }
  return { page, troubles };
}

/** The addresses whose answers the page still waits for. */
function unansweredOf(page: Page): ReadonlySet<string> {
  const unanswered = new Set<string>();
  page.on('request', (request) => unanswered.add(request.url()));
  for (const event of ['requestfinished', 'requestfailed'] as const) {
    page.on(event as 'requestfinished', (request) => unanswered.delete(request.url()));
  }
  return unanswered;
}

export function watch(page: Page): string[] {
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
  });
  return troubles;
}
