/**
 * The built-in diagnostics as data: small job types that exercise every stage of a job, and the recipe types that
 * contain them. Their scripts run in any shell with the usual small tools, in a container or as a process.
 */
import { EMPTY_MANIFEST_INTERFACE, type Manifest } from '../manifest/manifest.ts';
import type { RecipeDefinition, RecipeNode } from '../recipe/recipe-definition.ts';

export interface DiagnosticJobType {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly iconCode: string;
  readonly timeoutS: number;
  /** For `sh -c`; without single quotes. */
  readonly script: string;
}

export const DIAGNOSTIC_VERSION = '1.0.0';
export const DIAGNOSTIC_PRIORITY = 25;
/** Diagnostics are never tried again: a roulette that loses stays FAILED. */
export const DIAGNOSTIC_TRIES = 0;

const COUNT = [
  'i=0; while [ $i -lt 100 ]; do echo $i; i=$((i+1)); done;',
  'i=0; while [ $i -lt 100 ]; do echo $i >&2; i=$((i+1)); done;',
  'i=0; while [ $i -lt 100 ]; do echo $i >&2; echo $((i+1)); i=$((i+2)); done',
].join(' ');

/** Exit code 11 is the built-in error `test`. */
const ROULETTE = 'sleep 1; n=$(od -An -N1 -tu1 /dev/urandom); [ $((n % 2)) -eq 0 ] || exit 11';

export const DIAGNOSTIC_JOB_TYPES: readonly DiagnosticJobType[] = [
  {
    name: 'millrace-hello',
    title: 'Millrace Hello',
    description: 'Prints a greeting: for trying throughput',
    iconCode: 'f118',
    timeoutS: 600,
    script: 'echo "Hello from the standard error of Millrace" >&2; echo "Hello from Millrace"',
  },
  {
    name: 'millrace-count',
    title: 'Millrace Count',
    description: 'Prints numbers on both streams: for trying the order of logs',
    iconCode: 'f162',
    timeoutS: 600,
    script: COUNT,
  },
  {
    name: 'millrace-bake',
    title: 'Millrace Bake',
    description: 'Waits 15 minutes and completes',
    iconCode: 'f1fd',
    timeoutS: 1_800,
    script: 'sleep 900',
  },
  {
    name: 'millrace-roulette',
    title: 'Millrace Roulette',
    description: 'Completes or fails at random, with equal odds',
    iconCode: 'f0d6',
    timeoutS: 600,
    script: ROULETTE,
  },
];

export type DiagnosticName = 'bake' | 'casino' | 'count' | 'hello' | 'roulette';

export interface DiagnosticRecipeType {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Names of the job types of the nodes, in order. */
  readonly jobs: readonly string[];
}

export const DIAGNOSTIC_RECIPE_TYPES: Readonly<Record<DiagnosticName, DiagnosticRecipeType>> = {
  bake: single('Bake', 'One job that waits 15 minutes'),
  count: single('Count', 'One job that prints numbers'),
  hello: single('Hello', 'One job that prints a greeting'),
  roulette: single('Roulette', 'One job that fails at random'),
  casino: {
    name: 'millrace-casino',
    title: 'Millrace Casino',
    description: 'Three jobs one after the other that each fail at random',
    jobs: ['millrace-roulette', 'millrace-roulette', 'millrace-roulette'],
  },
};

function single(word: string, description: string): DiagnosticRecipeType {
  const name = `millrace-${word.toLowerCase()}`;
  return { name, title: `Millrace ${word}`, description, jobs: [name] };
}

/** The manifest of a diagnostic, with its defaults filled in like all stored manifests. */
export function diagnosticManifest(type: DiagnosticJobType): Manifest {
  const { name, title, description, timeoutS, script } = type;
  return {
    seedVersion: '1.0.0',
    job: {
      name,
      jobVersion: DIAGNOSTIC_VERSION,
      packageVersion: DIAGNOSTIC_VERSION,
      title,
      description,
      tags: ['system', 'diagnostic'],
      maintainer: { name: 'Millrace', email: 'noreply@example.com' },
      timeout: timeoutS,
      resources: {
        scalar: [
          { name: 'cpus', value: 0.1 },
          { name: 'mem', value: 64 },
          { name: 'disk', value: 1 },
        ],
      },
      interface: { ...EMPTY_MANIFEST_INTERFACE, command: `sh -c '${script}'` },
      errors: [],
    },
  };
}

/** The definition of a diagnostic recipe type; `revisionOf` gives the revision of each job type. */
export function diagnosticDefinition(
  type: DiagnosticRecipeType,
  revisionOf: (jobTypeName: string) => number,
): RecipeDefinition {
  const nodeName = (job: string, at: number) => `${job.replace('millrace-', '')}-${at + 1}`;
  const nodes = type.jobs.map((job, at): [string, RecipeNode] => {
    const before = at === 0 ? [] : [{ name: nodeName(type.jobs[at - 1] ?? '', at - 1), acceptance: true }];
    const node: RecipeNode = {
      dependencies: before,
      input: {},
      node_type: {
        node_type: 'job',
        job_type_name: job,
        job_type_version: DIAGNOSTIC_VERSION,
        job_type_revision: revisionOf(job),
      },
    };
    return [nodeName(job, at), node];
  });
  return { input: { files: [], json: [] }, nodes: Object.fromEntries(nodes) };
}
