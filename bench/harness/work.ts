/** What benches have done by the system, and waiting for what becomes of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { InterfaceClient } from '../../test/support/clients/interface-client.ts';

const DEADLINE_MS = 300_000;

/** Each look is a request: seldom enough not to be what is measured. */
export async function until(what: string, is: () => Promise<boolean>, lookMs = 200): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await is())) {
    if (performance.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await sleep(lookMs);
  }
}

const LOOK_MS_MAX = 1_000;
const LOOK_MS_MIN = 20;

/**
 * Until a list has as many records. Looks seldom at first and closely at the end, as its growth until then lets expect
 * it: five looks a second took a sixth of the database's time while 5,000 jobs ran.
 */
export async function untilCount(client: InterfaceClient, list: string, count: number): Promise<void> {
  const began = performance.now();
  const [first, deadline] = [await client.count(list), began + DEADLINE_MS];
  for (let now = first; now < count; now = await client.count(list)) {
    if (performance.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${count} of ${list}`);
    const msEach = (performance.now() - began) / Math.max(1, now - first);
    const leftMs = now === first ? LOOK_MS_MIN * 5 : (count - now) * msEach;
    await sleep(Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, leftMs * 0.7)));
  }
}

/** A job type whose job is one command and needs nothing. */
export async function makeJobType(
  client: InterfaceClient,
  name: string,
  image: string,
  command: string,
  resources: object = {},
): Promise<number> {
  const made = await client.post<{ id: number }>('/v6/job-types/', {
    ...{ container_image: image, manifest: manifestOf(name, command, resources), configuration: {} },
  });
  return made.id;
}

/** The manifest of such a job type, in version 1.0.0. */
export function manifestOf(name: string, command: string, others: object = {}): object {
  const job = {
    ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: name, timeout: 60, ...others },
    description: 'For a benchmark',
    maintainer: { name: 'Bench', email: 'bench@example.com' },
    interface: { command },
  };
  return { seedVersion: '1.0.0', job };
}
