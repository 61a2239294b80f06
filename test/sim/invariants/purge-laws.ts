/**
 * What must hold of purges: all that descends from the source goes, nothing else, and the receipt says how much. What
 * descends from what is noted from commits as they are made, apart from how a purge finds it.
 */
import { workspaceUuid } from '../scenario.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { filesOf } from '../store/purge/finds.ts';
import type { RowChange } from '../store/table.ts';
import type { FileRow, JobRow, RecipeRow } from '../store/tables.ts';
import type { World } from '../world.ts';

type Fail = (law: string, what: string) => void;

/** Kinds of rows that nobody else removes, as a receipt calls them. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ recipe: 'recipes', job: 'jobs', job_exe: 'job_executions', recipe_condition: 'conditions' },
  ...{ recipe_node: 'recipe_nodes', dataset_member: 'dataset_members', file_ancestry: 'ancestry_links' },
};

interface Descent {
  readonly files: ReadonlySet<number>;
  readonly chains: ReadonlySet<number>;
  readonly jobs: ReadonlySet<number>;
}

export class PurgeLaws {
  readonly #files = new Map<number, FileRow>();
  readonly #jobs = new Map<number, { readonly chain: number | null; readonly inputs: Set<number> }>();
  readonly #recipes = new Map<number, { readonly chain: number; readonly inputs: Set<number> }>();
  /** Rows that went, by purge. */
  readonly #gone = new Map<number, RowChange[]>();

  /** `isTurn`: of an actor. */
  note(changes: readonly RowChange[], isTurn: boolean, fail: Fail): void {
    const purge = changes.find((one) => one.table === 'purge')?.after;
    for (const change of changes) {
      const { table, before, after } = change;
      if (after === undefined) {
        const isOpenIngest = table === 'ingest' && (before as { status?: string }).status === 'TRANSFERRING';
        const isSettled = table === 'job_request_backlog';
        if (!isOpenIngest && !isSettled && isTurn)
          fail('rows go with a purge only', `${table} ${before?.id}`);
        if (purge !== undefined)
          this.#gone.set(purge.id as number, [...this.goneBy(purge.id as number), change]);
      } else if (table === 'file') this.#files.set(after.id as number, after as FileRow);
      else if (table === 'job') this.#job(after as JobRow);
      else if (table === 'recipe') this.#recipe(after as RecipeRow);
    }
  }

  /** Once its files and rows go, nobody else has to do with what a purge has found. */
  checkAlone({ tables }: MemoryStore, changes: readonly RowChange[], fail: Fail): void {
    for (const { id, phase } of tables.purges.rows.values()) {
      if (phase !== 'bytes' && phase !== 'rows') continue;
      for (const { table, after } of changes) {
        const isJob = table === 'job' && tables.purgeJobs.get(`${id}/${after?.id}`) !== undefined;
        const { chainId, rootId } = (after ?? {}) as Partial<RecipeRow>;
        const isTree =
          table === 'recipe' && tables.purgeTrees.get(`${id}/${chainId ?? rootId}`) !== undefined;
        if (isJob || isTree)
          fail('nobody continues with what is purged', `${table} ${after?.id} of purge ${id}`);
      }
    }
  }

  goneBy(purgeId: number): readonly RowChange[] {
    return this.#gone.get(purgeId) ?? [];
  }

  #job(row: JobRow): void {
    const chain = row.recipeId === null ? null : (this.#recipes.get(row.recipeId)?.chain ?? null);
    const known = this.#jobs.get(row.id) ?? { chain, inputs: new Set<number>() };
    for (const id of filesOf(row.input?.input)) known.inputs.add(id);
    this.#jobs.set(row.id, known);
  }

  #recipe(row: RecipeRow): void {
    const chain = row.chainId ?? row.rootId;
    this.#recipes.set(row.id, { chain, inputs: new Set(filesOf(row.input?.input)) });
  }

  /** All that descends from a file: chains of recipes, jobs, files. */
  #descent(sourceId: number): Descent {
    const [files, chains, jobs] = [new Set([sourceId]), new Set<number>(), new Set<number>()];
    const uses = (inputs: ReadonlySet<number>) => [...inputs].some((id) => files.has(id));
    for (let size = -1; size !== files.size + chains.size + jobs.size; ) {
      size = files.size + chains.size + jobs.size;
      for (const { chain, inputs } of this.#recipes.values()) if (uses(inputs)) chains.add(chain);
      for (const [id, { chain, inputs }] of this.#jobs) {
        if (uses(inputs) && chain !== null) chains.add(chain);
        if (uses(inputs) || (chain !== null && chains.has(chain))) jobs.add(id);
      }
      for (const [id, { jobId }] of this.#files) if (jobId !== null && jobs.has(jobId)) files.add(id);
    }
    return { files, chains, jobs };
  }

  checkRest(world: World, fail: Fail): void {
    const { tables } = world.store;
    for (const { id, fileId: sourceId, removed, deletesSourceBytes } of tables.purges.rows.values()) {
      const { files, chains, jobs } = this.#descent(sourceId);
      const law = 'a purge removes what descends from its source';
      for (const one of files)
        if (tables.files.get(one) !== undefined) fail(law, `file ${one} of purge ${id}`);
      for (const one of jobs) if (tables.jobs.get(one) !== undefined) fail(law, `job ${one} of purge ${id}`);
      for (const one of chains) {
        if (tables.recipes.withKey(one).length > 0) fail(law, `recipes of ${one} of purge ${id}`);
      }
      for (const one of files) {
        if (one !== sourceId || deletesSourceBytes) this.#checkBytes(world, one, fail);
      }
      this.#checkNothingElse(id, { files, jobs, chains }, fail);
      this.#checkReceipt(id, removed, fail);
    }
  }

  #checkBytes(world: World, fileId: number, fail: Fail): void {
    const file = this.#files.get(fileId);
    // By clocks that went wrong it may count as replaced: what is at its path is another's then, and stays.
    if (file === undefined || (file.isSuperseded && world.areClocksApart)) return;
    const there = world.disks.directory(workspaceUuid(file.workspaceId)).files.get(file.filePath);
    if (there?.sha256.split('#')[0] === file.sha256)
      fail('a purge removes what descends from its source', `the bytes of file ${fileId}`);
  }

  #checkNothingElse(purgeId: number, { files, jobs, chains }: Descent, fail: Fail): void {
    // Ingests go with their jobs.
    const gone = this.goneBy(purgeId);
    const ingests = new Set(
      gone.flatMap(({ table, before }) => (table === 'ingest' ? (before as { jobId?: number }).jobId : [])),
    );
    for (const { table, before } of gone) {
      const id = before?.id as number;
      const isRight =
        (table === 'file' && files.has(id)) ||
        (table === 'job' && (jobs.has(id) || ingests.has(id))) ||
        (table === 'recipe' && chains.has(this.#recipes.get(id)?.chain ?? 0)) ||
        !['file', 'job', 'recipe'].includes(table);
      if (!isRight) fail('a purge removes nothing else', `${table} ${id} by purge ${purgeId}`);
    }
  }

  #checkReceipt(purgeId: number, removed: Readonly<Record<string, number>>, fail: Fail): void {
    const counted: Record<string, number> = {};
    for (const { table, before } of this.goneBy(purgeId)) {
      const isSource = table === 'file' && (before as FileRow).fileType === 'SOURCE';
      const files = isSource ? 'source_files' : 'product_files';
      const kind = table === 'file' ? files : table === 'ingest' ? 'ingests' : KINDS[table];
      if (kind !== undefined) counted[kind] = (counted[kind] ?? 0) + 1;
    }
    for (const kind of new Set([...Object.keys(counted), ...Object.keys(removed)])) {
      if ((counted[kind] ?? 0) !== (removed[kind] ?? 0))
        fail('a receipt says what went', `purge ${purgeId}: ${removed[kind]} ${kind}, not ${counted[kind]}`);
    }
  }

  /** Whether a purge has removed the job. */
  hasTaken(jobId: number): boolean {
    return this.#hasTaken('job', jobId);
  }

  hasTakenRecipe(recipeId: number): boolean {
    return this.#hasTaken('recipe', recipeId);
  }

  #hasTaken(table: string, id: number): boolean {
    return [...this.#gone.values()].flat().some((one) => one.table === table && one.before?.id === id);
  }

  /** Batches some of whose recipes are gone: metrics of their nodes continue counting the jobs. */
  get shrunkenBatches(): ReadonlySet<number> {
    const gone = [...this.#gone.values()].flat().filter(({ table }) => table === 'recipe');
    return new Set(gone.flatMap(({ before }) => (before as RecipeRow).batchId ?? []));
  }
}

export function openPurge(world: World): string | undefined {
  for (const { id, phase, reason } of world.store.tables.purges.rows.values()) {
    if (phase !== 'done') return `purge ${id} is at ${phase}: ${reason}`;
  }
  return undefined;
}
