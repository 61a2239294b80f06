/** What is done to an installation, one thing at a time, at moments and in an order that a seed draws. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Seeded } from '../harness/seeded.ts';
import { AGENTS, COORDINATORS, type Host, type Installation } from './installation.ts';

type Fault = (installation: Installation, random: Seeded) => Promise<string>;

const MS_MIN = 500;
/** Longer than a lease, and than a node may be silent. */
const MS_MAX = 12_000;

function pick<T>(random: Seeded, of: readonly T[]): T {
  return of[Math.floor(random.next() * of.length)] as T;
}

const duration = (random: Seeded): number => Math.round(random.between(MS_MIN, MS_MAX));

async function killed(installation: Installation, host: Host, random: Seeded): Promise<string> {
  await installation.kill(host);
  const ms = duration(random);
  await sleep(ms / 4);
  await installation.start(host);
  return `${host} killed, back after ${Math.round(ms / 4)} ms`;
}

/** For a while, then as before. */
async function during(random: Seeded, begin: () => void, end: () => void): Promise<number> {
  const ms = duration(random);
  begin();
  try {
    await sleep(ms);
  } finally {
    end();
  }
  return ms;
}

const FAULTS: readonly Fault[] = [
  (installation, random) => killed(installation, pick(random, COORDINATORS), random),
  (installation, random) => killed(installation, pick(random, AGENTS), random),
  async (installation, random) => {
    const host = pick(random, [...COORDINATORS, ...AGENTS]);
    const program = installation.program(host);
    const stop = () => program.signal('SIGSTOP');
    const ms = await during(random, stop, () => program.signal('SIGCONT'));
    return `${host} slept ${ms} ms`;
  },
  async (installation, random) => {
    const [agent, coordinator] = [pick(random, AGENTS), pick(random, COORDINATORS)];
    const { hosts } = installation;
    const cut = () => hosts.cut(agent, coordinator);
    const ms = await during(random, cut, () => hosts.heal(agent, coordinator));
    return `${agent} and ${coordinator} apart for ${ms} ms`;
  },
  async (installation, random) => {
    const { hosts } = installation;
    const agent = pick(random, AGENTS);
    const each = (what: 'cut' | 'heal') => {
      for (const one of COORDINATORS) hosts[what](agent, one);
    };
    const ms = await during(
      random,
      () => each('cut'),
      () => each('heal'),
    );
    return `${agent} alone for ${ms} ms`;
  },
  async (installation, random) => {
    const { hosts } = installation;
    const cut = () => hosts.cut('c1', 'c2');
    const ms = await during(random, cut, () => hosts.heal('c1', 'c2'));
    return `coordinators apart for ${ms} ms`;
  },
  async ({ relay }) => {
    relay.reset();
    return 'connections of the database reset';
  },
  async ({ relay }, random) => {
    const ms = await during(
      random,
      () => relay.cut(),
      () => relay.heal(),
    );
    return `database out of reach for ${ms} ms`;
  },
  async (installation) => {
    await installation.restartDatabase();
    return 'database restarted';
  },
  async (installation, random) => {
    await installation.stopNats();
    const ms = duration(random);
    await sleep(ms);
    installation.startNats();
    return `NATS away for ${ms} ms`;
  },
];

/** Faults until the time is over; each first once, in an order of the seed, then any. Resolves with what was done. */
export async function torture(
  installation: Installation,
  random: Seeded,
  { ms, say }: { readonly ms: number; readonly say: (text: string) => void },
): Promise<readonly string[]> {
  const endMs = performance.now() + ms;
  const done: string[] = [];
  let deck: Fault[] = [];
  while (performance.now() < endMs) {
    if (deck.length === 0) deck = [...FAULTS];
    const [fault] = deck.splice(Math.floor(random.next() * deck.length), 1);
    const what = await (fault as Fault)(installation, random);
    done.push(what);
    say(what);
    await sleep(random.between(0, 2_000));
  }
  return done;
}
