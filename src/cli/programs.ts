/**
 * What the command line asks of the composition root: the three programs that serve until they are told to
 * stop.
 */
import type { Command, Config } from '../config/config.ts';
import type { Logger } from '../lib/logger.ts';
import type { Secret } from '../lib/secret.ts';

export interface RunContext {
  readonly log: Logger;
  /**
   * Fires at the first Ctrl-C or SIGTERM: take nothing new, end the calls that were begun, return. Tasks go on
   * alone.
   */
  readonly draining: AbortSignal;
  /** Fires at the second, or when draining took too long: close everything now. */
  readonly forced: AbortSignal;
  /** Prints the password of the first account, which nobody will see again. */
  firstPassword(password: Secret): void;
  /** Prints the one line of standard output that says it serves. */
  ready(url: string): void;
}

/** Resolves when it has ended in order; rejects with an AppError when it cannot start. */
export type Program = (config: Config, context: RunContext) => Promise<void>;

/** What src/main.ts exports. */
export interface Programs {
  readonly runUp: Program;
  readonly runCoordinator: Program;
  readonly runAgent: Program;
}

export function programOf(programs: Programs, command: Command): Program {
  const byCommand = { up: programs.runUp, coordinator: programs.runCoordinator, agent: programs.runAgent };
  return byCommand[command];
}
