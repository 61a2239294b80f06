/** The container engine: connecting to it, and the meaning of its errors. */
import Docker from 'dockerode';
import { type Clock, pause } from '../../clock.ts';

const ENGINE_RETRY_MS = 1_000;
/** How long a call waits for an engine that is being restarted. */
const ENGINE_WAIT_MS = 2 * 60_000;
/** The client takes what is absent from DOCKER_HOST, which tells other programs where their engine is. */
const NO_ADDRESS = { protocol: 'http', host: undefined, port: undefined, socketPath: undefined } as const;

/** `unix:///var/run/docker.sock` or `tcp://host:2375`. */
export function connectEngine(host: string): Docker {
  if (host.startsWith('unix://'))
    return new Docker({ ...NO_ADDRESS, socketPath: host.slice('unix://'.length) });
  const { hostname, port } = new URL(host);
  return new Docker({ ...NO_ADDRESS, host: hostname, port: Number(port || 2375) });
}

/** HTTP status of the engine's answer; undefined if it did not answer. */
export function engineStatus(error: unknown): number | undefined {
  return (error as { statusCode?: number } | null)?.statusCode;
}

export function isAbsent(error: unknown): boolean {
  return engineStatus(error) === 404;
}

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 500);
}

const NO_ANSWER = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

/**
 * Repeats a repeatable call while the engine does not answer. Answers of the engine, including refusals, are passed on.
 */
export async function untilAnswered<T>(clock: Clock, call: () => Promise<T>): Promise<T> {
  const giveUpMs = clock.nowMs() + ENGINE_WAIT_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!NO_ANSWER.has(code) || clock.nowMs() > giveUpMs) throw error;
      await pause(clock, ENGINE_RETRY_MS);
    }
  }
}
