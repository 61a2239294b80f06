/** The larger faults of a simulated world: drawn from the seed, each over after a while. */
import type { SimAgent } from './agent/agent.ts';
import type { SimHost } from './agent/host.ts';
import { QUEUE } from './coordinator/readers.ts';
import { POWER_FAULTS } from './power-faults.ts';
import { RESOURCES, SLOTS, WORKSPACE, workspaceUuid } from './scenario.ts';
import type { Seeded } from './seeded.ts';
import type { SimProcess } from './sim-process.ts';
import { START_FAULTS, WAY_FAULTS } from './way-faults.ts';
import type { World } from './world.ts';

const LEASE_MS = 7_000;

const KINDS = [
  'scheduler',
  'node',
  'strike',
  'scan',
  'recipe',
  'job',
  'job_request',
  'batch',
  'purge',
] as const;

type Fault = (world: World, forMs: number) => void;

const FAULTS: Readonly<Record<string, Fault>> = {
  coordinatorKilled(world, forMs) {
    const slot = pickSlot(world);
    world.killCoordinator(slot);
    world.time.after(forMs, () => world.startCoordinator(slot));
  },
  /** SIGSTOP: its leases lapse while it believes that it still runs. */
  coordinatorStopped(world, forMs) {
    const process = world.coordinators.get(pickSlot(world))?.process;
    stop(world, process, forMs);
  },
  /** It dies on its way through a commit: before it, between save and send, or right after what it sent. */
  coordinatorDiesAtCommit(world, forMs) {
    const slot = pickSlot(world);
    const at = world.random.pick(['before', 'saved', 'sent'] as const) ?? 'saved';
    world.cables.doom(slot, at, () => {
      world.killCoordinator(slot);
      world.time.after(forMs, () => world.startCoordinator(slot));
    });
  },
  /** It dies with a file written that nothing on its disk knows of. */
  agentDiesAtWrite(world, forMs) {
    const host = pickHost(world);
    host.onWrite = () => {
      host.onWrite = () => undefined;
      world.killAgent(host.nodeId);
      world.time.after(forMs, () => world.startAgent(host));
    };
  },
  queueCut(world, forMs) {
    partition(world, pickSlot(world), QUEUE, forMs);
  },
  /** Its last commits arrive when another has long had its leases. */
  commitOutlivesOwner(world, forMs) {
    const slot = pickSlot(world);
    world.cables.hold(slot, LEASE_MS + world.random.next() * LEASE_MS);
    world.time.after(world.random.int(500, 4_000), () => {
      world.killCoordinator(slot);
      world.cables.release(slot);
    });
    world.time.after(4_000 + forMs, () => world.startCoordinator(slot));
  },
  databaseCut(world, forMs) {
    const slot = pickSlot(world);
    world.cutDatabase(slot);
    world.time.after(forMs, () => world.joinDatabase(slot));
  },
  busCut(world, forMs) {
    const [one, other] = [pickSlot(world), pickSlot(world)];
    if (one !== other) partition(world, one, other, forMs);
  },
  agentCut(world, forMs) {
    partition(world, pickSlot(world), `host-${pickHost(world).nodeId}`, forMs);
  },
  agentCutOff(world, forMs) {
    const host = `host-${pickHost(world).nodeId}`;
    for (const slot of SLOTS) partition(world, slot, host, forMs);
  },
  agentKilled(world, forMs) {
    const host = pickHost(world);
    world.killAgent(host.nodeId);
    world.time.after(forMs, () => world.startAgent(host));
  },
  agentStopped(world, forMs) {
    const process = pickAgent(world)?.process;
    stop(world, process, forMs);
  },
  agentReplaced(world, forMs) {
    const host = pickHost(world);
    world.killAgent(host.nodeId);
    host.replace();
    world.time.after(forMs, () => world.startAgent(host));
  },
  agentImpersonated(world, forMs) {
    world.impersonate(pickHost(world).nodeId, forMs);
  },
  clockJumps(world) {
    const { random } = world;
    const isAgents = random.chance(0.3);
    const wall = isAgents ? pickHost(world).wall : world.walls.get(pickSlot(world));
    if (wall === undefined) return;
    wall.offMs = random.int(-120_000, 120_000);
    if (isAgents) world.disturbClocks();
  },
  workspaceGone(world, forMs) {
    const host = pickHost(world);
    const uuid = world.random.pick([...host.mounts]);
    if (uuid === undefined) return;
    host.mounts.delete(uuid);
    world.time.after(forMs, () => host.mounts.add(uuid));
  },
  /** Nobody reaches it: what serves it is away. */
  workspaceLost(world, forMs) {
    const uuid = workspaceUuid(world.random.pick(Object.values(WORKSPACE)) ?? WORKSPACE.in);
    const hosts = world.hosts.filter((host) => host.mounts.delete(uuid));
    world.time.after(forMs, () => {
      for (const host of hosts) host.mounts.add(uuid);
    });
  },
  wordsLost(world, forMs) {
    const kind = world.random.pick(KINDS) ?? 'node';
    world.cables.muffle(kind);
    world.time.after(forMs, () => world.cables.unmuffle(kind));
  },
  diskFull(world, forMs) {
    const host = pickHost(world);
    host.isFull = true;
    host.errors = world.random.chance(0.5) ? ['DISK_FULL'] : [];
    world.time.after(forMs, () => {
      host.isFull = false;
      host.errors = [];
    });
  },
  limitsShrunken(world, forMs) {
    const host = pickHost(world);
    host.resources = { ...RESOURCES, cpus: world.random.int(0, 2) };
    world.time.after(forMs, () => {
      host.resources = { ...RESOURCES };
    });
  },
  watcherOverflows(world, forMs) {
    const watches = pickAgent(world)?.watches;
    if (watches === undefined) return;
    watches.isOverflowing = true;
    world.time.after(forMs, () => {
      watches.isOverflowing = false;
    });
  },
};

