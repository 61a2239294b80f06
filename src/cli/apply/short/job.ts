/** A job of the short form: `count: {run: '…', in: {TEXT: file}, out: {WORDS: integer}, into: results}`. */
import type { JsonObject } from '../../../domain/document/json-value.ts';
import { WORK_VARIABLES } from '../../../domain/job/work-variables.ts';
import { environmentName } from '../../../domain/manifest/manifest.ts';
import { nearestOf } from '../../../domain/near-names.ts';
import type { Desired } from '../documents.ts';
import type { Origin } from '../origins.ts';
import { entriesOf, mapOf, numberOf, refuseOthers, report, textOf } from '../section.ts';
import { type Entry, type LocatedMap, memberOf, plainValue, scalarAt } from '../source.ts';
import { scriptCommand } from './command.ts';
import { type Input, type Output, readInput, readOutput } from './parameters.ts';
import { variablesOf } from './script.ts';
import type { ShortSet } from './set.ts';

const VERSION = '1.0.0';
const IMAGE = 'process:default';
/** Seconds. */
const TIMEOUT = 3_600;
/** limit: characters of a script. With the shell before it, it is a manifest's command, whose limit is 32,768. */
const SCRIPT_CHARS_MAX = 30_000;
/** Resources that have a field of their own, with their names in manifests. */
const RESOURCES = { cpus: 'cpus', mem: 'mem', disk: 'disk', gpus: 'gpus', shared_mem: 'sharedMem' } as const;
/** Fields that are copied to the body of a job type. */
const OF_TYPE = ['max_tries', 'max_scheduled', 'is_published', 'is_paused', 'icon_code', 'labels'] as const;
/** Fields that are copied to a manifest, below `job`. */
const OF_MANIFEST = ['title', 'description', 'timeout', 'tags', 'errors', 'maintainer'] as const;
/** Fields that are copied to a configuration. */
const OF_CONFIGURATION = ['priority', 'log_limit', 'product_path', 'mounts'] as const;
const FIELDS: readonly string[] = [
  ...['run', 'command', 'in', 'out', 'into', 'image', 'version', 'settings', 'resources'],
  ...Object.keys(RESOURCES),
  ...OF_TYPE,
  ...OF_MANIFEST,
  ...OF_CONFIGURATION,
];

/** Variables that every task has, and those that shells set. */
const ALWAYS_SET: readonly string[] = [
  ...['OUTPUT_DIR', 'INPUT_METADATA', 'TRACEPARENT', ...WORK_VARIABLES],
  ...[
    'PATH',
    'HOME',
    'TMPDIR',
    'LANG',
    'PWD',
    'OLDPWD',
    'IFS',
    'SHELL',
    'HOSTNAME',
    'USER',
    'UID',
    'EUID',
    'PPID',
  ],
  ...[
    'RANDOM',
    'SECONDS',
    'EPOCHSECONDS',
    'EPOCHREALTIME',
    'LINENO',
    'OPTARG',
    'OPTIND',
    'REPLY',
    'PIPESTATUS',
  ],
  ...['BASH', 'BASHPID', 'BASH_REMATCH', 'BASH_SOURCE', 'BASH_VERSION', 'FUNCNAME', 'LC_ALL', '_'],
];
const ALLOCATED = /^ALLOCATED_[A-Z0-9_]+$/;

export interface ShortJob {
  readonly desired: Desired;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
}

/** Reads a job; undefined if it is not a map. Wrong parts are reported and left out. */
export function readJob(set: ShortSet, { key: name, keyAt, value }: Entry): ShortJob | undefined {
  const what = `the job '${name}'`;
  const node = mapOf(set, value, what);
  if (node === undefined) return undefined;
  refuseOthers(set, node, FIELDS, what);
  const inputs = entriesOf(set, memberOf(node, 'in')?.value, `'in'`).flatMap(
    (entry) => readInput(set, entry) ?? [],
  );
  const outputs = entriesOf(set, memberOf(node, 'out')?.value, `'out'`).flatMap(
    (entry) => readOutput(set, entry) ?? [],
  );
  const origins = originsOf(node, name, keyAt);
  const version = versionOf(set, node);
  const settings = readSettings(set, node, origins);
  const manifest = {
    seedVersion: '1.0.0',
    job: {
      name,
      jobVersion: version,
      packageVersion: version,
      title: name,
      description: '',
      maintainer: { name: set.set, email: `${set.set}@localhost` },
      timeout: TIMEOUT,
      ...picked(node, OF_MANIFEST),
      ...readResources(set, node, origins),
      interface: {
        command: readCommand(set, node, { what, at: keyAt, inputs, settings: settings.declared }),
        ...inputDocuments(inputs, origins),
        ...outputDocuments(outputs, origins),
        ...(settings.declared.length === 0 ? {} : { settings: settings.declared }),
      },
    },
  };
  const configuration = {
    ...readInto(set, node, outputs, origins),
    ...picked(node, OF_CONFIGURATION),
    ...(Object.keys(settings.values).length === 0 ? {} : { settings: settings.values }),
  };
  const image = memberOf(node, 'image');
  const body = {
    container_image: image === undefined ? IMAGE : plainValue(image.value),
    manifest,
    ...(Object.keys(configuration).length === 0 ? {} : { configuration }),
    ...picked(node, OF_TYPE),
  };
  const desired = {
    kind: 'job_type' as const,
    name,
    version,
    set: set.set,
    body,
    file: set.file,
    at: keyAt,
    origins,
  };
  return { desired, inputs, outputs };
}

