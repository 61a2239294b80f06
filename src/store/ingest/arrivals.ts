/**
 * Decides in memory what arrivals become, given the existing rows. A known file changes nothing. A file that was
 * transferring or deferred, or that a scan failed to ingest, keeps its row; any other gets a new row. Jobs and events
 * are created for files that a rule matches. The owner's actor is the only writer of these rows, so they stay valid
 * until the commit. No SQL.
 */
import type { ArrivalResult } from '../../domain/changes.ts';
import type { NewEvent } from '../../domain/event.ts';
import type {
  ArrivalRecord,
  IngestJobTemplate,
  IngestOwner,
  IngestStatus,
} from '../../domain/ingest/ingest.ts';
import type { ExecutionStart, NewJob } from '../../domain/job/job.ts';
import { arrivalKey } from '../file/tombstones.ts';
import type { ChangeOf, Group } from '../sql/group.ts';
import { type HeldInPlace, heldKey, isLeaving } from './held-in-place.ts';

/** A row that may belong to an arrival. */
export interface KnownIngest {
  readonly id: number;
  readonly owner_kind: IngestOwner['kind'];
  readonly owner_key: number;
  readonly file_path: string;
  readonly arrival: string | null;
  readonly status: IngestStatus;
}

/** An ingest to be written: a new row, or the last state of an existing one. */
export interface ArrivedIngest {
  readonly ingestId: number;
  readonly owner: IngestOwner;
  readonly isNew: boolean;
  readonly jobId: number | null;
  /** When the row's file was first seen; used for new rows. */
  readonly firstSeenMs: number;
  /** When a node started it; null unless it was assigned in the commit that recorded it. */
  readonly startedMs: number | null;
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
  /** Executions of the jobs that nodes start at once. */
  readonly starts: ExecutionStart[] = [];
  /** Ids of TRANSFERRING rows of known files, which are deleted. */
  readonly withdrawn: number[] = [];
  readonly #transferring = new Map<string, Entry>();
  readonly #byIdentity = new Map<string, Entry>();
  readonly #written = new Map<number, ArrivedIngest>();

  readonly #passedOver: ReadonlySet<string>;
  readonly #held: HeldInPlace;

  /** `passedOver`: keys (`arrivalKey`) of arrivals that are ignored. `held`: files that must stay in place. */
  constructor(known: readonly KnownIngest[], passedOver: ReadonlySet<string>, held: HeldInPlace) {
    this.#passedOver = passedOver;
    this.#held = held;
    for (const row of known) {
      const entry: Entry = { id: row.id, isNew: false, firstSeenMs: 0, status: row.status };
      const place = placeOf({ kind: row.owner_kind, key: row.owner_key }, row.file_path);
      if (row.status === 'TRANSFERRING') this.#transferring.set(place, entry);
      if (row.arrival !== null) this.#byIdentity.set(identityKey(place, row.arrival), entry);
    }
  }

  get written(): ArrivedIngest[] {
    return [...this.#written.values()];
  }

  record(change: ChangeOf<'recordArrivals'>): ArrivalResult {
    const accepted: ArrivalResult['accepted'][number][] = [];
    for (const arrived of change.arrivals) {
      const arrival = this.#unlessHeld(change.owner, arrived);
      const ingestId =
        arrival.identity === null
          ? this.#unfinished(change.owner, arrival)
          : this.#complete(change, arrival, arrival.identity);
      if (ingestId === undefined || arrival.status !== 'TRANSFERRED') continue;
      const { jobId, filePath, identity, start = null } = arrival;
      accepted.push({ ingestId, jobId, filePath, identity: identity ?? '', start });
    }
    return { accepted };
  }

  #unlessHeld(owner: IngestOwner, arrival: ArrivalRecord): ArrivalRecord {
    if (owner.kind !== 'strike' || !isLeaving(arrival)) return arrival;
    const reason = this.#held.get(heldKey(owner.key, arrival.filePath, arrival.identity ?? ''));
    if (reason === undefined) return arrival;
    const { start: _, ...rest } = arrival;
    return { ...rest, status: 'DEFERRED', tags: [], newWorkspaceId: null, newFilePath: null, reason };
  }

