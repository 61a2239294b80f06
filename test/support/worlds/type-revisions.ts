/** Revisions of small recipe types for tests: jobs that take optional files and JSON, conditions, sub-recipes. */

import type { FileInfo } from '../../../src/domain/file/file.ts';
import { type DataFilter, EMPTY_FILTER } from '../../../src/domain/filter/filter.ts';
import type { Interface } from '../../../src/domain/interface/interface.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import type { Connection, RecipeNode } from '../../../src/domain/recipe/recipe-definition.ts';
import type { JobTypeRevision, RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';

type DependencySpec = string | { readonly name: string; readonly acceptance: boolean };

export interface NodeSpec {
  readonly after?: readonly DependencySpec[];
  /** Input name -> source; `@X` is the recipe's input X, `A.OUT` the output OUT of node A. */
  readonly input?: Readonly<Record<string, string>>;
  readonly job?: Partial<JobTypeRevision>;
  readonly sub?: RecipeTypeRevision;
  /** The interface of a condition. */
  readonly condition?: Interface;
  /** The filter of the condition; when absent, an empty one, which accepts nothing. */
  readonly filter?: DataFilter;
}

export const NO_INTERFACE: Interface = { files: [], json: [] };

let nextRevision = 1_000;

export function fileInput(name: string, over: { required?: boolean; multiple?: boolean } = {}) {
  return { name, required: false, multiple: false, ...over, media_types: [] };
}

export function makeManifest(over: Partial<Manifest['job']> = {}): Manifest {
  const optional = { required: false, multiple: false, mediaTypes: [], partial: false };
  return {
    seedVersion: '1.0.0',
    job: {
      name: 'work',
      jobVersion: '1.0.0',
      packageVersion: '1.2.0',
      title: 'Work',
      description: '',
      tags: [],
      maintainer: { name: 'Someone', email: 'someone@example.com' },
      timeout: 60,
      resources: { scalar: [] },
      errors: [],
      interface: {
        command: '',
        inputs: {
          files: [
            { ...optional, name: 'IN' },
            { ...optional, name: 'MORE', multiple: true },
          ],
          json: [{ name: 'N', type: 'integer', required: false }],
        },
        outputs: {
          files: [{ name: 'OUT', pattern: '*', mediaType: 'text/plain', multiple: true, required: false }],
          json: [{ name: 'COUNT', type: 'integer', key: 'COUNT', required: false }],
        },
        mounts: [],
        settings: [],
      },
      ...over,
    },
  };
}

export function makeJobRevision(over: Partial<JobTypeRevision> = {}): JobTypeRevision {
  const id = nextRevision++;
  return {
    jobTypeId: id,
    jobTypeRevId: id,
    jobTypeName: 'work',
    jobTypeVersion: '1.0.0',
    isActive: true,
    isSystem: false,
    containerImage: 'process:default',
    manifest: makeManifest(),
    configuration: { output_workspaces: { default: 'products', outputs: {} } },
    maxTries: 3,
    ...over,
  };
}

export function makeRecipeRevision(
  nodes: Readonly<Record<string, NodeSpec>>,
  input: Interface = { files: [fileInput('SRC')], json: [] },
): RecipeTypeRevision {
  const id = nextRevision++;
  const jobs = new Map<string, JobTypeRevision>();
  const subRecipes = new Map<string, RecipeTypeRevision>();
  const definition: Record<string, RecipeNode> = {};
  for (const [name, spec] of Object.entries(nodes)) {
    const kind = spec.sub !== undefined ? 'recipe' : spec.condition !== undefined ? 'condition' : 'job';
    if (kind === 'job') jobs.set(name, makeJobRevision(spec.job));
    if (spec.sub !== undefined) subRecipes.set(name, spec.sub);
    definition[name] = {
      dependencies: (spec.after ?? []).map((one) =>
        typeof one === 'string' ? { name: one, acceptance: true } : one,
      ),
      input: Object.fromEntries(
        Object.entries(spec.input ?? {}).map(([to, from]) => [to, connectionOf(from)]),
      ),
      node_type:
        kind === 'condition'
          ? { node_type: kind, interface: spec.condition, data_filter: spec.filter ?? EMPTY_FILTER }
          : { node_type: kind },
    } as RecipeNode;
  }
  return {
    recipeTypeId: id,
    recipeTypeRevId: id,
    recipeTypeName: `type-${id}`,
    revisionNum: 1,
    definition: { input, nodes: definition },
    jobs,
    subRecipes,
  };
}

function connectionOf(text: string): Connection {
  if (text.startsWith('@')) return { type: 'recipe', input: text.slice(1) };
  const [node = '', output = ''] = text.split('.');
  return { type: 'dependency', node, output };
}

export const WORKSPACES = {
  byName: new Map([
    ['raw', 1],
    ['products', 2],
  ]),
  byUuid: new Map([
    ['uuid-raw', 1],
    ['uuid-products', 2],
    ['00000000-0000-4000-8000-000000000002', 2],
  ]),
};

export function makeFile(over: Partial<FileInfo> = {}): FileInfo {
  const id = over.id ?? 1;
  return {
    id,
    uuid: `file-${id}`,
    fileType: 'SOURCE',
    fileName: `${id}.txt`,
    mediaType: 'text/plain',
    size: 1_048_577,
    tags: [],
    workspaceId: 1,
    isDeleted: false,
    sourceStartedMs: null,
    sourceEndedMs: null,
    dataStartedMs: null,
    sourceSensorClass: null,
    sourceSensor: null,
    sourceCollection: null,
    sourceTask: null,
    ...over,
  };
}
