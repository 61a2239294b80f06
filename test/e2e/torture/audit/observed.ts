/** All that the interface tells and the workspaces hold, read once: what the audit then compares. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Caller } from '../caller.ts';
import type { Installation } from '../installation.ts';
import type { Place } from '../ledger.ts';
import { baitFolder } from '../work/baits.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}
interface Ref {
  readonly id: number;
}

export interface FileSeen {
  readonly id: number;
  readonly file_name: string;
  readonly file_path: string;
  readonly file_size: number;
  readonly file_type: 'SOURCE' | 'PRODUCT';
  readonly is_deleted: boolean;
  readonly is_superseded: boolean;
  readonly workspace: Named;
  readonly job: Ref | null;
  readonly recipe: Ref | null;
  readonly batch: Ref | null;
  readonly sha256: string | null;
  readonly is_published: boolean;
  readonly ancestors: {
    readonly parents: readonly AncestorSeen[];
    readonly sources: readonly AncestorSeen[];
  };
}
export interface AncestorSeen {
  readonly id: number;
  readonly file_name: string;
}
export interface IngestSeen {
  readonly id: number;
  readonly file_name: string;
  readonly file_path: string;
  readonly file_size: number;
  readonly status: string;
  readonly strike: Named | null;
  readonly scan: Named | null;
  readonly source_file: { readonly id: number } | null;
}
export interface JobSeen {
  readonly id: number;
  readonly status: string;
  readonly num_exes: number;
  readonly is_superseded: boolean;
  readonly job_type: Named & { readonly is_system: boolean };
  readonly recipe: Ref | null;
  readonly queued: string | null;
  readonly started: string | null;
  readonly ended: string | null;
  readonly executions: readonly ExecutionSeen[];
}
export interface ExecutionSeen {
  readonly status: string;
  readonly queued: string | null;
  readonly started: string | null;
  readonly ended: string | null;
  readonly exe_num: number;
  readonly error: { readonly name: string } | null;
}
export interface RecipeSeen extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly is_completed: boolean;
  readonly is_superseded: boolean;
  readonly recipe: Ref | null;
  readonly batch: Ref | null;
  readonly recipe_type: Named;
  readonly input: {
    readonly files: Readonly<Record<string, readonly number[]>>;
    readonly json: Readonly<Record<string, unknown>>;
  };
  readonly details: {
    readonly nodes: Readonly<Record<string, { readonly node_type: { readonly job_id?: number } }>>;
  };
}
export interface BatchSeen extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly title: string;
  readonly is_creation_done: boolean;
}
export interface PurgeSeen {
  readonly id: number;
  readonly status: string;
  readonly file_id: number;
  readonly removed: Readonly<Record<string, number>>;
  readonly problems: readonly object[];
}

/** What lies at a path: its hash, and that of what is in it where it is zipped. */
export interface Stored {
  readonly bytes: number;
  readonly sha256: string;
  readonly unzipped?: string;
}

export interface Observed {
  readonly files: readonly FileSeen[];
  readonly ingests: readonly IngestSeen[];
  readonly jobs: readonly JobSeen[];
  readonly recipes: readonly RecipeSeen[];
  readonly batches: readonly BatchSeen[];
  readonly purges: readonly PurgeSeen[];
  /** By place, then path: workspaces' markers are left out. */
  readonly stored: Readonly<Record<Place | 'arrivals', ReadonlyMap<string, Stored>>>;
}

const MARKER = '.millrace-workspace';
const AT_ONCE = 8;

export async function observe(all: Installation, caller: Caller): Promise<Observed> {
  const lists = async <T extends Ref>(path: string) => caller.list<T>(path);
  const [files, jobs, recipes, batches, ingests, purges] = await Promise.all([
    lists<FileSeen>('/v6/files/'),
    lists<JobSeen>('/v6/jobs/'),
    lists<RecipeSeen>('/v6/recipes/'),
    lists<BatchSeen>('/v6/batches/'),
    lists<IngestSeen>('/v6/ingests/'),
    lists<PurgeSeen>('/v6/purges/'),
  ]);
  const detailed = <T extends Ref>(path: string, records: readonly T[]) =>
    each(records, async (one) => ({ ...one, ...(await caller.get<T>(`${path}${one.id}/`)) }));
  const executed = each(jobs, async (job) => {
    return { ...job, executions: await caller.list<ExecutionSeen>(`/v6/jobs/${job.id}/executions/`) };
  });
  return {
    files: await detailed('/v6/files/', files),
    jobs: await executed,
    recipes: await detailed('/v6/recipes/', recipes),
    batches: await detailed('/v6/batches/', batches),
    ingests,
    purges: await detailed('/v6/purges/', purges),
    stored: {
      'demo-archive': inDirectory(all.world.at.archive),
      arrivals: inDirectory(all.world.at.arrivals),
      shelf: inDirectory(all.shelf),
      bait: inDirectory(baitFolder(all)),
      bucket: await inBucket(all),
    },
  };
}

async function each<T, R>(items: readonly T[], ask: (one: T) => Promise<R>): Promise<readonly R[]> {
  const answers = new Array<R>(items.length);
  const queue = items.entries();
  const lane = async () => {
    for (const [index, one] of queue) answers[index] = await ask(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return answers;
}

function inDirectory(directory: string): ReadonlyMap<string, Stored> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => !entry.isDirectory() && entry.name !== MARKER)
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [relative(directory, path), describe(entry.name, readFileSync(path))];
      }),
  );
}

async function inBucket({ store }: Installation): Promise<ReadonlyMap<string, Stored>> {
  const { client, name: bucket } = store.bucket;
  const keys: string[] = [];
  for await (const { name } of client.listObjectsV2(bucket, '', true) as AsyncIterable<{ name?: string }>)
    if (name !== undefined && name !== MARKER) keys.push(name);
  const pairs = await each(keys, async (key): Promise<readonly [string, Stored]> => {
    const pieces = await (await client.getObject(bucket, key)).toArray();
    return [key, describe(key, Buffer.concat(pieces))];
  });
  return new Map(pairs);
}

function describe(name: string, content: Buffer): Stored {
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const stored = { bytes: content.length, sha256: hash(content) };
  if (!name.endsWith('.gz')) return stored;
  try {
    return { ...stored, unzipped: hash(gunzipSync(content)) };
  } catch {
    return stored; // it is none, whatever its name
  }
}
