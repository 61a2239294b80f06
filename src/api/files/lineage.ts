/**
 * The graph of files and jobs around a file, read level by level up to a limit. Where it is cut off, its `rim` gives
 * the request for the rest.
 */
import { parseReference } from '../../domain/task/image-reference.ts';
import {
  consumersOf,
  inputsOf,
  type LineageJob,
  type LineageLink,
  lineageFiles,
  lineageJobs,
  producersOf,
  productsOf,
  takenOf,
} from '../../store/file/lineage.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { ConfigurationOf } from '../executions/configurations.ts';

// limit: files and jobs of one answer, in each direction.
const BOUNDS = { files: 500, jobs: 200 };

type Way = 'ancestors' | 'descendants';
export interface LineageQuery {
  readonly direction: Way | 'both';
  readonly depth: number;
  /** Only jobs with higher ids are read, among those with the file itself as an input; 0: all. */
  readonly after: number;
}

/** A node at which the graph continues beyond the answer. */
interface Rim {
  readonly direction: Way;
  readonly file: { readonly id: number } | null;
  readonly job: { readonly id: number } | null;
  readonly next: string;
}

interface Link {
  readonly job: { readonly id: number };
  readonly file: { readonly id: number };
  readonly role: 'input' | 'output';
  readonly name: string | null;
}

export interface LineageParts {
  readonly sql: Sql;
  readonly configurationOf: ConfigurationOf;
  /** The limits, for tests. */
  readonly lineageBounds?: typeof BOUNDS;
}

/** Undefined when there is no such file. */
export async function lineageOf(
  { sql, configurationOf, lineageBounds: bounds = BOUNDS }: LineageParts,
  id: number,
  query: LineageQuery,
) {
  if ((await lineageFiles(sql, [id])).length === 0) return undefined;
  const walks = (['ancestors', 'descendants'] as const)
    .filter((way) => query.direction === 'both' || query.direction === way)
    .map((way) => new Walk(sql, way, id, query, bounds));
  for (const walk of walks) await walk.run();
  const jobIds = [...new Set(walks.flatMap((walk) => [...walk.jobs.keys()]))];
  const fileIds = [...new Set([id, ...walks.flatMap((walk) => [...walk.files.keys()])])];
  const [files, jobs] = await Promise.all([lineageFiles(sql, fileIds), lineageJobs(sql, jobIds)]);
  const levelOf = (kind: 'files' | 'jobs', one: number): number =>
    walks.map((walk) => walk[kind].get(one)).find((level) => level !== undefined) ?? 0;
  return {
    ...{ file: { id }, direction: query.direction, depth: query.depth },
    files: files.map((file) => ({ ...file, level: levelOf('files', file.id) })),
    jobs: await Promise.all(jobs.map((job) => jobRecord(job, levelOf('jobs', job.id), configurationOf))),
    links: walks.flatMap((walk) => walk.links),
    rim: walks.flatMap((walk) => walk.rim),
  };
}

async function jobRecord(job: LineageJob, level: number, configurationOf: ConfigurationOf) {
  const { executionId, image, imageDigest, ...rest } = job;
  const configuration = executionId === null ? undefined : await configurationOf(executionId);
  const main = configuration?.tasks.find(({ type }) => type === 'main');
  return {
    ...rest,
    level,
    execution: executionId === null ? null : { id: executionId },
    image: { reference: image, digest: imageDigest ?? parseReference(image)?.digest ?? null },
    settings: { ...main?.settings },
  };
}

/** Walks in one direction. The levels of ancestors are negative. */
class Walk {
  readonly files = new Map<number, number>();
  readonly jobs = new Map<number, number>();
  readonly links: Link[] = [];
  readonly rim: Rim[] = [];
  readonly #sql: Sql;
  readonly #way: Way;
  readonly #query: LineageQuery;
  readonly #bounds: typeof BOUNDS;
  #frontier: readonly number[];

  constructor(sql: Sql, way: Way, fileId: number, query: LineageQuery, bounds: typeof BOUNDS) {
    this.#bounds = bounds;
    this.#sql = sql;
    this.#way = way;
    this.#query = query;
    this.#frontier = [fileId];
    this.files.set(fileId, 0);
  }