const NAMES = Object.keys(FAULTS);

/** Counts what it did, by the names of faults. */
export class Faults {
  readonly counts = new Map<string, number>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  strike(): void {
    const { random } = this.#world;
    const [name, forMs] = this.#draw(random, NAMES);
    FAULTS[name]?.(this.#world, forMs);
  }

  /** A start without the database. */
  start(): void {
    const [name, forMs] = this.#draw(this.#world.starts, Object.keys(START_FAULTS));
    START_FAULTS[name]?.(this.#world, forMs);
  }

  /** A fault of the ways between coordinators, where they have such. */
  way(): void {
    const { ways } = this.#world;
    if (ways === undefined) return;
    const [name, forMs] = this.#draw(ways.random, Object.keys(WAY_FAULTS));
    WAY_FAULTS[name]?.(this.#world, ways, forMs);
  }

  /** Some are over before anybody noticed, some outlast every lease and every patience. */
  #draw(random: Seeded, names: readonly string[]): [name: string, forMs: number] {
    const name = random.pick(names) as string;
    this.#count(name);
    return [name, 50 * 1_000 ** random.next()];
  }

  /** A host loses power. */
  losePower(): void {
    const [name, forMs] = this.#draw(this.#world.boots, Object.keys(POWER_FAULTS));
    POWER_FAULTS[name]?.(this.#world, forMs);
  }

  /** The database's clock, by up to ten minutes. Small steps are as likely as large ones. */
  stepClock(): void {
    const { clocks, serverClock } = this.#world;
    const byMs = 1_000 * 600 ** clocks.next();
    const isBack = clocks.chance(0.6);
    this.#world.disturbClocks();
    serverClock.step(Math.round(isBack ? -byMs : byMs));
    this.#world.areClocksApart = true;
    this.#count(isBack ? 'databaseClockSteppedBack' : 'databaseClockSetForward');
  }

  #count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
}

function pickSlot(world: World): string {
  return world.random.pick(SLOTS) as string;
}

function pickHost(world: World): SimHost {
  return world.random.pick(world.hosts) as SimHost;
}

function pickAgent(world: World): SimAgent | undefined {
  return world.agents.get(pickHost(world).nodeId);
}

/** SIGSTOP, and SIGCONT: what it says and hears meanwhile is late. */
function stop(world: World, process: SimProcess | undefined, forMs: number): void {
  process?.stop();
  world.time.after(forMs, () => {
    process?.goOn();
    world.disturbClocks();
  });
}

function partition(world: World, one: string, other: string, forMs: number): void {
  world.cables.cut(one, other);
  world.time.after(forMs, () => world.cables.join(one, other));
}
