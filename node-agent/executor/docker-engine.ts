/**
 * The container engine: connecting to it, what its failures mean, pulling images. One of two files that know
 * dockerode.
 */
import Docker from 'dockerode';
import { type Clock, pause } from '../clock.ts';
import { TaskFailure } from '../task/task-failure.ts';

const PULL_TRIES = 3;
const PULL_PAUSE_MS = 2_000;
const ENGINE_RETRY_MS = 1_000;
/** How long a call waits for an engine that is being restarted. */
const ENGINE_WAIT_MS = 2 * 60_000;

/** `unix:///var/run/docker.sock` or `tcp://host:2375`. */
export function connectEngine(host: string): Docker {
  if (host.startsWith('unix://')) return new Docker({ socketPath: host.slice('unix://'.length) });
  const { hostname, port } = new URL(host);
  return new Docker({ protocol: 'http', host: hostname, port: Number(port || 2375) });
}

/** HTTP status that the engine answered; undefined when it did not answer. */
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
 * Repeats a call that may be repeated while the engine does not answer; its answers, refusals too, are passed
 * on.
 */
export async function patiently<T>(clock: Clock, call: () => Promise<T>): Promise<T> {
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

/** Makes the image present. Several tasks that want one image share its pull. Throws TaskFailure `pull`. */
export class ImagePulls {
  readonly #engine: Docker;
  readonly #clock: Clock;
  readonly #running = new Map<string, Promise<void>>();

  constructor(engine: Docker, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  pull(image: string, signal: AbortSignal): Promise<void> {
    let running = this.#running.get(image);
    if (running === undefined) {
      running = this.#ensure(image).finally(() => this.#running.delete(image));
      this.#running.set(image, running);
    }
    // Whoever is cancelled goes; the pull goes on for the others.
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      running.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  async #ensure(image: string): Promise<void> {
    if (await this.#isPresent(image)) return;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#pullOnce(withTag(image));
        return;
      } catch (error) {
        if (attempt >= PULL_TRIES) throw new TaskFailure('pull', `the image ${image}: ${messageOf(error)}`);
        await pause(this.#clock, PULL_PAUSE_MS * attempt);
      }
    }
  }

  async #isPresent(image: string): Promise<boolean> {
    try {
      await patiently(this.#clock, () => this.#engine.getImage(image).inspect());
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw new TaskFailure('pull', `the engine cannot look for ${image}: ${messageOf(error)}`);
    }
  }

  /** The engine answers 200 before it has begun; what goes wrong is a line among those of its progress. */
  async #pullOnce(image: string): Promise<void> {
    const stream = await this.#engine.pull(image);
    let rest = '';
    for await (const piece of stream) {
      const lines = (rest + String(piece)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) throwIfError(line);
    }
    throwIfError(rest);
  }
}

function throwIfError(line: string): void {
  if (line.trim() === '') return;
  const { error } = JSON.parse(line) as { error?: string };
  if (error !== undefined) throw new Error(error);
}

/** Without a tag the engine would pull them all. */
function withTag(image: string): string {
  const last = image.slice(image.lastIndexOf('/') + 1);
  return last.includes(':') || last.includes('@') ? image : `${image}:latest`;
}
