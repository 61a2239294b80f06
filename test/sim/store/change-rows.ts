/**
 * The stream of changes in the simulated database: a row of changes for each write, and positions by snapshots, as
 * the triggers and src/store/change have them. A transaction has its id from its first write on, so the order of ids
 * is not that of commits.
 */
import type { ChangePlace } from '../../../src/domain/change/cursor.ts';
import type { ChangeKind } from '../../../src/domain/change/object-change.ts';
import type { ChangesRead } from '../../../src/store/change/read.ts';
import type { Seeded } from '../seeded.ts';
import { type RowChange, Table } from './table.ts';
import type {
  BatchRow,
  ConditionRow,
  ExecutionRow,
  FileRow,
  IngestRow,
  JobRow,
  NodeDbRow,
  PurgeDbRow,
  RecipeRow,
  ScanDbRow,
  StrikeDbRow,
  Tables,
} from './tables.ts';

/** A kind of objects. */
interface Kind<R> {
  readonly kind: ChangeKind;
  readonly statusOf: (row: R) => string | null;
  /** What else is a change of the object when it changes. */
  readonly factsOf: (row: R) => readonly unknown[];
}

const kindOf = <R>(kind: Kind<R>): Kind<never> => kind as Kind<never>;
const NONE = () => [];

/** By table. */
const KINDS: Readonly<Record<string, Kind<never>>> = {
  job: kindOf<JobRow>({
    kind: 'job',
    statusOf: (row) => row.status,
    factsOf: (row) => [row.exeNum, row.isSuperseded, row.liveRecipeId, row.liveBatchId],
  }),
  job_exe: kindOf<ExecutionRow>({ kind: 'execution', statusOf: (row) => row.status, factsOf: NONE }),
  ingest: kindOf<IngestRow>({
    kind: 'ingest',
    statusOf: (row) => row.status,
    factsOf: (row) => [row.jobId, row.arrival, row.sourceFileId, row.reason],
  }),
  file: kindOf<FileRow>({
    kind: 'file',
    statusOf: () => null,
    factsOf: (row) => [row.isSuperseded, row.isPublished, row.isDeleted],
  }),
  recipe: kindOf<RecipeRow>({
    kind: 'recipe',
    statusOf: (row) => (row.isCompleted ? 'COMPLETED' : 'OPEN'),
    factsOf: (row) => [row.isSuperseded],
  }),
  recipe_condition: kindOf<ConditionRow>({
    kind: 'condition',
    statusOf: (row) => (row.isProcessed ? (row.isAccepted ? 'ACCEPTED' : 'REJECTED') : 'PENDING'),
    factsOf: NONE,
  }),
  batch: kindOf<BatchRow>({
    kind: 'batch',
    statusOf: (row) => (row.isCreationDone ? 'CREATED' : 'CREATING'),
    factsOf: (row) => [row.isSuperseded],
  }),
  scan: kindOf<ScanDbRow>({
    kind: 'scan',
    statusOf: (row) => row.run ?? 'idle',
    factsOf: (row) => [row.reason],
  }),
  strike: kindOf<StrikeDbRow>({
    kind: 'strike',
    statusOf: (row) => (row.isPaused ? 'PAUSED' : 'ACTIVE'),
    factsOf: NONE,
  }),
  node: kindOf<NodeDbRow>({
    kind: 'node',
    statusOf: (row) => (row.isOnline ? 'ONLINE' : 'OFFLINE'),
    factsOf: (row) => [row.isPaused, row.isActive, row.agentId],
  }),
  purge: kindOf<PurgeDbRow>({ kind: 'purge', statusOf: (row) => row.phase, factsOf: (row) => [row.reason] }),
};

interface StoredRow {
  readonly id: number;
  readonly kind: ChangeKind;
  readonly objectIds: Set<number | string>;
  readonly items: string[];
}

/** Transactions from `next` on, and the open ones, are not seen. */
export interface Snapshot {
  readonly next: number;
  readonly open: ReadonlySet<number>;
}

interface Tick {
  readonly before: Snapshot;
  readonly snapshot: Snapshot;
}

/** A statement that gives positions, after it has read where the stream is. */
export interface BegunTick extends Tick {
  readonly newest: number;
  readonly isDue: boolean;
}

/** How often a transaction begins that ends later, and how often one ends that began earlier. */
const BEGINS_EARLY = 0.3;
const ENDS_LATE = 0.4;

export const EPOCH = '0123456789ab';
/** As many as the real read has. */
const TICKS_MAX = 200;

export class ChangeRows {
  /** Draws which transactions began earlier. Without it each begins when it ends. */
  random: Seeded | undefined;
  /** What a seeded bug may change. */
  bug: { readonly seesOpen?: boolean; readonly isUnfenced?: boolean; readonly leftOut?: ChangeKind } = {};
  /** By the table and id of an object: the column `object_version`. */
  readonly #versions = new Map<string, number>();
  readonly #rows = new Map<number, StoredRow[]>();
  readonly #open = new Set<number>();
  readonly #ticks: Tick[] = [];
  #nextTransaction = 1;
  #nextRow = 1;