  async run(): Promise<void> {
    for (let level = 1; level <= this.#query.depth && this.#frontier.length > 0; level += 1) {
      const jobIds = await this.#jobsOf(level);
      this.#frontier = jobIds.length === 0 ? [] : await this.#filesOf(jobIds, level);
    }
    if (this.#frontier.length > 0) for (const id of await this.#leading(this.#frontier)) this.#cutAt(id, 0);
  }

  /** The new jobs next to the frontier, up to the limit. */
  async #jobsOf(level: number): Promise<readonly number[]> {
    const room = this.#bounds.jobs - this.jobs.size;
    if (this.#way === 'ancestors') {
      const made = await producersOf(this.#sql, this.#frontier);
      return this.#taken(made, room, 'output', level, (link) => this.#cutAt(link.fileId, 0));
    }
    const after = level === 1 ? this.#query.after : 0;
    const taken = await consumersOf(this.#sql, this.#frontier, after, room + 1);
    const last = taken[room];
    if (last === undefined) return this.#taken(taken, room, 'input', level, () => undefined);
    const known = taken.slice(0, room);
    const place = this.#frontier.indexOf(last.fileId);
    const lastJob = known.findLast(({ fileId }) => fileId === last.fileId)?.jobId;
    this.#cutAt(last.fileId, lastJob ?? (level === 1 ? after : 0));
    for (const id of await this.#leading(this.#frontier.slice(place + 1))) this.#cutAt(id, 0);
    return this.#taken(known, room, 'input', level, () => undefined);
  }

  /** Adds links and their jobs. Links beyond the limit are passed to `leave`. */
  #taken(
    links: readonly LineageLink[],
    room: number,
    role: 'input' | 'output',
    level: number,
    leave: (link: LineageLink) => void,
  ): readonly number[] {
    const fresh: number[] = [];
    for (const link of links) {
      if (!this.jobs.has(link.jobId)) {
        if (fresh.length >= room) {
          leave(link);
          continue;
        }
        fresh.push(link.jobId);
        this.jobs.set(link.jobId, this.#way === 'ancestors' ? -level : level);
      }
      this.#link(link, role);
    }
    return fresh;
  }

  /** The new files on the other side of these jobs, up to the limit. */
  async #filesOf(jobIds: readonly number[], level: number): Promise<readonly number[]> {
    const room = this.#bounds.files - this.files.size;
    const read = this.#way === 'ancestors' ? inputsOf : productsOf;
    const links = await read(this.#sql, jobIds, room + 1);
    const cut = links[room];
    if (cut !== undefined) {
      const from = jobIds.toSorted((one, other) => one - other);
      for (const id of from.slice(from.indexOf(cut.jobId))) this.#cutAtJob(id);
    }
    const fresh: number[] = [];
    for (const link of links.slice(0, room)) {
      if (!this.files.has(link.fileId)) {
        fresh.push(link.fileId);
        this.files.set(link.fileId, this.#way === 'ancestors' ? -level : level);
      }
      this.#link(link, this.#way === 'ancestors' ? 'input' : 'output');
    }
    return fresh;
  }

  #link({ jobId, fileId, name }: LineageLink, role: 'input' | 'output'): void {
    this.links.push({ job: { id: jobId }, file: { id: fileId }, role, name });
  }

  /** The files from which the graph continues. */
  async #leading(fileIds: readonly number[]): Promise<readonly number[]> {
    if (fileIds.length === 0) return [];
    if (this.#way === 'descendants') return takenOf(this.#sql, fileIds);
    return (await producersOf(this.#sql, fileIds)).map(({ fileId }) => fileId);
  }

  #cutAt(fileId: number, after: number): void {
    const more = after === 0 ? '' : `&after=${after}`;
    const next = `/v6/files/${fileId}/lineage/?direction=${this.#way}&depth=${this.#query.depth}${more}`;
    this.rim.push({ direction: this.#way, file: { id: fileId }, job: null, next });
  }

  #cutAtJob(jobId: number): void {
    const next = this.#way === 'ancestors' ? `/v6/jobs/${jobId}/input_files/` : `/v6/files/?job_id=${jobId}`;
    this.rim.push({ direction: this.#way, file: null, job: { id: jobId }, next });
  }
}
