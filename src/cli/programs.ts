/** The service programs that the command line starts: all three run until they get a signal to stop. */
import type { Command, Config } from '../config/config.ts';
import type { Logger } from '../lib/logger.ts';
import type { Secret } from '../lib/secret.ts';

export const SERVICES = ['up', 'coordinator', 'agent'] as const satisfies Command[];

export interface RunContext {
  readonly log: Logger;
  /** Fires at the first Ctrl-C or SIGTERM: accept nothing new, finish calls in progress, return. Tasks continue. */
  readonly draining: AbortSignal;
  /** Fires at the second, or when draining took too long: close everything now. */
  readonly forced: AbortSignal;
  /** Prints the password of the first account, which is shown only once. */
  firstPassword(password: Secret): void;
  /** Prints the line on standard output that says it is ready. */
  ready(url: string): void;
}

/** Resolves when it has ended normally; rejects with an AppError if it cannot start. */
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
