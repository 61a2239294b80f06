/** What benches have done by the system, and waiting for what becomes of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { InterfaceClient } from '../../src/cli/demo/interface-client.ts';

const DEADLINE_MS = 300_000;

/** Each look is a request: seldom enough not to be what is measured. */
export async function until(what: string, is: () => Promise<boolean>, lookMs = 200): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await is())) {
    if (performance.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await sleep(lookMs);
  }
}

/** Until a list has as many records. */
export async function untilCount(client: InterfaceClient, list: string, count: number): Promise<void> {
  await until(`${count} of ${list}`, async () => (await client.count(list)) >= count);
}

/** A job type whose job is one command and needs nothing. */
export async function makeJobType(
  client: InterfaceClient,
  name: string,
  image: string,
  command: string,
  resources: object = {},
): Promise<number> {
  const job = {
    ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: name, timeout: 60, ...resources },
    description: 'Of a benchmark',
    maintainer: { name: 'Bench', email: 'bench@example.com' },
    interface: { command },
  };
  const manifest = { seedVersion: '1.0.0', job };
  const made = await client.post<{ id: number }>('/v6/job-types/', {
    ...{ container_image: image, manifest, configuration: {} },
  });
  return made.id;
}
