/**
 * Warnings of a coordinator about itself. They are stored, so that every coordinator can show those of all, with the
 * times at which they began.
 */
import type { NodeCondition } from '../../domain/node/node.ts';
import type { Logger } from '../../lib/logger.ts';
import {
  type CoordinatorWarning,
  type ReportedWarning,
  reportWarnings,
  SETTLED_MS,
} from '../../store/coordinator/warnings.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { BusTrouble } from '../../transport/linked-transport.ts';

export interface CoordinatorWarningParts {
  readonly sql: Sql;
  /** Id of this coordinator. */
  readonly self: string;
  /** Stays the same after a restart, and belongs to no other coordinator. */
  readonly place: string;
  /** Whether the interface can be reached from other machines, and needs no login. */
  readonly isOpenToAll: boolean;
  readonly bus: { trouble(): BusTrouble | undefined };
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** The interval at which a coordinator updates its rows. */
const EVERY_MS = 5_000;
const NATS = 'NATS_UNAVAILABLE';
const OPEN = 'AUTHENTICATION_OFF';

export class CoordinatorWarnings {
  readonly #parts: CoordinatorWarningParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #begunMs: number;
  /** The warnings in the rows, as text; undefined if the rows have to be written again in any case. */
  #reported: string | undefined;
  #problem = '';

  constructor(parts: CoordinatorWarningParts) {
    this.#parts = parts;
    this.#begunMs = parts.nowMs();
  }

  /** Updates the rows every few seconds until it is closed. A failure is logged once and tried again. */
  follow(): void {
    if (this.#isClosed) return;
    this.#running = this.#step().then(() => {
      if (!this.#isClosed) this.#timer = setTimeout(() => this.follow(), EVERY_MS);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Writes changes since the last update to the rows. */
  async writeChanges(): Promise<void> {
    const warnings = this.#current();
    if (wordsOf(warnings) !== this.#reported) await this.#report(warnings);
  }

  async #step(): Promise<void> {
    try {
      const warnings = this.#current();
      if (warnings.length > 0 || this.#reported !== '') await this.#report(warnings);
      this.#problem = '';
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) this.#parts.log.warn('coordinator_warnings_not_recorded', { problem });
      this.#problem = problem;
    }
  }

  async #report(warnings: readonly ReportedWarning[]): Promise<void> {
    const { sql, self, place, nowMs } = this.#parts;
    const upMs = Math.max(0, nowMs() - this.#begunMs);
    await reportWarnings(sql, { id: self, place, upMs }, warnings);
    this.#reported = upMs < SETTLED_MS && warnings.length === 0 ? undefined : wordsOf(warnings);
  }

  #current(): readonly ReportedWarning[] {
    const { isOpenToAll, bus, nowMs } = this.#parts;
    const trouble = bus.trouble();
    const open = { name: OPEN, reason: '', ageMs: 0, isShared: true };
    return [
      ...(isOpenToAll ? [open] : []),
      ...(trouble === undefined
        ? []
        : [
            {
              name: NATS,
              reason: trouble.reason,
              ageMs: Math.max(0, nowMs() - trouble.sinceMs),
              isShared: false,
            },
          ]),
    ];
  }
}

function wordsOf(warnings: readonly ReportedWarning[]): string {
  return warnings.map(({ name, reason }) => `${name} ${reason}`).join('\n');
}

/** The warnings of this coordinator for readiness checks. */
export function readinessWarnings(
  trouble: BusTrouble | undefined,
): readonly { readonly name: string; readonly description: string }[] {
  return trouble === undefined ? [] : [{ name: NATS, description: busDescription(trouble.reason) }];
}

function busDescription(reason: string): string {
  return (
    `${reason}: coordinators use gRPC with each other until NATS works again. ` +
    'Queues of object stores in NATS are not read; their workspaces are listed instead.'
  );
}

/** NATS is unavailable: one warning for each coordinator. */
export function busConditions(warnings: readonly CoordinatorWarning[]): readonly NodeCondition[] {
  return warnings
    .filter(({ name }) => name === NATS)
    .map(({ name, coordinator, reason, startedMs, seenMs: lastUpdatedMs }) => {
      const description = `Coordinator ${coordinator}: ${busDescription(reason)}`;
      return { name, title: 'NATS Unavailable', description, startedMs, lastUpdatedMs };
    });
}

/** The interface needs no login: one warning for all coordinators, with the time of the first. */
export function accessConditions(warnings: readonly CoordinatorWarning[]): readonly NodeCondition[] {
  const open = warnings.filter(({ name }) => name === OPEN);
  if (open.length === 0) return [];
  const where = open.map(({ coordinator }) => coordinator).join(', ');
  const description =
    `MILLRACE_AUTH is off-beyond-loopback at ${where}: ` +
    'everybody who reaches this service may run commands with it.';
  const startedMs = Math.min(...open.map((one) => one.startedMs));
  const lastUpdatedMs = Math.max(...open.map((one) => one.seenMs));
  return [{ name: OPEN, title: 'Authentication Off', description, startedMs, lastUpdatedMs }];
}
