/** What a setting is. */

/** Who reads a setting; `up` reads all. */
export type Reader = 'coordinator' | 'agent';

export interface Setting {
  readonly name: string;
  readonly readers: readonly Reader[];
  readonly description: string;
  /**
   * What happens without it, as documentation; the value itself is config.ts's business when it is computed.
   */
  readonly defaultText: string;
  /** Secrets come from the environment only: the arguments of a process can be read by everyone. */
  readonly isSecret?: boolean;
}