/** The positions of the fields that are copied to the body. */
function originsOf(node: LocatedMap, name: string, at: Entry['keyAt']): Origin[] {
  const origins: Origin[] = [
    { steps: [], node: scalarAt(name, at) },
    { steps: ['manifest'], node: scalarAt(name, at) },
  ];
  const add = (steps: Origin['steps'], key: string): void => {
    const entry = memberOf(node, key);
    if (entry !== undefined) origins.push({ steps, node: entry.value });
  };
  for (const key of OF_TYPE) add([key], key);
  for (const key of OF_MANIFEST) add(['manifest', 'job', key], key);
  for (const key of OF_CONFIGURATION) add(['configuration', key], key);
  add(['container_image'], 'image');
  add(['manifest', 'job', 'jobVersion'], 'version');
  add(['manifest', 'job', 'packageVersion'], 'version');
  add(['manifest', 'job', 'interface', 'command'], memberOf(node, 'run') === undefined ? 'command' : 'run');
  return origins;
}

/** Copies the given fields unchanged. They are checked later, with the body. */
function picked(node: LocatedMap, keys: readonly string[]): JsonObject {
  const entries = node.entries.filter(({ key }) => keys.includes(key));
  return Object.fromEntries(entries.map(({ key, value }) => [key, plainValue(value)]));
}

function versionOf(set: ShortSet, node: LocatedMap): string {
  const entry = memberOf(node, 'version');
  return entry === undefined ? VERSION : (textOf(set, entry.value, `'version'`)?.value ?? VERSION);
}

function readCommand(
  set: ShortSet,
  node: LocatedMap,
  job: {
    readonly what: string;
    readonly at: Entry['keyAt'];
    readonly inputs: readonly Input[];
    readonly settings: readonly { readonly name: string }[];
  },
): string {
  const [run, command] = [memberOf(node, 'run'), memberOf(node, 'command')];
  if (run !== undefined && command !== undefined) {
    report(set, command.keyAt, `${job.what} has 'run' and 'command': give only one of them`);
  }
  if (run === undefined) {
    // With an image, a job may have no command: the image may have one.
    if (command === undefined && memberOf(node, 'image') === undefined) {
      report(set, job.at, `${job.what} needs 'run', a shell script, or 'command'`);
    }
    return command === undefined ? '' : (textOf(set, command.value, `'command'`)?.value ?? '');
  }
  const script = textOf(set, run.value, `'run'`);
  if (script === undefined) return '';
  if (script.value.length > SCRIPT_CHARS_MAX) {
    report(
      set,
      script.at,
      `'run' must have at most ${SCRIPT_CHARS_MAX} characters: put the script into a file`,
    );
    return '';
  }
  const names = [...job.inputs, ...job.settings].map((one) => environmentName(one.name));
  const { read, set: own, setsOthers } = variablesOf(script.value);
  const known = new Set([...names, ...ALWAYS_SET]);
  for (const { name, offset } of setsOthers ? [] : read) {
    if (known.has(name) || own.has(name) || ALLOCATED.test(name)) continue;
    const near = nearestOf(name, [...names, 'OUTPUT_DIR', 'INPUT_METADATA']);
    report(set, script.inside(offset), `no variable '$${name}' is set for the script${near}`);
  }
  return scriptCommand(script.value);
}

function readResources(set: ShortSet, node: LocatedMap, origins: Origin[]): JsonObject {
  const own = Object.entries(RESOURCES).flatMap(([key, name]) => {
    const entry = memberOf(node, key);
    return entry === undefined ? [] : [{ name, entry }];
  });
  const others = entriesOf(set, memberOf(node, 'resources')?.value, `'resources'`);
  const all = [...own, ...others.map((entry) => ({ name: entry.key, entry }))];
  const scalar = all.flatMap(({ name, entry }) => {
    const value = numberOf(set, entry.value, `'${entry.key}'`);
    return value === undefined ? [] : [{ name, value, node: entry.value }];
  });
  for (const [index, { node: at }] of scalar.entries()) {
    origins.push({ steps: ['manifest', 'job', 'resources', 'scalar', index], node: at });
  }
  if (scalar.length === 0) return {};
  return { resources: { scalar: scalar.map(({ name, value }) => ({ name, value })) } };
}

