/** Whether a container that has ended was killed because of its memory limit. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { type Clock, pause } from '../../clock.ts';
import { KILLED_CODE } from '../executor.ts';

/** limit: how long the engine is listened to after the end of a container that was killed. */
const NEWS_MS = 2_000;

/**
 * The engine hears of the kernel's kill and of the container's end apart. On a busy host the end can come first, and
 * its description then says for ever that it was another kill. The engine's events still tell.
 */
export async function wasOutOfMemory(
  engine: Docker,
  { Id, State, HostConfig }: Docker.ContainerInspectInfo,
  clock: Clock,
): Promise<boolean> {
  const isUnclear = State.ExitCode === KILLED_CODE && (HostConfig.Memory ?? 0) > 0;
  if (State.OOMKilled || !isUnclear) return State.OOMKilled;
  const waited = new AbortController();
  let events: Readable | undefined;
  try {
    events = (await engine.getEvents({
      since: Math.floor(Date.parse(State.StartedAt) / 1000),
      filters: { container: [Id], event: ['oom'] },
    })) as Readable;
    return await Promise.race([
      once(events, 'data', { signal: waited.signal }).then(() => true),
      pause(clock, NEWS_MS, waited.signal).then(() => false),
    ]);
  } catch {
    return false; // the engine does not tell
  } finally {
    waited.abort();
    events?.destroy();
  }
}
