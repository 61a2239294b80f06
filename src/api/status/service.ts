/**
 * The state of the installation. It is read on request, at most every two seconds for all callers. If it cannot be
 * read, the last state is returned for up to twelve seconds.
 */
import { SCHEDULER } from '../../actors/scheduler/scheduler.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { NodeCondition } from '../../domain/node/node.ts';
import { resourceWord } from '../../domain/scheduling/amount-text.ts';
import type { System } from '../../kernel/mod.ts';
import { loadSettings } from '../../store/scheduler/load.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';
import {
  endedExecutions,
  recentWork,
  type StatusFacts,
  type StatusJobType,
  statusFacts,
  statusJobTypes,
  statusNodes,
} from '../../store/status/facts.ts';
import type { BusState } from '../../transport/linked-transport.ts';
import { RecentReading } from '../shared/recent-reading.ts';
import { accessConditions, busConditions, type CoordinatorWarnings } from './coordinator-warnings.ts';
import { statusDocument } from './document.ts';
import { BLOCK_MS, ExecutionWindow } from './execution-window.ts';
import type { StatusDocument } from './schema.ts';

export interface StatusParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  readonly system: Pick<System, 'ownerOf' | 'stats'>;
  readonly nowMs: () => number;
  /** The warnings of this coordinator. */
  readonly warnings: Pick<CoordinatorWarnings, 'writeChanges'>;
  /** Name of the cluster. */
  readonly cluster: string;
  /** The connections between coordinators. */
  readonly bus: Pick<BusState, 'type'>;
}

const FRESH_MS = 2_000;
const STALE_MS = 12_000;
/** How long a caller waits for a read, before it gets the last state. */
const PATIENCE_MS = 5_000;
const RECENT_MS = 10_000;

export class StatusKeeper {
  readonly #parts: StatusParts;
  readonly #window: ExecutionWindow;
  readonly #documents: RecentReading<Omit<StatusDocument, 'job_types'>>;
  readonly #jobTypes: RecentReading<readonly StatusJobType[]>;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    this.#window = new ExecutionWindow((sinceMs) => endedExecutions(parts.sql, sinceMs, BLOCK_MS));
    const options = {
      nowMs: parts.nowMs,
      ...{ freshMs: FRESH_MS, staleMs: STALE_MS, patienceMs: PATIENCE_MS },
      late: 'the state of the installation could not be read in time',
    };
    this.#documents = new RecentReading({ ...options, read: () => this.#refresh() });
    this.#jobTypes = new RecentReading({ ...options, read: () => statusJobTypes(parts.sql) });
  }

  /**
   * At most 12 seconds old. Throws an AppError with status 503 if there is none. Without job types their list is empty
   * and costs nothing.
   */
  async read({ hasJobTypes }: { readonly hasJobTypes: boolean }): Promise<StatusDocument> {
    if (this.#parts.system.ownerOf(SCHEDULER) === undefined) {
      throw new AppError('OWNER_UNAVAILABLE', 'the scheduler is offline: no coordinator runs it');
    }
    const [known, jobTypes] = await Promise.all([
      this.#documents.get(),
      hasJobTypes ? this.#jobTypes.get() : [],
    ]);
    return { ...known, job_types: [...jobTypes] };
  }

  async #refresh(): Promise<Omit<StatusDocument, 'job_types'>> {
    const { sql, system, cluster, bus, warnings, nowMs } = this.#parts;
    await warnings.writeChanges();
    const atMs = nowMs();
    const [settings, nodes, ended, recent, facts] = await Promise.all([
      loadSettings(sql),
      statusNodes(sql),
      this.#window.counts(atMs),
      recentWork(sql, atMs - RECENT_MS),
      statusFacts(sql),
    ]);
    const { kinds, mailParked } = system.stats();
    const depth = Object.values(kinds).reduce((sum, kind) => sum + kind.mail, mailParked);
    const busTrouble = busConditions(facts.warnings);
    return statusDocument({
      nowMs: atMs,
      isSchedulerPaused: settings.isPaused,
      messageHandlerCount: settings.messageHandlerCount,
      ...{ nodes, ended, recent, recentMs: RECENT_MS, facts, cluster },
      schedulerAddress: system.ownerOf(SCHEDULER)?.httpAddress ?? '',
      warnings: [...accessConditions(facts.warnings), ...busTrouble, ...unmetWarnings(facts.unmet, atMs)],
      queue: { depth, type: bus.type, warnings: busTrouble },
      secretsProblem: secretsProblem(this.#parts.encryption),
      databaseMs: nowMs() - atMs,
    });
  }
}

function unmetWarnings(unmet: StatusFacts['unmet'], nowMs: number): readonly NodeCondition[] {
  return unmet.map(({ name, title, lacking, sinceMs }) => ({
    name: `INVALID_RESOURCES${name}`,
    title: `Invalid Resources for ${title}`,
    description: `No node has enough of: ${lacking.split(',').map(resourceWord).join(', ')}.`,
    ...{ startedMs: sinceMs, lastUpdatedMs: nowMs },
  }));
}

/** Encrypts and decrypts a test value, as for a secret of a job type. */
function secretsProblem(encryption: Encryption): string | undefined {
  try {
    const isKept = encryption.decrypt(encryption.encrypt('probe', 'status'), 'status') === 'probe';
    return isKept ? undefined : 'a value that was encrypted came back changed';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