/** `settings: {LEVEL: '9', KEY: {secret: true, value: '…'}}`: declared in the manifest, valued in the configuration. */
function readSettings(
  set: ShortSet,
  node: LocatedMap,
  origins: Origin[],
): { readonly declared: { name: string; secret?: true }[]; readonly values: Record<string, string> } {
  const declared: { name: string; secret?: true }[] = [];
  const values: [string, string][] = [];
  for (const { key, keyAt, value } of entriesOf(set, memberOf(node, 'settings')?.value, `'settings'`)) {
    origins.push({
      steps: ['manifest', 'job', 'interface', 'settings', declared.length],
      node: scalarAt(key, keyAt),
    });
    const isFull = value.kind === 'map';
    if (isFull) refuseOthers(set, value, ['value', 'secret'], `the setting '${key}'`);
    const secret = isFull ? memberOf(value, 'secret') : undefined;
    const isSecret = secret?.value.kind === 'scalar' && secret.value.value === true;
    declared.push(isSecret ? { name: key, secret: true } : { name: key });
    const given = isFull ? memberOf(value, 'value')?.value : value;
    if (given === undefined) continue;
    const isText = given.kind === 'scalar' && typeof given.value === 'string';
    if (isText) values.push([key, given.value as string]);
    else report(set, given.at, `the setting '${key}' must be a text: write it in quotes`);
  }
  return { declared, values: Object.fromEntries(values) };
}

const INTERFACE = ['manifest', 'job', 'interface'] as const;

function inputDocuments(inputs: readonly Input[], origins: Origin[]): JsonObject {
  const [files, json]: [JsonObject[], JsonObject[]] = [[], []];
  for (const { name, at, required, ...input } of inputs) {
    const [list, key] = input.kind === 'file' ? [files, 'files'] : [json, 'json'];
    origins.push({ steps: [...INTERFACE, 'inputs', key, list.length], node: scalarAt(name, at) });
    const optional = required ? {} : { required };
    if (input.kind === 'json') json.push({ name, type: input.type, ...optional });
    else {
      const { multiple, partial, mediaTypes } = input;
      files.push({
        name,
        ...optional,
        ...(mediaTypes.length === 0 ? {} : { mediaTypes }),
        ...(multiple ? { multiple } : {}),
        ...(partial ? { partial } : {}),
      });
    }
  }
  return parameterLists('inputs', files, json);
}

function outputDocuments(outputs: readonly Output[], origins: Origin[]): JsonObject {
  const [files, json]: [JsonObject[], JsonObject[]] = [[], []];
  for (const { name, at, required, ...output } of outputs) {
    const [list, key] = output.kind === 'file' ? [files, 'files'] : [json, 'json'];
    const steps = [...INTERFACE, 'outputs', key, list.length];
    origins.push({ steps, node: scalarAt(name, at) });
    const optional = required ? {} : { required };
    if (output.kind === 'json') {
      json.push({
        name,
        type: output.type,
        ...(output.key === undefined ? {} : { key: output.key }),
        ...optional,
      });
      continue;
    }
    const { pattern, multiple, mediaType } = output;
    const place = output.node.kind === 'map' ? memberOf(output.node, 'pattern')?.value : output.node;
    if (place !== undefined) origins.push({ steps: [...steps, 'pattern'], node: place });
    const media = mediaType === undefined ? {} : { mediaType };
    files.push({ name, pattern, ...media, ...(multiple ? { multiple } : {}), ...optional });
  }
  return parameterLists('outputs', files, json);
}

function parameterLists(key: string, files: readonly JsonObject[], json: readonly JsonObject[]): JsonObject {
  if (files.length + json.length === 0) return {};
  const lists = { ...(files.length === 0 ? {} : { files }), ...(json.length === 0 ? {} : { json }) };
  return { [key]: lists };
}

/** `into: results`, or a workspace for each output. A missing one is reported at its output. */
function readInto(
  set: ShortSet,
  node: LocatedMap,
  outputs: readonly Output[],
  origins: Origin[],
): JsonObject {
  for (const { name, at } of outputs) {
    origins.push({
      steps: ['configuration', 'output_workspaces', 'outputs', name],
      node: scalarAt(name, at),
    });
  }
  const into = memberOf(node, 'into');
  if (into === undefined) return {};
  if (into.value.kind !== 'map') {
    const text = textOf(set, into.value, `'into'`);
    if (text === undefined) return {};
    origins.push({ steps: ['configuration', 'output_workspaces', 'default'], node: text });
    return { output_workspaces: { default: text.value } };
  }
  const files = outputs.flatMap(({ kind, name }) => (kind === 'file' ? [name] : []));
  const named: [string, string][] = [];
  for (const { key, keyAt, value } of into.value.entries) {
    const text = textOf(set, value, `the workspace of '${key}'`);
    const isKnown = files.includes(key);
    if (!isKnown) report(set, keyAt, `there is no file output '${key}'${nearestOf(key, files)}`);
    if (text === undefined || !isKnown) continue;
    origins.push({ steps: ['configuration', 'output_workspaces', 'outputs', key], node: text });
    named.push([key, text.value]);
  }
  return { output_workspaces: { outputs: Object.fromEntries(named) } };
}
