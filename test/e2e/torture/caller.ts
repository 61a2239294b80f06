/** Calls of people who do not give up: of either coordinator, again until one has answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { COORDINATORS, type Installation } from './installation.ts';

const GIVE_UP_MS = 240_000;
const READ_MS = 10_000;
const AGAIN_MS = 300;
/** A refusal of what was asked, and not of asking now. */
const REFUSED = /^\w+ \S+: 4(?!29)\d\d /;

export class Caller {
  readonly #installation: Installation;
  #turn = 0;

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  /** What may be asked for twice. Throws what the interface refuses, and after four minutes. */
  async call<T>(what: string, ask: (client: InterfaceClient) => Promise<T>): Promise<T> {
    const giveUpMs = performance.now() + GIVE_UP_MS;
    for (;;) {
      const host = COORDINATORS[this.#turn++ % COORDINATORS.length] ?? 'c1';
      try {
        return await ask(this.#installation.client(host));
      } catch (error) {
        if (error instanceof Error && REFUSED.test(error.message)) throw error;
        if (performance.now() > giveUpMs) throw new Error(`nobody answers: ${what}`, { cause: error });
      }
      await sleep(AGAIN_MS);
    }
  }

  /** A coordinator that sleeps is not waited for. */
  get<T>(path: string): Promise<T> {
    return this.call(path, (client) => withTimeout(client.get<T>(path)));
  }

  async list<T>(path: string): Promise<readonly T[]> {
    return this.call(path, async (client) => {
      const records: T[] = [];
      for await (const record of client.all<T>(path)) records.push(record);
      return records;
    });
  }
}

async function withTimeout<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  const timer = new AbortController();
  const late = sleep(READ_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no answer for ${READ_MS} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    timer.abort();
  }
}
