/** Definitions of recipe types and the types that they mention, for tests. */
import type { Interface } from '../../../src/domain/interface/interface.ts';
import { type DefinitionLookups, jobTypeKey } from '../../../src/domain/recipe/recipe-definition-check.ts';

export type Change = Record<string, unknown>;
export const file = (name: string, change: object = {}): Interface['files'][number] => {
  return { name, media_types: [], required: true, multiple: false, ...change };
};
export const IN: Interface = { files: [file('IN')], json: [] };
export const OUT: Interface = {
  files: [
    file('OUT', { media_types: ['image/png'] }),
    file('MAYBE', { required: false }),
    file('MANY', { multiple: true }),
  ],
  json: [{ name: 'N', type: 'integer', required: true }],
};
const PICKY: Interface = {
  files: [file('IN', { media_types: ['text/plain'] })],
  json: [{ name: 'S', type: 'string', required: false }],
};
export const LOOKUPS: DefinitionLookups = {
  jobTypes: new Map([
    [
      jobTypeKey('job', '1.0.0'),
      {
        isActive: true,
        latestRevision: 2,
        revisions: new Map([
          [1, { inputs: IN, outputs: IN }],
          [2, { inputs: IN, outputs: OUT }],
        ]),
      },
    ],
    [
      jobTypeKey('picky', '1.0.0'),
      { isActive: true, latestRevision: 1, revisions: new Map([[1, { inputs: PICKY, outputs: OUT }]]) },
    ],
    [
      jobTypeKey('old', '1.0.0'),
      { isActive: false, latestRevision: 1, revisions: new Map([[1, { inputs: IN, outputs: OUT }]]) },
    ],
  ]),
  recipeTypes: new Map([
    [
      'sub',
      {
        isActive: true,
        latestRevision: 3,
        revisions: new Map([[3, { input: IN }]]),
        contains: new Set(['inner']),
      },
    ],
  ]),
};
export const job = (change: Change = {}): Change => ({
  node_type: 'job',
  job_type_name: 'job',
  job_type_version: '1.0.0',
  ...change,
});
export const recipeInput = { type: 'recipe', input: 'FILE' };
export const from = (node: string, output = 'OUT'): Change => ({ type: 'dependency', node, output });
export const node = (change: Change = {}): Change => ({
  dependencies: [],
  input: { IN: recipeInput },
  node_type: job(),
  ...change,
});
export const after = (name: string, change: Change = {}): Change => {
  return node({ dependencies: [{ name }], input: { IN: from(name) }, ...change });
};
export const condition = (change: Change = {}): Change => ({
  node_type: 'condition',
  interface: { files: [{ name: 'C', required: false }] },
  data_filter: { filters: [{ name: 'C', type: 'filename', condition: '==', values: ['x'] }] },
  ...change,
});
export const definition = (nodes: Change, change: Change = {}): Change => ({
  input: { files: [{ name: 'FILE' }] },
  nodes,
  ...change,
});
