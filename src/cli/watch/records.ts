/**
 * The records that a line needs: two workspaces, a job type, a recipe type with this one job, and a strike. Existing
 * records with their names are used again, and changed only if they differ from the line.
 */
import type { Client } from '../../client/client.ts';
import { RefusedError } from '../../client/errors.ts';
import type { WatchLine } from './line.ts';
import { commandOf, INPUT, PRODUCTS } from './script.ts';
import { type WatchedWorkspaces, workspacesOf } from './workspaces.ts';

/** The label of all records of a line. Its value is the name of the line's strike. */
export const LABEL = 'millrace-watch';

/** The label of a strike that has ended in order: the position in the stream of changes up to which all was shown. */
const SHOWN_LABEL = `${LABEL}-shown`;

export const VERSION = '1.0.0';
export const RECIPE_INPUT = 'FILE';
const NODE = 'run';

export interface WatchTypes {
  readonly workspaces: WatchedWorkspaces;
  /** Whether the script differs from the one for earlier files. */
  readonly isChanged: boolean;
}

export interface WatchStrike {
  readonly id: number;
  /** What the strike was doing before; `none` if it did not exist. */
  readonly before: 'none' | 'paused' | 'watching';
}

/** Creates the workspaces, the job type and the recipe type of the strike, or updates existing ones. */
export async function makeTypes(client: Client, line: WatchLine): Promise<WatchTypes> {
  const workspaces = await workspacesOf(client, line, LABEL);
  const isChanged = await makeJobType(client, line, workspaces.into.name);
  await makeRecipeType(client, line);
  return { workspaces, isChanged };
}

function labelsOf(line: WatchLine): Record<string, string> {
  return { [LABEL]: line.name };
}

function manifestOf(line: WatchLine) {
  return {
    seedVersion: '1.0.0' as const,
    job: {
      name: line.name,
      jobVersion: VERSION,
      packageVersion: VERSION,
      title: `Watch ${line.name}`,
      description: `Runs a script for each file ${line.match} of ${line.directory}`,
      tags: ['watch'],
      maintainer: { name: 'millrace watch', email: 'watch@localhost.invalid' },
      timeout: line.timeoutSeconds,
      resources: {
        scalar: [
          { name: 'cpus', value: line.resources.cpus },
          { name: 'mem', value: line.resources.memMiB },
          { name: 'disk', value: 16, inputMultiplier: 2 },
        ],
      },
      interface: {
        command: commandOf(line.script),
        inputs: { files: [{ name: INPUT }] },
        outputs: { files: [{ name: PRODUCTS, pattern: '*', multiple: true, required: false }] },
      },
    },
  };
}

/** Resolves with whether an earlier script was replaced. */
async function makeJobType(client: Client, line: WatchLine, workspace: string): Promise<boolean> {
  const manifest = manifestOf(line);
  const configuration = {
    product_path: 'own' as const,
    output_workspaces: { default: workspace, outputs: {} },
  };
  const kept = await found(
    client.get('/v6/job-types/{name}/{version}/', { path: { name: line.name, version: VERSION } }),
  );
  if (kept === undefined) {
    await client.post('/v6/job-types/', {
      body: {
        container_image: 'process:default',
        manifest,
        configuration,
        labels: labelsOf(line),
      },
    });
    return false;
  }
  await client.patch('/v6/job-types/{name}/{version}/', {
    path: { name: line.name, version: VERSION },
    body: { manifest, configuration, is_active: true },
  });
  const now = await client.get('/v6/job-types/{name}/{version}/', {
    path: { name: line.name, version: VERSION },
    query: { fields: 'revision_num' },
  });
  return now.revision_num > kept.revision_num;
}

async function makeRecipeType(client: Client, line: WatchLine): Promise<void> {
  const kept = await found(client.get('/v6/recipe-types/{name}/', { path: { name: line.name } }));
  if (kept !== undefined) return;
  const definition = {
    input: { files: [{ name: RECIPE_INPUT, required: true, multiple: false, media_types: [] }], json: [] },
    nodes: {
      [NODE]: {
        dependencies: [],
        input: { [INPUT]: { type: 'recipe' as const, input: RECIPE_INPUT } },
        node_type: {
          node_type: 'job' as const,
          job_type_name: line.name,
          job_type_version: VERSION,
          job_type_revision: 1,
        },
      },
    },
  };
  await client.post('/v6/recipe-types/', {
    body: { name: line.name, title: `Watch ${line.name}`, definition, labels: labelsOf(line) },
  });
}

/** Where the same line has ended before, in the stream of changes. Undefined: never, or not in order. */
export async function shownUntil(client: Client, { name }: WatchLine): Promise<string | undefined> {
  for await (const { labels } of client.list('/v6/strikes/', { query: { name: [name] } }))
    return labels[SHOWN_LABEL];
  return undefined;
}

/** Creates the strike, or resumes it. From then on it ingests files. */
export async function beginStrike(
  client: Client,
  line: WatchLine,
  { workspaces }: WatchTypes,
): Promise<WatchStrike> {
  const workspace = workspaces.directory.name;
  const configurationOf = (since: string | undefined) => ({
    workspace,
    monitor: {
      type: 'dir-watcher' as const,
      transfer_suffix: '_tmp',
      ...(since === undefined ? {} : { since }),
    },
    files_to_ingest: [{ filename_regex: line.regex, data_types: [] }],
    recipe: { name: line.name },
  });
  for await (const kept of client.list('/v6/strikes/', { query: { name: [line.name] } })) {
    const before = kept.is_paused ? 'paused' : 'watching';
    const path = { id: kept.id };
    const { configuration } = await client.get('/v6/strikes/{id}/', { path });
    const since = line.isNewOnly ? (sinceOf(configuration) ?? now()) : undefined;
    const { [SHOWN_LABEL]: _, ...labels } = kept.labels;
    await client.patch('/v6/strikes/{id}/', {
      path,
      body: { configuration: configurationOf(since), is_paused: false, labels },
    });
    return { id: kept.id, before };
  }
  const made = await client.post('/v6/strikes/', {
    body: {
      name: line.name,
      title: `Watch ${line.name}`,
      description: `Made by millrace watch for ${line.match} in ${line.directory}`,
      labels: labelsOf(line),
      configuration: configurationOf(line.isNewOnly ? now() : undefined),
    },
  });
  return { id: made.id, before: 'none' };
}

const now = (): string => new Date().toISOString();

/** The start of an earlier run: the same line typed again also takes the files that arrived while it did not run. */
function sinceOf(configuration: unknown): string | undefined {
  return (configuration as { monitor?: { since?: string } } | null)?.monitor?.since;
}

/** Stops ingesting files. Running jobs are finished. */
export async function pauseStrike(client: Client, id: number): Promise<void> {
  await client.patch('/v6/strikes/{id}/', { path: { id }, body: { is_paused: true } });
}

/** Keeps for the same line, typed again, up to where everything was shown. */
export async function keepShown(client: Client, id: number, until: string): Promise<void> {
  const path = { id };
  const { labels } = await client.get('/v6/strikes/{id}/', { path });
  await client.patch('/v6/strikes/{id}/', { path, body: { labels: { ...labels, [SHOWN_LABEL]: until } } });
}

/** The record, or undefined where there is none. */
async function found<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  }
}
