/** Names of a service's records, for completion. */
import type { Client } from '../../client/client.ts';
import type { Candidate } from './candidates.ts';
import type { Source } from './sources.ts';

/** limit: names that are read, and ids of records without names, of which the newest come first. */
const NAMES_MAX = 500;
const NEWEST_MAX = 20;

type Named = Exclude<Source, 'profiles' | 'paths' | 'commands' | 'nothing' | readonly string[]>;

/** `word`: the beginning of the value. */
export async function namesOf(client: Client, source: Named, word: string): Promise<Candidate[]> {
  const names: Candidate[] = [];
  for await (const name of READ[source](client, word)) {
    names.push(name);
    if (names.length >= NAMES_MAX) break;
  }
  return names;
}

type Reader = (client: Client, word: string) => AsyncIterable<Candidate>;

const READ: Readonly<Record<Named, Reader>> = {
  'job-types': (client) => jobTypes(client, {}),
  'runnable-types': (client) => jobTypes(client, { is_system: false }),
  'recipe-types': async function* (client) {
    const query = { is_active: true };
    for await (const { name, title } of client.list('/v6/recipe-types/', { query })) yield text(name, title);
  },
  workspaces: (client) => workspaces(client, ''),
  async *places(client, word) {
    const [, workspace] = /^([^:/]+):/.exec(word) ?? [];
    if (workspace === undefined) return yield* workspaces(client, ':');
    // No filter of the list is by workspace: of all newest files, those of this one are offered.
    const query = { order: ['-id' as const], page_size: NAMES_MAX, fields: 'file_path,workspace' };
    const { results } = await client.get('/v6/files/', { query });
    for (const { file_path: path, workspace: at } of results)
      if (at?.name === workspace) yield text(`${workspace}:${path}`);
  },
  strikes: async function* (client) {
    for await (const { name, title } of client.list('/v6/strikes/')) yield text(name, title);
  },
  scans: async function* (client) {
    for await (const { name, title } of client.list('/v6/scans/')) yield text(name, title);
  },
  nodes: async function* (client) {
    for await (const { hostname } of client.list('/v6/nodes/')) yield text(hostname);
  },
  jobs: async function* (client) {
    const query = { order: ['-id' as const], page_size: NEWEST_MAX };
    const { results } = await client.get('/v6/jobs/', { query });
    for (const { id, status, job_type: type } of results) yield text(`${id}`, `${status} ${type.name}`);
  },
  recipes: async function* (client) {
    const query = { order: ['-id' as const], page_size: NEWEST_MAX };
    const { results } = await client.get('/v6/recipes/', { query });
    for (const { id, recipe_type: type } of results) yield text(`${id}`, type.name);
  },
  batches: async function* (client) {
    const query = { order: ['-id' as const], page_size: NEWEST_MAX };
    const { results } = await client.get('/v6/batches/', { query });
    for (const { id, title } of results) yield text(`${id}`, title);
  },
  datasets: async function* (client) {
    const query = { order: ['-id' as const], page_size: NEWEST_MAX };
    const { results } = await client.get('/v6/datasets/', { query });
    for (const { id, title } of results) yield text(`${id}`, title);
  },
};

async function* jobTypes(client: Client, which: { readonly is_system?: boolean }): AsyncGenerator<Candidate> {
  const query = { is_active: true, ...which };
  for await (const { name, title } of client.list('/v6/job-type-names/', { query })) yield text(name, title);
}

async function* workspaces(client: Client, end: string): AsyncGenerator<Candidate> {
  for await (const { name, title, is_active: isActive } of client.list('/v6/workspaces/')) {
    if (isActive) yield text(`${name}${end}`, title === name ? '' : title);
  }
}

function text(value: string, description: string | null = ''): Candidate {
  return { value, description: description === value ? '' : (description ?? '') };
}
