/**
 * Losses of power, drawn apart from all other faults: a host goes down with all that runs on it and with what it had
 * not synced, mostly right after a task has begun. Some are back before their sessions are missed, some long after.
 */
import type { SimHost } from './agent/host.ts';
import type { World } from './world.ts';

const AT_BEGIN = 0.8;
const SAVED_LATE_MS = 4_000;

type PowerFault = (world: World, forMs: number) => void;

export const POWER_FAULTS: Readonly<Record<string, PowerFault>> = {
  hostLosesPower(world, forMs) {
    losePower(world, forMs, () => undefined);
  },
  /** The coordinator that has the node goes down with it, and is back sooner. Another takes the node. */
  hostAndCoordinatorLosePower(world, forMs) {
    losePower(world, forMs, ({ nodeId }) => {
      const slot = world.slotOf('node', nodeId);
      if (slot === undefined) return;
      world.killCoordinator(slot);
      world.time.after(forMs * world.boots.next(), () => world.startCoordinator(slot));
    });
  },
  /** The coordinator that has the node dies at a commit when the host is back. */
  coordinatorDiesAtReturn(world, forMs) {
    losePower(world, forMs, ({ nodeId }) => {
      world.time.after(forMs, () => world.doomOwner('node', nodeId, world.boots, 1));
    });
  },
  /**
   * An agent of an earlier version, which names no boot, and the present one again, which greets before the hello of
   * the other is saved. Then the host loses power.
   */
  hostLosesPowerAfterDowngrade(world, forMs) {
    const { boots, time } = world;
    const host = boots.pick(world.hosts) as SimHost;
    const { nodeId } = host;
    const slot = world.slotOf('node', nodeId);
    world.killAgent(nodeId);
    world.startAgent(host, false);
    if (slot !== undefined) world.cables.hold(slot, SAVED_LATE_MS);
    time.after(boots.int(20, SAVED_LATE_MS / 2), () => {
      world.killAgent(nodeId);
      world.startAgent(host, true);
      losePower(world, forMs, () => undefined, host);
    });
    time.after(SAVED_LATE_MS, () => slot !== undefined && world.cables.release(slot));
  },
};

function losePower(
  world: World,
  forMs: number,
  andThen: (host: SimHost) => void,
  host = world.boots.pick(world.hosts) as SimHost,
): void {
  const { boots, time } = world;
  const lose = (): void => {
    host.onBegun = () => undefined;
    world.killAgent(host.nodeId);
    host.losePower(boots);
    time.after(forMs, () => world.startAgent(host));
    andThen(host);
  };
  if (boots.chance(AT_BEGIN)) host.onBegun = lose;
  else lose();
}
