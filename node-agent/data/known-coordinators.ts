/**
 * Addresses of coordinators: those of the settings, and those that a coordinator has sent, kept in the agent's folder.
 * One address is therefore enough to start with, and every coordinator may be replaced.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Logger } from '../../src/observe/log.ts';

/** limit: further addresses are dropped. */
const ADDRESSES_MAX = 100;

export class KnownCoordinators {
  readonly #path: string;
  readonly #given: readonly string[];
  readonly #log: Logger;
  #told: readonly string[];

  private constructor(path: string, given: readonly string[], told: readonly string[], log: Logger) {
    this.#path = path;
    this.#given = given;
    this.#told = told;
    this.#log = log;
  }

  static async open(path: string, given: readonly string[], log: Logger): Promise<KnownCoordinators> {
    const text = await readFile(path, 'utf8').catch(() => ''); // none was sent yet
    return new KnownCoordinators(path, given, listed(text.split('\n')), log);
  }

  /** At least one, without duplicates; those of the settings first. */
  get addresses(): readonly string[] {
    return [...new Set([...this.#given, ...this.#told])];
  }

  /** Replaces the learned addresses by those that a coordinator sent. Those of the settings always stay. */
  async learn(addresses: readonly string[]): Promise<void> {
    const told = listed(addresses);
    if (told.length === 0 || told.join() === this.#told.join()) return;
    this.#told = told;
    this.#log.info('coordinators_kept', { addresses: told });
    await writeFile(`${this.#path}.new`, `${told.join('\n')}\n`, { mode: 0o600 });
    await rename(`${this.#path}.new`, this.#path);
  }
}

/** Sorted, so that another order makes no difference. */
function listed(lines: readonly string[]): readonly string[] {
  const addresses = lines.filter((line) => /^[\w.:[\]/-]{3,300}$/.test(line));
  return [...new Set(addresses)].sort().slice(0, ADDRESSES_MAX);
}
