/** Retries pulls after failures of the registry, but not after refusals. */

import { parseReference } from '../../src/domain/task/image-reference.ts';
import type { Logger } from '../../src/observe/log.ts';
import { type Clock, pause } from '../clock.ts';
import { TaskFailure } from '../task/task-failure.ts';

const TRIES_MAX = 4;
const FIRST_PAUSE_MS = 1_000;
const DETAIL_CHARS_MAX = 500;

/** A pull that would fail again in the same way. */
class Refused extends Error {}

const REFUSALS =
  /unauthorized|denied|authentication required|manifest unknown|not found|no such image|invalid reference|unsupported/i;

/** The failure of one try for `pullTries`: final if the registry refused. */
export function pullFailure(status: number | undefined, message: string): Error {
  const isRefusal = (status !== undefined && status >= 400 && status < 404) || REFUSALS.test(message);
  return isRefusal ? new Refused(message) : new Error(message);
}

/** Tries with pauses of 1, 2 and 4 seconds. Throws TaskFailure `pull` with the last error. */
export async function pullTries(
  { image, clock, log }: { readonly image: string; readonly clock: Clock; readonly log: Logger },
  once: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await once();
      return;
    } catch (error) {
      const detail = (error instanceof Error ? error.message : 'unknown').slice(0, DETAIL_CHARS_MAX);
      if (error instanceof Refused || attempt >= TRIES_MAX)
        throw new TaskFailure('pull', `${whatFailed(image)}: ${detail}${processHint(image)}`);
      log.info('pull_tried_again', { image, attempt, detail });
      await pause(clock, FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

function whatFailed(image: string): string {
  const registry = parseReference(image)?.registry;
  return `the image ${image} could not be pulled${registry === undefined ? '' : ` from ${registry}`}`;
}

/** A hint for an image name that looks like a profile of the process executor. */
export function processHint(image: string): string {
  return /^pro[a-z]{2,6}([:/_.-]|$)/i.test(image) ? ' (did you mean process:default?)' : '';
}
