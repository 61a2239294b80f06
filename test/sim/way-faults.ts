/** Faults of what a coordinator starts with: its database, and the ways to the others. Their draws are their own. */
import type { Ways } from './coordinator/ways.ts';
import { SLOTS } from './scenario.ts';
import type { Seeded } from './seeded.ts';
import type { World } from './world.ts';

type StartFault = (world: World, forMs: number) => void;
type WayFault = (world: World, ways: Ways, forMs: number) => void;

export const START_FAULTS: Readonly<Record<string, StartFault>> = {
  /** It starts while the database does not hear it. */
  startsWithoutDatabase(world, forMs) {
    const slot = pickSlot(world.starts);
    world.cutDatabase(slot);
    restart(world, slot);
    world.time.after(forMs, () => world.joinDatabase(slot));
  },
  /** Half of what the database answers to it is lost while it starts. */
  startsWithAnswersLost(world, forMs) {
    const slot = pickSlot(world.starts);
    world.cables.deafen(slot);
    restart(world, slot);
    world.time.after(forMs, () => world.cables.undeafen(slot));
  },
  /** PostgreSQL is away from all, and some of them are started meanwhile. */
  databaseAway(world, forMs) {
    for (const slot of SLOTS) {
      world.cutDatabase(slot);
      if (world.starts.chance(0.5)) world.time.after(forMs * world.starts.next(), () => restart(world, slot));
    }
    world.time.after(forMs, () => {
      for (const slot of SLOTS) world.joinDatabase(slot);
    });
  },
};

export const WAY_FAULTS: Readonly<Record<string, WayFault>> = {
  /** It takes messages and delivers none. */
  natsFrozen(world, { nats }, forMs) {
    nats.freeze();
    world.time.after(forMs, () => nats.thaw());
  },
  natsAway(world, ways, forMs) {
    ways.nats.kill();
    beginLater(world, ways, forMs);
  },
  /** One connection to NATS breaks. */
  natsDropped(world, { nats, random }, forMs) {
    const id = world.coordinators.get(pickSlot(random))?.id;
    if (id !== undefined) nats.drop(id, forMs);
  },
  startsWithoutNats(world, ways, forMs) {
    ways.nats.kill();
    restart(world, pickSlot(ways.random));
    beginLater(world, ways, forMs);
  },
};

function pickSlot(random: Seeded): string {
  return random.pick(SLOTS) as string;
}

function restart(world: World, slot: string): void {
  world.killCoordinator(slot);
  world.startCoordinator(slot);
}

function beginLater(world: World, ways: Ways, forMs: number): void {
  world.time.after(forMs, () => {
    if (!ways.isAbsent) ways.nats.begin();
  });
}
