/** A coordinator and one agent on a database of their own: what most tests of ordinary life need, quick to start. */
import type { Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import type { Program } from './program.ts';
import { until } from './until.ts';
import { clientOf, createWorld, type World } from './world.ts';

export interface Pair {
  readonly world: World;
  readonly coordinator: Program;
  readonly agent: Program;
  readonly client: InterfaceClient;
}

export interface PairOptions {
  readonly coordinator?: Readonly<Record<string, string>>;
  readonly agent?: Readonly<Record<string, string>>;
}

/** Resolves when the agent has joined. */
export async function startPair(t: Test, env: PairOptions = {}): Promise<Pair> {
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const coordinator = await world.start('coordinator', 'coordinator', {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_GRPC: grpc,
    ...env.coordinator,
  });
  const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc, ...env.agent });
  const client = clientOf(coordinator);
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  return { world, coordinator, agent, client };
}
