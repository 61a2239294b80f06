/** Turns files into the records that they describe. Pure: facts about the server are passed in. */
import type { JsonObject } from '../../domain/document/json-value.ts';
import type { Interface } from '../../domain/interface/interface.ts';
import { inputInterfaceOf, outputInterfaceOf } from '../../domain/manifest/manifest.ts';
import { validateManifest } from '../../domain/manifest/manifest-check.ts';
import { NAME_CHARS_MAX, NAME_FORM, NAME_PATTERN } from '../../domain/names.ts';
import { didYouMean } from '../../domain/near-names.ts';
import { type Desired, KIND_WORDS, type Kind, keyOf, titleOf } from './documents.ts';
import type { LoadedFile } from './load-files.ts';
import { type FileFindings, mapOf, refuseOthers, report, textOf } from './section.ts';
import { readScan, readStrike } from './short/ingest.ts';
import { readJob } from './short/job.ts';
import type { Input, Output } from './short/parameters.ts';
import { readPlace } from './short/place.ts';
import { type FindJob, readRecipe } from './short/recipe.ts';
import type { KnownJob, ShortSet } from './short/set.ts';
import { type Entry, type Findings, type Located, type LocatedMap, memberOf, plainValue } from './source.ts';

const SECTIONS: readonly string[] = [
  ...['set', 'workspaces', 'jobs', 'job_types', 'recipe', 'recipes', 'recipe_types'],
  ...['strike', 'strikes', 'scan', 'scans'],
];
const NAME = new RegExp(NAME_PATTERN, 'u');

export interface Expanded {
  /** In the order of the files. */
  readonly records: readonly Desired[];
  /** Sets that the files name. */
  readonly sets: ReadonlySet<string>;
  /** Job types that recipes call and no file describes: `name@version`. */
  readonly externalJobs: readonly { readonly name: string; readonly version: string }[];
}

/** One document, of which only the name of its set has been read. */
interface Document {
  readonly where: FileFindings & { readonly folder: string };
  readonly node: LocatedMap;
  /** Undefined: it names no set, or its name is invalid. */
  readonly set: ShortSet | undefined;
}

/** `known`: job types of the server, by `keyOf`. The same files and facts always give the same records. */
export function expandFiles(
  files: readonly LoadedFile[],
  known: ReadonlyMap<string, KnownJob>,
  findings: Findings,
): Expanded {
  const documents = files.flatMap(({ file, folder, documents }) => {
    return documents.flatMap((node) => readDocument({ file, folder, findings }, node) ?? []);
  });
  const jobs: KnownJob[] = [];
  const before = documents.map((document) => readIndependent(document, jobs));
  const externalJobs = new Map<string, { name: string; version: string }>();
  const findJob: FindJob = (name) => jobOf(name, jobs, known, externalJobs);
  const records = documents.flatMap((document, index) => [
    ...(before[index] ?? []),
    ...readDependent(document, findJob),
  ]);
  refuseTwice(records, findings);
  const sets = new Set(documents.flatMap(({ set }) => set?.set ?? []));
  return { records, sets, externalJobs: [...externalJobs.values()] };
}

const SEED_MANIFEST =
  "this is a Seed manifest: put it below 'manifest' of an entry of 'job_types' (docs/apply.md, the full form), " +
  'or run it once with `millrace type try`';

function readDocument(where: Document['where'], node: Located): Document | undefined {
  const map = mapOf(where, node, 'a document');
  if (map === undefined) return undefined;
  const manifest = memberOf(map, 'seedVersion');
  if (manifest !== undefined) return report(where, manifest.keyAt, SEED_MANIFEST);
  refuseOthers(where, map, SECTIONS, 'a document');
  const entry = memberOf(map, 'set');
  const text = entry === undefined ? undefined : textOf(where, entry.value, `'set'`);
  if (text === undefined) return { where, node: map, set: undefined };
  if (text.value.length > NAME_CHARS_MAX)
    report(where, text.at, `'set' must have at most ${NAME_CHARS_MAX} characters`);
  else if (!NAME.test(text.value)) report(where, text.at, `'set' ${NAME_FORM}`);
  return { where, node: map, set: { ...where, set: text.value } };
}

