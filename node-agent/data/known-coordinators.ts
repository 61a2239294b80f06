/**
 * Addresses of coordinators, from the settings and from coordinators; the latter are kept in the agent's folder. One
 * address is therefore enough for the first start, and every coordinator may be replaced.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Logger } from '../../src/observe/log.ts';

/** limit: further addresses are dropped. */
const ADDRESSES_MAX = 100;

export class KnownCoordinators {
  readonly #path: string;
  readonly #given: readonly string[];
  readonly #log: Logger;
  #announced: readonly string[];

  private constructor(path: string, given: readonly string[], announced: readonly string[], log: Logger) {
    this.#path = path;
    this.#given = given;
    this.#announced = announced;
    this.#log = log;
  }

  static async open(path: string, given: readonly string[], log: Logger): Promise<KnownCoordinators> {
    const text = await readFile(path, 'utf8').catch(() => ''); // none was sent yet
    return new KnownCoordinators(path, given, listed(text.split('\n')), log);
  }

  /** At least one, without duplicates; those of the settings first. */
  get addresses(): readonly string[] {
    return [...new Set([...this.#given, ...this.#announced])];
  }

  /** Replaces the addresses from coordinators. Addresses from the settings are always kept. */
  async learn(addresses: readonly string[]): Promise<void> {
    const announced = listed(addresses);
    if (announced.length === 0 || announced.join() === this.#announced.join()) return;
    this.#announced = announced;
    this.#log.info('coordinators_kept', { addresses: announced });
    await writeFile(`${this.#path}.new`, `${announced.join('\n')}\n`, { mode: 0o600 });
    await rename(`${this.#path}.new`, this.#path);
  }
}

/** Sorted, so that equal lists in another order are equal texts. */
function listed(lines: readonly string[]): readonly string[] {
  const addresses = lines.filter((line) => /^[\w.:[\]/-]{3,300}$/.test(line));
  return [...new Set(addresses)].sort().slice(0, ADDRESSES_MAX);
}