  /** Objects of the stream, by kind and id: version and status. Those of the beginning are not in it. */
  states(tables: Tables): ReadonlyMap<string, string> {
    const states = new Map<string, string>();
    for (const table of Object.values(tables)) {
      if (!(table instanceof Table)) continue;
      const described = KINDS[table.name];
      if (described === undefined) continue;
      for (const row of table.rows.values()) {
        const version = this.#versions.get(`${table.name}/${row.id}`);
        if (version !== undefined)
          states.set(`${described.kind}/${row.id}`, `${version} ${described.statusOf(row as never)}`);
      }
    }
    return states;
  }

  /** Rows of changes of a transaction, in the same commit. */
  committed(changes: readonly RowChange[]): void {
    const transaction = this.#transaction();
    const rows: StoredRow[] = [];
    for (const change of changes) {
      const { table, before, after } = change;
      const described = KINDS[table];
      const id = (after ?? before)?.id;
      const item = described && this.#itemOf(described, change);
      if (described === undefined || id === undefined || item === undefined) continue;
      if (described.kind === this.bug.leftOut) continue;
      // A statement changes an object once.
      const last = rows.at(-1);
      const isSame = last?.kind === described.kind && !last.objectIds.has(id);
      const row: StoredRow = isSame
        ? last
        : { id: this.#nextRow++, kind: described.kind, objectIds: new Set(), items: [] };
      if (!isSame) rows.push(row);
      row.objectIds.add(id);
      row.items.push(item);
    }
    if (rows.length > 0) this.#rows.set(transaction, rows);
  }

  /** The first half of the statement: what its snapshot shows. */
  beginTick(): BegunTick {
    const before = this.#newest;
    const open = this.bug.seesOpen === true ? new Set<number>() : new Set(this.#open);
    const snapshot = { next: this.#nextTransaction, open };
    const isDue = [...this.#unseen(before, this.#nextTransaction)].some((one) => this.#rows.has(one));
    return { newest: this.#ticks.length, before, snapshot, isDue };
  }

  /** The second half: it writes, unless another has written since. */
  endTick({ newest, isDue, before, snapshot }: BegunTick): void {
    const isFenced = this.bug.isUnfenced !== true && newest !== this.#ticks.length;
    if (isDue && !isFenced) this.#ticks.push({ before, snapshot });
  }

  /** Rows from a place on, as src/store/change/read.ts reads them. */
  read(from: ChangePlace, rowsMax: number): readonly ReadRow[] {
    const found: ReadRow[] = [];
    const newest = this.#ticks.length;
    const head = { epoch: EPOCH, newest, floor: 0, oldest: null, is_bounded: null };
    const last = Math.min(newest, from.tick + TICKS_MAX - 1);
    for (let tick = Math.max(1, from.tick); tick <= last && found.length < rowsMax; tick += 1) {
      const { before, snapshot } = this.#ticks[tick - 1] as Tick;
      const rows = [...this.#unseen(before, snapshot.next)]
        .filter((one) => !snapshot.open.has(one))
        .flatMap((one) => this.#rows.get(one) ?? [])
        .filter(({ id }) => tick > from.tick || id >= from.row)
        .sort((one, other) => one.id - other.id);
      for (const { id, kind, items } of rows.slice(0, rowsMax - found.length)) {
        found.push({ ...head, tick, id, atMs: 0, kind, items: `[${items.join()}]` });
      }
    }
    return found.length === 0 ? [{ ...head, tick: null }] : found;
  }

  get #newest(): Snapshot {
    return this.#ticks.at(-1)?.snapshot ?? { next: 1, open: new Set() };
  }

  /** Transactions below `next` that a snapshot does not show. */
  *#unseen(snapshot: Snapshot, next: number): Generator<number> {
    yield* snapshot.open;
    for (let one = snapshot.next; one < next; one += 1) yield one;
  }

  #transaction(): number {
    const { random } = this;
    if (random?.chance(BEGINS_EARLY) === true) this.#open.add(this.#nextTransaction++);
    if (random?.chance(ENDS_LATE) !== true) return this.#nextTransaction++;
    const begun = random.pick([...this.#open]);
    if (begun === undefined) return this.#nextTransaction++;
    this.#open.delete(begun);
    return begun;
  }

  /** Undefined: the object has not changed. */
  #itemOf({ statusOf, factsOf }: Kind<never>, { table, before, after }: RowChange): string | undefined {
    const key = `${table}/${(after ?? before)?.id}`;
    const [from, to] = [before, after].map((row) => (row === undefined ? null : statusOf(row as never)));
    const item = (version: number, what: string) => {
      if (what === 'removed') this.#versions.delete(key);
      else this.#versions.set(key, version);
      return JSON.stringify([(after ?? before)?.id, version, what, from, to]);
    };
    const version = (this.#versions.get(key) ?? 0) + 1;
    if (before === undefined || after === undefined)
      return item(version, before === undefined ? 'created' : 'removed');
    if (from !== to) return item(version, 'status');
    const [old, now] = [factsOf(before as never), factsOf(after as never)];
    return now.some((fact, at) => fact !== old[at]) ? item(version, 'edited') : undefined;
  }
}

type Head = { readonly epoch: string; readonly newest: number; readonly floor: number };
export type ReadRow = Head & (ChangesRead['rows'][number] | { readonly tick: null });