/** The entries of a section in the short form; a document without a set is reported. */
function shortEntries(
  { where, node, set }: Document,
  section: string,
): readonly [ShortSet, readonly Entry[]] | undefined {
  const entry = memberOf(node, section);
  if (entry === undefined) return undefined;
  if (entry.value.kind === 'list') {
    const hasFullForm = ['workspaces', 'strikes', 'scans'].includes(section);
    return hasFullForm ? undefined : report(where, entry.value.at, `'${section}' must be a map`);
  }
  if (set === undefined) {
    if (memberOf(node, 'set') === undefined) {
      report(where, entry.keyAt, `'${section}' in the short form needs a 'set: NAME' in the document`);
    }
    return undefined;
  }
  if (entry.value.kind === 'scalar' && entry.value.value === null) return undefined;
  const map = mapOf(where, entry.value, `'${section}'`);
  return map === undefined ? undefined : [set, map.entries];
}

function each<T>(
  document: Document,
  section: string,
  read: (set: ShortSet, entry: Entry) => T | undefined,
): readonly T[] {
  const found = shortEntries(document, section);
  if (found === undefined) return [];
  const [set, entries] = found;
  return entries.flatMap((entry) => read(set, entry) ?? []);
}

/** A section that describes one record, which is named after the set. */
function single(
  document: Document,
  section: string,
  read: (set: ShortSet, entry: Entry, name: string) => Desired | undefined,
): readonly Desired[] {
  const entry = memberOf(document.node, section);
  const found = entry === undefined ? undefined : shortEntries(document, section);
  if (entry === undefined || found === undefined) return [];
  const record = read(found[0], entry, found[0].set);
  return record === undefined ? [] : [record];
}

function readIndependent(document: Document, jobs: KnownJob[]): readonly Desired[] {
  const types = [
    ...each(document, 'jobs', (set, entry) => {
      const job = readJob(set, entry);
      if (job === undefined) return undefined;
      const { name, version = '' } = job.desired;
      const parts = { inputs: shortInterface(job.inputs), outputs: shortInterface(job.outputs) };
      jobs.push({ name, version, isInFiles: true, ...parts });
      return job.desired;
    }),
    ...full(document, 'job_type'),
  ];
  for (const type of types) {
    if (jobs.some(({ name, version }) => name === type.name && version === type.version)) continue;
    const manifest = validateManifest(type.body.manifest);
    jobs.push({
      name: type.name,
      version: type.version ?? '',
      isInFiles: true,
      inputs: manifest.ok ? inputInterfaceOf(manifest.value) : undefined,
      outputs: manifest.ok ? outputInterfaceOf(manifest.value) : undefined,
    });
  }
  return [...each(document, 'workspaces', readPlace), ...full(document, 'workspace'), ...types];
}

function readDependent(document: Document, findJob: FindJob): readonly Desired[] {
  const recipe = (set: ShortSet, entry: Entry, name?: string) => readRecipe(set, entry, findJob, name);
  return [
    ...single(document, 'recipe', recipe),
    ...each(document, 'recipes', (set, entry) => recipe(set, entry)),
    ...full(document, 'recipe_type'),
    ...single(document, 'strike', readStrike),
    ...each(document, 'strikes', (set, entry) => readStrike(set, entry)),
    ...full(document, 'strike'),
    ...single(document, 'scan', readScan),
    ...each(document, 'scans', (set, entry) => readScan(set, entry)),
    ...full(document, 'scan'),
  ];
}

/** The parameters of a job as an interface document. */
function shortInterface(parameters: readonly (Input | Output)[]): Interface {
  const files = parameters.flatMap((one) => {
    if (one.kind !== 'file') return [];
    const { name, required, multiple } = one;
    return [{ name, required, multiple, media_types: [] }];
  });
  const json = parameters.flatMap((one) => {
    return one.kind === 'json' ? [{ name: one.name, required: one.required, type: one.type }] : [];
  });
  return { files, json };
}

