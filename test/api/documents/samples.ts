/** Documents of each form, and who decides about it in the service. Together they have every field that there is. */

import { apiRoutes } from '../../../src/api/resources.ts';
import {
  validateBatchConfiguration,
  validateBatchDefinition,
} from '../../../src/domain/batch/batch-documents.ts';
import { validateData } from '../../../src/domain/data/data.ts';
import { readMemberTemplate, validateDatasetDefinition } from '../../../src/domain/dataset/dataset.ts';
import { checkJson } from '../../../src/domain/document/json-value.ts';
import { readFilter } from '../../../src/domain/filter/filter.ts';
import { validateInterface } from '../../../src/domain/interface/interface.ts';
import { validateConfigurationForm } from '../../../src/domain/job/job-config-check.ts';
import { validateManifest } from '../../../src/domain/manifest/manifest-check.ts';
import { validateForcedNodes } from '../../../src/domain/recipe/forced-nodes.ts';
import { readDefinition } from '../../../src/domain/recipe/recipe-definition.ts';
import { validateScanConfiguration } from '../../../src/domain/scan/scan-config.ts';
import { validateStrikeConfiguration } from '../../../src/domain/strike/strike-config.ts';
import { type Checked, IssueList, type Problem } from '../../../src/domain/validation.ts';
import { validateWorkspaceConfiguration } from '../../../src/domain/workspace/workspace-config.ts';
import { openApi } from '../../../src/http/openapi.ts';

export const { components, paths } = openApi(apiRoutes('1.0.0'), '1.0.0');

export interface Form {
  readonly name: string;
  /** The problems of a document, in the service's own words. */
  judge(document: unknown): readonly Problem[];
  /** Besides the examples of the schema. */
  readonly samples: readonly object[];
}

/** Knows every name, as the same thing. */
class All<V> extends Map<string, V> {
  readonly #value: (name: string) => V;
  constructor(value: (name: string) => V) {
    super();
    this.#value = value;
  }
  override get(name: string): V {
    return this.#value(name);
  }
}

const problemsOf = (checked: Checked<unknown>): readonly Problem[] => (checked.ok ? [] : checked.errors);

/** What reads into an issue list, as a check. */
const reading =
  (read: (issues: IssueList, document: unknown) => unknown) =>
  (document: unknown): readonly Problem[] => {
    const issues = new IssueList();
    if (checkJson(document, issues, 'FORM')) read(issues, document);
    return issues.errors;
  };

const INPUT = { files: [{ name: 'TEXT', media_types: [], required: true, multiple: false }], json: [] };
const LOOKUPS = {
  workspaces: new All((name) => ({
    brokerType: name === 'uploads' ? ('objstore' as const) : ('host' as const),
    isActive: true,
  })),
  recipeTypes: new All(() => ({
    isActive: true,
    latestRevision: 1,
    inputs: { get: () => INPUT } as unknown as ReadonlyMap<number, typeof INPUT>,
  })),
  patternProblem: () => undefined,
  hasNats: true,
};

const mounts = {
  models: { type: 'host', host_path: '/data/models' },
  scratch: { type: 'volume', driver: 'local', driver_opts: { size: '1g' } },
};
const named = { name: 'A', required: false };

