/** Says why nothing happens: no node accepts the strike or the next job, or the service answers but cannot work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import type { Contact } from '../../client/contact.ts';

export interface Standstill {
  /** Waits while the service cannot be reached. */
  readonly client: Client;
  readonly contact: Contact;
  readonly strikeId: number;
  /** Workspaces of the watched directory and of the one for products. */
  readonly workspaceIds: readonly number[];
  /** A number that grows with each change of a file or job. */
  readonly changeCount: () => number;
  /** A job that waits while none runs. */
  readonly waitingJobId: () => number | undefined;
  readonly say: (note: string) => void;
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 5_000;
/** limit: nodes that a note names. */
const NODES_MAX = 5;

/** Rejects with the reason of the signal. A reason is shown when two reads find it with no change in between. */
export async function explainStandstill(standstill: Standstill): Promise<never> {
  const { changeCount, say, signal } = standstill;
  let [seen, before, said] = [changeCount(), '', ''];
  for (;;) {
    // poll: a standstill causes no change that could be waited for.
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    const reason = (await reasonOf(standstill)) ?? '';
    const isStill = changeCount() === seen;
    seen = changeCount();
    // Amounts are ignored, because they may change while the reason stays the same.
    const kind = reason.replaceAll(/\d+/g, '0');
    if (!isStill) said = '';
    else if (kind === before && kind !== said) {
      say(reason === '' ? 'note: it continues' : `note: waiting: ${reason}`);
      said = kind;
    }
    before = kind;
  }
}

/** Undefined: no reason is known. A service that cannot work counts as a lost connection. */
async function reasonOf(standstill: Standstill): Promise<string | undefined> {
  const { client, contact, strikeId, workspaceIds, waitingJobId, signal } = standstill;
  const call = { signal, onLost: contact.lose, onBack: contact.find };
  const strike = await client.get('/v6/strikes/{id}/', { path: { id: strikeId }, ...call });
  if (strike.is_paused)
    return 'the strike is paused, as when another line for this directory ends: end this one, and type it again';
  if (strike.reason !== null) return strike.reason;
  for await (const { id, reason } of client.list('/v6/workspaces/unreached/', call))
    if (workspaceIds.includes(id) && reason !== null) return reason;
  const id = waitingJobId();
  if (id !== undefined) {
    const { causes } = await client.get('/v6/jobs/{id}/why/', { path: { id }, ...call });
    return causes[0]?.reason;
  }
  const { nodes } = await client.get('/v6/status/', { query: { fields: 'nodes' }, ...call });
  if (nodes.some(({ state }) => state.name === 'READY')) return undefined;
  const idle = nodes.slice(0, NODES_MAX).map(({ hostname, state, errors: [error] }) => {
    const detail = error === undefined ? '' : ` (${error.title}: ${error.description})`;
    return `${hostname} is ${state.title.toLowerCase()}${detail}`;
  });
  return `no node takes work: ${idle.join('; ')}`;
}