  /** A file that is still transferring, or vanished before it was complete. */
  #unfinished(owner: IngestOwner, arrival: ArrivalRecord): undefined {
    const { workspaceId, filePath, seenIdentity } = arrival;
    const place = placeOf(owner, filePath);
    // It was complete long ago: it looks new to a monitor that has just begun, or its own ingest has moved it.
    const isKnown = this.#byIdentity.has(identityKey(place, seenIdentity));
    if (isKnown || this.#passedOver.has(arrivalKey(workspaceId, filePath, seenIdentity)))
      return this.#withdraw(place);
    const known = this.#transferring.get(place);
    if (arrival.status === 'ERRORED') {
      this.#transferring.delete(place);
      if (known !== undefined) this.#write(owner, known, arrival, null);
      return;
    }
    const entry = known ?? newEntry(arrival);
    this.#transferring.set(place, entry);
    this.#write(owner, entry, arrival, null);
  }

  #complete(
    change: ChangeOf<'recordArrivals'>,
    arrival: ArrivalRecord,
    identity: string,
  ): number | undefined {
    const { owner, template } = change;
    const place = placeOf(owner, arrival.filePath);
    if (this.#passedOver.has(arrivalKey(arrival.workspaceId, arrival.filePath, identity)))
      return this.#withdraw(place);
    const key = identityKey(place, identity);
    const known = this.#byIdentity.get(key);
    const isOpen = known?.status === 'DEFERRED' || (known?.status === 'ERRORED' && owner.kind === 'scan');
    const isRetried = isOpen && arrival.status === 'TRANSFERRED';
    if (known !== undefined && !isRetried) return this.#withdraw(place);
    const entry = known ?? this.#transferring.get(place) ?? newEntry(arrival);
    if (known === undefined) this.#transferring.delete(place);
    this.#byIdentity.set(key, entry);
    const hasJob = arrival.status === 'TRANSFERRED';
    this.#write(owner, entry, arrival, hasJob ? arrival.jobId : null);
    if (hasJob) {
      this.events.push(eventOf(owner, arrival));
      this.jobs.push(jobOf(owner, template, entry.id, arrival));
      const { start, jobId, atMs } = arrival;
      if (start !== undefined) this.starts.push({ ...start, jobId, exeNum: 1, atMs });
    }
    return entry.id;
  }

  /** The file that seemed to be transferring was already here. */
  #withdraw(place: string): undefined {
    const entry = this.#transferring.get(place);
    if (entry === undefined) return;
    this.#transferring.delete(place);
    this.#written.delete(entry.id);
    if (!entry.isNew) this.withdrawn.push(entry.id);
  }

  #write(owner: IngestOwner, entry: Entry, arrival: ArrivalRecord, jobId: number | null): void {
    entry.status = arrival.status;
    const { id: ingestId, isNew } = entry;
    const firstSeenMs = isNew ? entry.firstSeenMs : arrival.firstSeenMs;
    const startedMs = jobId === null || arrival.start === undefined ? null : arrival.atMs;
    this.#written.set(ingestId, { ingestId, owner, isNew, jobId, firstSeenMs, startedMs, arrival });
  }
}

/** Decides all arrivals of a group, in the order of its turns. */
export function decideArrivals(
  group: Group,
  known: readonly KnownIngest[],
  passedOver: ReadonlySet<string>,
  held: HeldInPlace,
): Arrivals {
  const arrivals = new Arrivals(known, passedOver, held);
  for (const placed of group.placed('recordArrivals')) group.answer(placed, arrivals.record(placed.change));
  return arrivals;
}

function placeOf({ kind, key }: IngestOwner, filePath: string): string {
  return `${kind}/${key}/${filePath}`;
}

function identityKey(place: string, identity: string): string {
  return `${place}\0${identity}`;
}

function newEntry(arrival: ArrivalRecord): Entry {
  return { id: arrival.ingestId, isNew: true, firstSeenMs: arrival.firstSeenMs, status: arrival.status };
}

function eventOf({ kind, key }: IngestOwner, arrival: ArrivalRecord): NewEvent {
  const description = { file_name: arrival.fileName, [`${kind}_id`]: key };
  const type = kind === 'strike' ? 'STRIKE_TRANSFER' : 'SCAN_TRANSFER';
  return { id: arrival.eventId, type, occurredMs: arrival.atMs, description };
}

/** Queued without a scheduling class, because the owner places it itself. */
function jobOf(
  owner: IngestOwner,
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
    owner,
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
