/** The description of a setting. */

/** The program that reads a setting; `up` reads all. */
export type Reader = 'coordinator' | 'agent';

export interface Setting {
  readonly name: string;
  readonly readers: readonly Reader[];
  readonly description: string;
  /** The default, as text for the documentation. Computed defaults are in config.ts. */
  readonly defaultText: string;
  /** Secrets come from the environment only: the arguments of a process can be read by everyone. */
  readonly isSecret?: boolean;
}
