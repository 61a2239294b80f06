/**
 * What arrivals become, worked out in memory against the rows that are there: a file that is known changes
 * nothing, one that was transferring or deferred keeps its row, any other gets one. Jobs and events are made
 * for those that a rule takes. The strike's actor is the only writer of these rows, so what was read holds
 * until the commit. No SQL.
 */
import type { ArrivalResult } from '../domain/changes.ts';
import type { NewEvent } from '../domain/event.ts';
import type { ArrivalRecord, IngestJobTemplate, IngestStatus } from '../domain/ingest/ingest.ts';
import type { NewJob } from '../domain/job/job.ts';
import type { ChangeOf, Group } from './group.ts';

/** A row that may be an arrival's own. */
export interface KnownIngest {
  readonly id: number;
  readonly strike_id: number;
  readonly file_path: string;
  readonly arrival: string | null;
  readonly status: IngestStatus;
}

/** An ingest to be written: a new row, or the last state of one that is there. */
export interface ArrivedIngest {
  readonly ingestId: number;
  readonly strikeId: number;
  readonly isNew: boolean;
  readonly jobId: number | null;
  /** When the row's file was first seen; counts for new rows. */
  readonly firstSeenMs: number;
  readonly arrival: ArrivalRecord;
}

interface Entry {
  readonly id: number;
  readonly isNew: boolean;
  readonly firstSeenMs: number;
  status: IngestStatus;
}

export class Arrivals {
  readonly events: NewEvent[] = [];
  readonly jobs: NewJob[] = [];
  readonly #transferring = new Map<string, Entry>();
  readonly #byIdentity = new Map<string, Entry>();
  readonly #written = new Map<number, ArrivedIngest>();

  constructor(known: readonly KnownIngest[]) {
    for (const row of known) {
      const entry: Entry = { id: row.id, isNew: false, firstSeenMs: 0, status: row.status };
      if (row.status === 'TRANSFERRING') this.#transferring.set(`${row.strike_id}/${row.file_path}`, entry);
      if (row.arrival !== null)
        this.#byIdentity.set(identityKey(row.strike_id, row.file_path, row.arrival), entry);
    }
  }

  get written(): ArrivedIngest[] {
    return [...this.#written.values()];
  }

  record(change: ChangeOf<'recordArrivals'>): ArrivalResult {
    const accepted: ArrivalResult['accepted'][number][] = [];
    for (const arrival of change.arrivals) {
      const ingestId =
        arrival.identity === null
          ? this.#unfinished(change.strikeId, arrival)
          : this.#complete(change, arrival, arrival.identity);
      if (ingestId === undefined || arrival.status !== 'TRANSFERRED') continue;
      const { jobId, filePath } = arrival;
      accepted.push({ ingestId, jobId, filePath, identity: arrival.identity ?? '' });
    }
    return { accepted };
  }

  /** Still transferring, or gone before it was complete. */
  #unfinished(strikeId: number, arrival: ArrivalRecord): undefined {
    const place = `${strikeId}/${arrival.filePath}`;
    const known = this.#transferring.get(place);
    if (arrival.status === 'ERRORED') {
      this.#transferring.delete(place);
      if (known !== undefined) this.#write(strikeId, known, arrival, null);
      return;
    }
    const entry = known ?? newEntry(arrival);
    this.#transferring.set(place, entry);
    this.#write(strikeId, entry, arrival, null);
  }

  #complete(
    change: ChangeOf<'recordArrivals'>,
    arrival: ArrivalRecord,
    identity: string,
  ): number | undefined {
    const { strikeId, template } = change;
    const place = `${strikeId}/${arrival.filePath}`;
    const key = identityKey(strikeId, arrival.filePath, identity);
    const known = this.#byIdentity.get(key);
    const isRetried = known?.status === 'DEFERRED' && arrival.status === 'TRANSFERRED';
    if (known !== undefined && !isRetried) return undefined;
    const entry = known ?? this.#transferring.get(place) ?? newEntry(arrival);
    if (known === undefined) this.#transferring.delete(place);
    this.#byIdentity.set(key, entry);
    const hasJob = arrival.status === 'TRANSFERRED';
    this.#write(strikeId, entry, arrival, hasJob ? arrival.jobId : null);
    if (hasJob) {
      this.events.push(eventOf(strikeId, arrival));
      this.jobs.push(jobOf(strikeId, template, entry.id, arrival));
    }
    return entry.id;
  }

  #write(strikeId: number, entry: Entry, arrival: ArrivalRecord, jobId: number | null): void {
    entry.status = arrival.status;
    const { id: ingestId, isNew } = entry;
    const firstSeenMs = isNew ? entry.firstSeenMs : arrival.firstSeenMs;
    this.#written.set(ingestId, { ingestId, strikeId, isNew, jobId, firstSeenMs, arrival });
  }
}

/** Decides all arrivals of a group, in the order of its turns. */
export function decideArrivals(group: Group, known: readonly KnownIngest[]): Arrivals {
  const arrivals = new Arrivals(known);
  for (const placed of group.of('recordArrivals')) group.answer(placed, arrivals.record(placed.change));
  return arrivals;
}

function identityKey(strikeId: number, filePath: string, identity: string): string {
  return `${strikeId}/${filePath}\0${identity}`;
}

function newEntry(arrival: ArrivalRecord): Entry {
  return { id: arrival.ingestId, isNew: true, firstSeenMs: arrival.firstSeenMs, status: arrival.status };
}

function eventOf(strikeId: number, arrival: ArrivalRecord): NewEvent {
  const description = { file_name: arrival.fileName, strike_id: strikeId };
  return { id: arrival.eventId, type: 'STRIKE_TRANSFER', occurredMs: arrival.atMs, description };
}

/** Queued without a scheduling class: the strike places it itself. */
function jobOf(
  strikeId: number,
  template: IngestJobTemplate,
  ingestId: number,
  arrival: ArrivalRecord,
): NewJob {
  const { atMs } = arrival;
  const { priority, maxTries } = template;
  const source = {
    startedMs: null,
    endedMs: null,
    sensorClass: null,
    sensor: null,
    collection: null,
    task: null,
  };
  return {
    id: arrival.jobId,
    shard: template.shard,
    owner: { kind: template.ownerKind, key: strikeId },
    jobTypeId: template.jobTypeId,
    jobTypeRevId: template.jobTypeRevId,
    eventId: arrival.eventId,
    recipeId: null,
    recipeNode: null,
    recipeIds: [],
    batchId: null,
    status: 'QUEUED',
    maxTries,
    priority,
    timeoutS: template.timeoutS,
    configuration: null,
    queueing: { exeNum: 1, priority, maxTries, classKey: null, resources: {}, atMs },
    input: { input: { files: {}, json: { ingest_id: ingestId } }, inputFileSizeMib: 0, source },
    atMs,
  };
}