/** The bodies of a section in the full form: a list, as the interface takes them. */
function full({ where, node, set }: Document, kind: Kind): readonly Desired[] {
  const { section, one: word } = KIND_WORDS[kind];
  const entry = memberOf(node, section);
  if (entry === undefined) return [];
  if (entry.value.kind !== 'list') {
    const hasShortForm = kind !== 'job_type' && kind !== 'recipe_type';
    if (!hasShortForm)
      report(where, entry.value.at, `'${section}' must be a list of bodies as the interface takes them`);
    return [];
  }
  return entry.value.items.flatMap((item) => {
    const map = mapOf(where, item, `a ${word}`);
    const name = map === undefined ? undefined : identityOf(where, kind, map);
    if (map === undefined || name === undefined) return [];
    const body = plainValue(map) as JsonObject;
    return [{ kind, ...name, set: set?.set, body, file: where.file, origins: [{ steps: [], node: map }] }];
  });
}

/** The name of a body, and the version of a job type: they identify the record. */
function identityOf(
  where: FileFindings,
  kind: Kind,
  map: LocatedMap,
): Pick<Desired, 'name' | 'version' | 'at'> | undefined {
  const { one: word } = KIND_WORDS[kind];
  if (kind !== 'job_type') {
    const name = memberOf(map, 'name');
    if (name === undefined) return report(where, map.at, `a ${word} needs 'name'`);
    const text = textOf(where, name.value, `'name'`);
    return text === undefined ? undefined : { name: text.value, at: text.at };
  }
  const manifest = memberOf(map, 'manifest')?.value;
  const job = manifest?.kind === 'map' ? memberOf(manifest, 'job')?.value : undefined;
  const parts = (['name', 'jobVersion'] as const).map((key) => {
    return job?.kind === 'map' ? memberOf(job, key)?.value : undefined;
  });
  const [name, version] = parts;
  if (name === undefined || version === undefined) {
    return report(where, map.at, `a job type needs 'manifest.job.name' and 'manifest.job.jobVersion'`);
  }
  const [nameText, versionText] = [textOf(where, name, `'name'`), textOf(where, version, `'jobVersion'`)];
  if (nameText === undefined || versionText === undefined) return undefined;
  return { name: nameText.value, version: versionText.value, at: nameText.at };
}

/** `count`, a job of these files; or `count@1.0.0`, of these files or of the server. */
function jobOf(
  text: string,
  jobs: readonly KnownJob[],
  known: ReadonlyMap<string, KnownJob>,
  externalJobs: Map<string, { name: string; version: string }>,
): KnownJob | string {
  const at = text.indexOf('@');
  const [name, version] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const found = jobs.filter((job) => job.name === name && (version === undefined || job.version === version));
  const [first, second] = found;
  if (second !== undefined && first?.version !== second.version) {
    const versions = found.map((job) => `'${name}@${job.version}'`).join(' or ');
    return `there are several versions of the job '${name}': write ${versions}`;
  }
  if (first !== undefined) return first;
  if (version === undefined) {
    const near = didYouMean(
      name,
      jobs.map((job) => job.name),
    );
    const onServer = `; a job type of the server is called as '${name}@1.0.0'`;
    return `there is no job '${name}' in these files${near === '' ? onServer : near}`;
  }
  const external = { name, version };
  const key = keyOf({ kind: 'job_type', ...external });
  externalJobs.set(key, external);
  return known.get(key) ?? { ...external, isInFiles: false, inputs: undefined, outputs: undefined };
}

function refuseTwice(records: readonly Desired[], findings: Findings): void {
  const first = new Map<string, Desired>();
  for (const record of records) {
    const key = keyOf(record);
    const other = first.get(key);
    if (other === undefined) first.set(key, record);
    else {
      const place = `${other.file}:${other.at.line}:${other.at.column}`;
      findings.error(record.file, record.at, `the ${titleOf(record)} is given twice, first at ${place}`);
    }
  }
}
