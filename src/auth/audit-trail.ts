/**
 * Writes the audit: requests at the same moment share a statement. A row is saved before its work begins; its status is
 * saved afterwards, and nothing waits for that.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../lib/logger.ts';
import { type AuditEntry, type AuditOutcome, beginAudit, finishAudit } from '../store/audit/save.ts';
import type { Sql } from '../store/sql/sql.ts';

/** limit: rows of a statement. */
const ROWS_MAX = 500;
/** limit: statuses that wait for the database; further ones are dropped, and their rows stay without one. */
const OUTCOMES_MAX = 10_000;
/**
 * Nothing waits for a status, so the statuses of this interval are one commit. A killed coordinator loses at most
 * these.
 */
const OUTCOMES_MS = 25;

export interface AuditTrail {
  /** Resolves with the id of the row once it is saved. Throws STORE_UNAVAILABLE or QUERY_TOO_SLOW. */
  begin(entry: AuditEntry): Promise<number>;
  finish(outcome: AuditOutcome): void;
  /** Resolves when the statuses so far are saved, or could not be. */
  settle(): Promise<void>;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

export function createAuditTrail(sql: Sql, log: Pick<Logger, 'warn'>): AuditTrail {
  const entries: Waiting[] = [];
  const outcomes: AuditOutcome[] = [];
  let isBeginning = false;
  let finishing: Promise<void> | undefined;

  const beginAll = async (): Promise<void> => {
    isBeginning = true;
    while (entries.length > 0) {
      const some = entries.splice(0, ROWS_MAX);
      try {
        const ids = await beginAudit(
          sql,
          some.map(({ entry }) => entry),
        );
        for (const [index, { resolve }] of some.entries()) resolve(ids[index] ?? 0);
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    isBeginning = false;
  };
  const finishAll = async (): Promise<void> => {
    while (outcomes.length > 0) {
      await sleep(OUTCOMES_MS);
      const some = outcomes.splice(0, ROWS_MAX);
      try {
        await finishAudit(sql, some);
      } catch (error) {
        log.warn('audit_outcomes_missing', { count: some.length, error });
      }
    }
    finishing = undefined;
  };
  return {
    begin: (entry) =>
      new Promise((resolve, reject) => {
        entries.push({ entry, resolve, reject });
        if (!isBeginning) void beginAll();
      }),
    finish(outcome) {
      if (outcomes.length >= OUTCOMES_MAX) return;
      outcomes.push(outcome);
      finishing ??= finishAll();
    },
    async settle() {
      await finishing;
    },
  };
}