export const FORMS: readonly Form[] = [
  {
    name: 'SeedManifest',
    judge: (document) => problemsOf(validateManifest(document)),
    samples: [
      {
        seedVersion: '1.0.0',
        job: {
          ...{
            name: 'full',
            jobVersion: '1.0.0-rc.1+2',
            packageVersion: '1.0.0',
            title: 'Full',
            description: '',
          },
          ...{ tags: ['a'], timeout: 60 },
          maintainer: { name: 'A', email: 'a@b.c', organization: 'O', url: 'https://b.c', phone: '1' },
          resources: { scalar: [{ name: 'cpus', value: 0.5, inputMultiplier: 2 }] },
          interface: {
            command: 'run',
            inputs: {
              files: [{ ...named, mediaTypes: ['a/b'], multiple: true, partial: true }],
              json: [{ ...named, name: 'B', type: 'integer' }],
            },
            outputs: {
              files: [{ ...named, pattern: '*.gz', mediaType: 'a/b', multiple: true }],
              json: [{ ...named, name: 'B', type: 'string', key: 'b' }],
            },
            mounts: [{ name: 'C', path: '/c', mode: 'ro' }],
            settings: [{ name: 'D', secret: true }],
          },
          errors: [{ code: 2, name: 'bad', title: 'Bad', description: 'Very.', category: 'data' }],
        },
      },
    ],
  },
  {
    name: 'JobConfiguration',
    judge: (document) => problemsOf(validateConfigurationForm(document, LOOKUPS.workspaces, 'texts')),
    samples: [
      {
        version: '6',
        mounts,
        output_workspaces: { default: 'a', outputs: { B: 'b' } },
        priority: 1,
        log_limit: 1,
        product_path: 'own',
        settings: {},
      },
    ],
  },
  {
    name: 'RecipeConfiguration',
    judge: (document) => problemsOf(validateConfigurationForm(document, LOOKUPS.workspaces, 'scalars')),
    samples: [
      {
        version: '7',
        mounts,
        output_workspaces: { outputs: { B: 'b' } },
        settings: { A: true },
        log_limit: 2,
        product_path: 'long',
      },
    ],
  },
  {
    name: 'Interface',
    judge: (document) => problemsOf(validateInterface(document)),
    samples: [
      {
        version: '6',
        files: [{ name: 'B', media_types: ['a/b'], multiple: true }],
        json: [{ name: 'A', type: 'object', required: true }],
      },
    ],
  },
  {
    name: 'DataValues',
    judge: (document) => problemsOf(validateData(document)),
    samples: [{ version: '6', files: { A: [1], B: null }, json: { C: [1, 'x'] } }],
  },
  {
    name: 'DataTemplate',
    judge(document) {
      const template = readMemberTemplate(document);
      return problemsOf(template.ok ? validateData(template.value(1)) : template);
    },
    samples: [{ version: '6', files: { A: ['FILE_VALUE', 3] }, json: { C: [1, 'x'] } }],
  },
  {
    name: 'DataFilter',
    judge: reading((issues, document) => readFilter(issues, document, '')),
    samples: [
      {
        version: '6',
        filters: [
          {
            ...{ name: 'A', type: 'meta-data', condition: '==', values: [['x']], fields: [['a', 'b']] },
            ...{ all_fields: false, all_files: true },
          },
        ],
        all: false,
      },
    ],
  },
  {
    name: 'RecipeDefinition',
    judge: reading(readDefinition),
    samples: [
      {
        version: '6',
        input: {},
        nodes: {
          a: {
            dependencies: [{ name: 'b', acceptance: false }],
            input: { X: { type: 'dependency', node: 'b', output: 'Y' }, Z: { type: 'recipe', input: 'W' } },
            node_type: {
              ...{ node_type: 'job', job_type_name: 'j', job_type_version: '1.0.0', job_type_revision: '2' },
            },
          },
          c: {
            dependencies: [],
            input: {},
            node_type: { node_type: 'recipe', recipe_type_name: 'r', recipe_type_revision: 1 },
          },
        },
      },
    ],
  },
  {
    name: 'ForcedNodes',
    judge: (document) => problemsOf(validateForcedNodes(document)),
    samples: [{ version: '6', all: false, nodes: ['a'], sub_recipes: { a: { all: false, nodes: ['b'] } } }],
  },
  {
    name: 'WorkspaceConfiguration',
    judge: (document) => problemsOf(validateWorkspaceConfiguration(document)),
    samples: [
      {
        version: '6',
        workspace: 'w',
        http: 'read',
        broker: {
          ...{
            type: 'objstore',
            bucket_name: 'bucket',
            region_name: 'r',
            endpoint: 'https://a.b',
            path_style: true,
          },
          ...{ host_path: '/mnt', credentials: { access_key_id: 'a', secret_access_key: 'b' } },
        },
      },
    ],
  },
  {
    name: 'StrikeConfiguration',
    judge: (document) => problemsOf(validateStrikeConfiguration(document, LOOKUPS)),
    samples: [
      {
        version: '6',
        workspace: 'a',
        monitor: {
          type: 'dir-watcher',
          transfer_suffix: '_tmp',
          stable_ms: 1,
          since: '2026-01-02T03:04:05Z',
        },
        files_to_ingest: [
          {
            ...{
              filename_regex: 'a',
              match: 'name',
              data_types: ['x'],
              new_workspace: 'b',
              new_file_path: 'c/d',
            },
            ...{ workspace_path: 'c/d', workspace_name: 'b' },
          },
        ],
        recipe: { name: 'r', revision_num: '1' },
        ...{ transfer_suffix: '_tmp', mount_on: '/workspaces/a', mount: '/x' },
      },
      {
        workspace: 'uploads',
        monitor: {
          ...{
            type: 'objstore',
            queue_name: 'q',
            region_name: 'r',
            queue_type: 'sqs',
            list_every_ms: 60_000,
          },
          credentials: { access_key_id: 'a', secret_access_key: 'b' },
        },
        files_to_ingest: [{ filename_regex: 'a' }],
        recipe: { name: 'r' },
      },
    ],
  },
  {
    name: 'ScanConfiguration',
    judge: (document) => problemsOf(validateScanConfiguration(document, LOOKUPS)),
    samples: [
      {
        version: '6',
        workspace: 'a',
        scanner: { type: 'dir', transfer_suffix: '_tmp' },
        monitor: { type: 'dir', transfer_suffix: '_tmp' },
        recursive: false,
        files_to_ingest: [{ filename_regex: 'a' }],
        recipe: { name: 'r' },
      },
    ],
  },
  {
    name: 'BatchDefinition',
    judge: (document) => problemsOf(validateBatchDefinition(document)),
    samples: [{ version: '6', dataset: 1, supersedes: false, previous_batch: { root_batch_id: 1 } }],
  },
  {
    name: 'BatchConfiguration',
    judge: (document) => problemsOf(validateBatchConfiguration(document)),
    samples: [{ version: '6', priority: 1 }],
  },
  {
    name: 'DatasetDefinition',
    judge: (document) => problemsOf(validateDatasetDefinition(document)),
    samples: [{ version: '6', parameters: {}, global_parameters: {}, global_data: {} }],
  },
];
