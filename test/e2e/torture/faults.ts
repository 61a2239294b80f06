/** What is done to an installation, one thing at a time, at moments and in an order that a seed draws. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Seeded } from '../harness/work/seeded.ts';
import type { Draw, Fault } from './fault.ts';
import { AGENTS, COORDINATORS, type DiskName, type Host, type Installation } from './installation.ts';
import { SERVICE_FAULTS } from './service-faults.ts';

const MS_MIN = 500;
/** Longer than a lease, and than a node may be silent. */
const MS_MAX = 12_000;
/** Where there is no time for that. */
const HURRIED_MS_MAX = 4_000;
const HURRY_MS = 60_000;
/** Certificates are valid from five minutes before they are made: of a clock further behind nobody accepts one. */
const CLOCK_SECONDS_MAX = 240;

async function killed(all: Installation, host: Host, { random }: Draw): Promise<string> {
  await all.kill(host);
  await sleep(random.between(MS_MIN, MS_MAX) / 4);
  await all.start(host);
  return host;
}

async function cut(
  all: Installation,
  draw: Draw,
  pairs: readonly (readonly [Host, Host])[],
): Promise<string> {
  const { hosts } = all;
  const each = (what: 'cut' | 'heal') => {
    for (const [one, other] of pairs) hosts[what](one, other);
  };
  const text = await draw.during(
    () => each('cut'),
    () => each('heal'),
  );
  return `${pairs.map((pair) => pair.join(' and ')).join(', ')}, ${text}`;
}

async function slept(all: Installation, host: Host, draw: Draw): Promise<string> {
  const program = all.program(host);
  const text = await draw.during(
    () => program.signal('SIGSTOP'),
    () => program.signal('SIGCONT'),
  );
  return `${host}, ${text}`;
}

async function filled(all: Installation, name: DiskName, draw: Draw): Promise<string> {
  const disk = all.disks[name];
  return draw.during(
    () => disk.fill(),
    () => disk.free(),
  );
}

/** Killed, and started again on a disk without room: it comes up all the same, and says so. */
async function startedOnFullDisk(all: Installation, host: 'a2' | 'c1'): Promise<string> {
  await all.kill(host);
  const disk = all.disks[host];
  disk.fill();
  try {
    await all.start(host);
  } finally {
    disk.free();
  }
  return host;
}

/** Killed, and started again while what it stands on is away; without PostgreSQL it waits. */
async function startedWithout(
  all: Installation,
  host: Host,
  draw: Draw,
  { take, give }: { readonly take: () => void | Promise<void>; readonly give: () => void | Promise<void> },
): Promise<string> {
  await all.kill(host);
  const text = await draw.during(async () => {
    await take();
    all.launch(host);
  }, give);
  await all.program(host).ready();
  return `${host}, ${text}`;
}

function clockStepped({ clocks }: Installation, { random, pick }: Draw): string {
  if (clocks.missing !== undefined) return clocks.missing;
  const host = pick([...COORDINATORS, ...AGENTS]);
  const seconds = Math.round(random.between(-CLOCK_SECONDS_MAX, CLOCK_SECONDS_MAX));
  clocks.step(host, seconds);
  return `${host}, by ${seconds} s until its next step`;
}

/** A container in the middle of its work; undefined when none comes in time. */
async function runningContainer(all: Installation): Promise<string | undefined> {
  for (let look = 0; look < 50; look += 1) {
    const found = (await all.ownContainers()).find((one) => one.state === 'running');
    if (found !== undefined) return found.id;
    await sleep(100);
  }
  return undefined;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  ...SERVICE_FAULTS,
  'coordinator killed': (all, draw) => killed(all, draw.pick(COORDINATORS), draw),
  'agent killed': (all, draw) => killed(all, draw.pick(AGENTS), draw),
  'coordinator stopped and continued': (all, draw) => slept(all, draw.pick(COORDINATORS), draw),
  'agent stopped and continued': (all, draw) => slept(all, draw.pick(AGENTS), draw),
  'agent cut from a coordinator': (all, draw) =>
    cut(all, draw, [[draw.pick(AGENTS), draw.pick(COORDINATORS)]]),
  'agent cut from all coordinators': (all, draw) => {
    const agent = draw.pick(AGENTS);
    return cut(
      all,
      draw,
      COORDINATORS.map((one) => [agent, one]),
    );
  },
  'coordinators cut from each other': (all, draw) => cut(all, draw, [['c1', 'c2']]),
  'agent started on a full disk': (all) => startedOnFullDisk(all, 'a2'),
  'coordinator started on a full disk': (all) => startedOnFullDisk(all, 'c1'),
  'coordinator started without NATS': (all, draw) =>
    startedWithout(all, draw.pick(COORDINATORS), draw, {
      take: () => all.nats.end(),
      give: () => all.nats.begin(),
    }),
  'coordinator started without PostgreSQL': (all, draw) =>
    startedWithout(all, draw.pick(COORDINATORS), draw, {
      take: () => all.database.relay.cut(),
      give: () => all.database.relay.heal(),
    }),
  'clock stepped': async (all, draw) => clockStepped(all, draw),
  "agent's disk full": (all, draw) => filled(all, 'a2', draw),
  "coordinator's disk full": (all, draw) => filled(all, 'c1', draw),
  'disk of a workspace full': (all, draw) => filled(all, 'archive', draw),
  'container killed': async (all) => {
    const id = await runningContainer(all);
    if (id === undefined) return 'none ran';
    await all.containers.engine
      .getContainer(id)
      .kill({ signal: 'SIGKILL' })
      .catch(() => undefined); // it has ended since
    return id.slice(0, 12);
  },
  'agent killed while a container runs': async (all, draw) => {
    const id = await runningContainer(all);
    return `${await killed(all, 'a1', draw)}${id === undefined ? ', none ran' : ''}`;
  },
};

/** Faults until the time is over; each first once, in an order of the seed, then any. Resolves with the kinds. */
export async function torture(
  all: Installation,
  random: Seeded,
  { ms, say }: { readonly ms: number; readonly say: (text: string) => void },
): Promise<readonly string[]> {
  const endMs = performance.now() + ms;
  const msMax = ms < HURRY_MS ? HURRIED_MS_MAX : MS_MAX;
  const draw: Draw = {
    random,
    pick: (choices) => choices[Math.floor(random.next() * choices.length)] as (typeof choices)[number],
    during: async (begin, end, most = msMax) => {
      const forMs = Math.round(random.between(MS_MIN, Math.min(most, msMax)));
      await begin();
      try {
        await sleep(forMs);
      } finally {
        await end();
      }
      return `${forMs} ms`;
    },
  };
  const wanted = process.env.TORTURE_FAULTS;
  const kinds = Object.keys(FAULTS).filter((kind) => wanted === undefined || new RegExp(wanted).test(kind));
  const done: string[] = [];
  let deck: string[] = [];
  while (performance.now() < endMs) {
    if (deck.length === 0) deck = [...kinds];
    const [kind = ''] = deck.splice(Math.floor(random.next() * deck.length), 1);
    say(`${kind} ...`);
    say(`${kind}: ${await FAULTS[kind]?.(all, draw)}`);
    done.push(kind);
    await sleep(random.between(0, msMax / 6));
  }
  return done;
}
