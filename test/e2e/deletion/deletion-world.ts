/** Two coordinators and an agent, and calls that give back their status. */
import type { Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld, type World } from '../harness/world.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any call
  readonly body: any;
}

export interface Service {
  readonly client: InterfaceClient;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

export interface DeletionWorld {
  readonly world: World;
  /** The URL of the database. */
  readonly database: string;
  /** The program that is `first`. */
  readonly firstProgram: Program;
  readonly first: Service;
  readonly second: Service;
}

function serviceOf(client: InterfaceClient): Service {
  return {
    client,
    async call(method, path, body) {
      const answer = await fetch(new URL(path, client.base), {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.includes('json') === true;
      return { status: answer.status, body: isJson && text !== '' ? JSON.parse(text) : undefined };
    },
  };
}

export async function deletionWorld(t: Test): Promise<DeletionWorld> {
  const world = await createWorld(t);
  const database = await migratedDatabase(t);
  const addresses = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const start = (at: number) =>
    world.start('coordinator', `coordinator-${at}`, {
      DATABASE_URL: database,
      MILLRACE_GRPC: addresses[at] ?? '',
    });
  const one = await start(0);
  const two = await start(1);
  const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: addresses.join(',') });
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  return {
    world,
    database,
    firstProgram: one,
    first: serviceOf(clientOf(one)),
    second: serviceOf(clientOf(two)),
  };
}

/** It is gone for both, and a repeat finds nothing. */
export async function isGone(t: Test, { first, second }: DeletionWorld, path: string): Promise<void> {
  for (const service of [first, second]) t.equal((await service.call('GET', path)).status, 404, path);
  t.equal((await second.call('DELETE', path)).status, 404, 'a repeat finds nothing');
}

/** The reasons of a refused deletion, which its preview gives as well. */
export async function reasonsOf(t: Test, { call }: Service, path: string): Promise<readonly string[]> {
  const { status, body } = await call('DELETE', path);
  t.match({ status, code: body?.code }, { status: 409, code: 'STATE_CONFLICT' }, path);
  const preview = await call('DELETE', `${path}?dry_run=true`);
  t.match(preview, { status: 200, body: { outcome: 'refused' } });
  const reasons = body.errors.map((one: { description: string }) => one.description);
  t.strictSame(
    preview.body.needed_by.map((one: { reason: string }) => one.reason),
    reasons,
  );
  return reasons;
}

/** When a record came and went, by the stream of changes, once it has said so as often. */
export function livesOf(
  service: Service,
  kind: string,
  id: number,
  count: number,
): Promise<readonly string[]> {
  return until(`${kind} ${id} has come and gone ${count} times`, async () => {
    const lives = (await changesOf(service, kind, id)).filter((what) => !['edited', 'status'].includes(what));
    return lives.length >= count && lives;
  });
}

/** What the stream of changes says of a record. */
async function changesOf({ client }: Service, kind: string, id: number): Promise<readonly string[]> {
  const { changes } = await client.get<{ changes: { what: string; id: number }[] }>(
    `/v6/changes/?after=0&kind=${kind}&limit=1000`,
  );
  return changes.filter((one) => one.id === id).map(({ what }) => what);
}
