/** The input of a job as people type it: files in the order of the type's inputs, and values with their names. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { Client } from '../../client/client.ts';
import { RefusedError } from '../../client/errors.ts';
import type { AnswerOf, components } from '../../client/operations.ts';
import { isOfType } from '../../domain/data/data.ts';
import { roundedInteger } from '../../domain/document/json-scan.ts';
import { shellWord } from '../../domain/manifest/shell-word.ts';
import { nearestOf } from '../../domain/near-names.ts';
import { fileIdAt, requireUploads } from '../commands/file-places.ts';
import { change } from '../frame/change.ts';
import type { Context } from '../frame/context.ts';
import { FailedError, NotFoundError, UsageError } from '../frame/exit-codes.ts';
import { fileProblem, notUtf8 } from '../frame/file-problem.ts';

/** The manifest is valid. */
export type InputType = Pick<AnswerOf<'get', '/v6/job-types/{name}/{version}/'>, 'name' | 'manifest'>;
type Inputs = NonNullable<components['schemas']['SeedInterface']['inputs']>;
type FileInput = NonNullable<Inputs['files']>[number];
type JsonInput = NonNullable<Inputs['json']>[number];

/** limit: files with the same name that a refusal lists. */
const SAME_NAME_MAX = 10;
const LOCAL = /^(?:\.{0,2}\/)/;
const STORED = /^(?:\d{1,15}|[a-z0-9-]+:.+)$/s;

export interface Typed {
  /** The workspace that files of this machine are uploaded to. */
  readonly uploadTo: string | undefined;
  readonly files: readonly string[];
  /** `NAME=value`. */
  readonly values: readonly string[];
}

export interface JobInput {
  readonly files: Record<string, number[]>;
  readonly json: Record<string, unknown>;
}

interface CheckedInput {
  /** Files as they were typed, by their inputs. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  /** The place of each file. */
  readonly places: ReadonlyMap<string, Found>;
  readonly json: Record<string, unknown>;
  /** Paths on this machine. */
  readonly uploads: readonly string[];
}

/** Checks everything, then uploads the files of this machine. */
export async function inputOf(
  context: Context,
  client: Client,
  type: InputType,
  typed: Typed,
): Promise<JobInput> {
  const { texts, places, json } = await checkInput(context, client, type, typed);
  const ids = new Map<string, number>();
  for (const [text, found] of places)
    ids.set(text, 'id' in found ? found.id : await upload(context, client, found.path, typed.uploadTo ?? ''));
  const files = Object.fromEntries(
    [...texts].map(([name, all]) => [name, all.map((text) => ids.get(text) ?? 0)]),
  );
  return { files, json };
}

/** `--dry-run`: checks the inputs and describes the run as `does` says, without uploads. */
export async function describeRun(
  context: Context,
  client: Client,
  type: InputType,
  typed: Typed,
  does: string,
): Promise<void> {
  const { uploads } = await checkInput(context, client, type, typed);
  const { uploadTo = '' } = typed;
  const first = uploads.length === 0 ? '' : `uploads ${uploads.join(', ')} to ${uploadTo}, and `;
  return change(context, client, `${first}${does}`, async () => undefined);
}

/** Throws a UsageError if the typed files and values do not fit the inputs of the type. */
async function checkInput(
  context: Context,
  client: Client,
  type: InputType,
  typed: Typed,
): Promise<CheckedInput> {
  const inputs = (type.manifest.job.interface as { inputs?: Inputs | null } | undefined)?.inputs ?? {};
  const [fileInputs, jsonInputs] = [inputs.files ?? [], inputs.json ?? []];
  const texts = new Map<string, string[]>();
  const json: Record<string, unknown> = {};
  for (const value of typed.values) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
    const jsonInput = jsonInputs.find((one) => one.name === name);
    if (name === '') throw new UsageError(`--set '${value}': expected INPUT=value`);
    if (jsonInput !== undefined) json[name] = jsonOf(jsonInput, text);
    else if (fileInputs.some((one) => one.name === name)) texts.set(name, [...(texts.get(name) ?? []), text]);
    else {
      const known = [...fileInputs, ...jsonInputs].map((one) => one.name);
      throw new UsageError(`--set: ${type.name} has no input '${name}'${nearestOf(name, known)}`);
    }
  }
  assign(type, fileInputs, typed.files, texts);
  const missing = [
    ...fileInputs.filter(({ name, required }) => required !== false && !texts.has(name)),
    ...jsonInputs.filter(({ name, required }) => required !== false && !(name in json)),
  ];
  if (missing.length > 0)
    throw new UsageError(`${type.name} needs ${missing.map(({ name }) => name).join(', ')}`);
  const places = new Map<string, Found>();
  for (const text of [...texts.values()].flat())
    if (!places.has(text)) places.set(text, await find(context, client, text));
  const uploads = [...places.values()].flatMap((found) => ('path' in found ? [found.path] : []));
  if (uploads.length > 0) {
    if (typed.uploadTo === undefined)
      throw new UsageError('files of this machine are uploaded first: --upload-to names the workspace');
    const [workspace = ''] = typed.uploadTo.split(':');
    await requireUploads(context, client, workspace);
  }
  return { texts, places, json, uploads };
}

/** Files without an input's name go to the free inputs in their order; an input for several files takes the rest. */
function assign(
  type: InputType,
  inputs: readonly FileInput[],
  files: readonly string[],
  texts: Map<string, string[]>,
): void {
  const rest = [...files];
  for (const { name, multiple } of inputs) {
    if (rest.length === 0) break;
    if (texts.has(name)) continue;
    texts.set(name, multiple === true ? rest.splice(0) : rest.splice(0, 1));
  }
  if (rest.length > 0)
    throw new UsageError(`${type.name} takes no more files: '${rest[0]}' has no input left`);
}

function jsonOf({ name, type }: JsonInput, text: string): unknown {
  if (type === 'string') return text;
  const problem = new UsageError(`--set ${name}: '${text}' is no JSON of type ${type}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problem;
  }
  if (!isOfType(value, type)) throw problem;
  const rounded = roundedInteger(Buffer.from(text));
  if (rounded !== undefined) throw new UsageError(`--set ${name}: ${rounded.description}`);
  return value;
}

type Found = { readonly id: number } | { readonly path: string };

/** `./a` and `/a` are on this machine, `workspace:path` and `id:7` on the service; another name may be on either. */
async function find(context: Context, client: Client, text: string): Promise<Found> {
  const { signal } = context;
  if (LOCAL.test(text)) return local(text);
  const query = { file_name: [text] };
  const same: number[] = [];
  for await (const { id } of client.list('/v6/files/', { query, pageSize: SAME_NAME_MAX, signal })) {
    same.push(id);
    if (same.length >= SAME_NAME_MAX) break;
  }
  const [id] = same;
  if (same.length > 1)
    throw new UsageError(`several files are called '${text}': choose one by its id: ${same.join(', ')}`);
  if (id !== undefined) return { id };
  if (STORED.test(text)) return { id: await fileIdAt(context, client, text) };
  return local(text);
}

async function local(path: string): Promise<Found> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new NotFoundError(
        `there is no file '${path}', neither in the service nor on this machine${notUtf8(path)}${byName(path)}`,
      );
    throw new UsageError(`${path} cannot be read: ${fileProblem(error)}`);
  });
  try {
    if (!(await file.stat()).isFile())
      throw new UsageError(`${path} is not a file: directories, pipes and devices are not uploaded`);
  } finally {
    await file.close();
  }
  return { path };
}

/** For `TEXT=notes.txt`, which names an input as other programs take it. */
function byName(text: string): string {
  return /^[\w-]+=./.test(text) ? `; an input gets a file by its name with --set ${shellWord(text)}` : '';
}

/**
 * Uploads into a folder that is named after the content: the same file is uploaded once, and other files with the same
 * name are not overwritten.
 */
async function upload(context: Context, client: Client, path: string, target: string): Promise<number> {
  const { signal } = context;
  const [, workspace = target, folder = 'uploads'] = /^([^:]+):(.*)$/s.exec(target) ?? [];
  const file = await open(path);
  const bytes = () => file.createReadStream({ autoClose: false, start: 0 });
  try {
    const hash = createHash('sha256');
    for await (const piece of bytes()) hash.update(piece as Uint8Array);
    const digest = hash.digest('hex').slice(0, 16);
    const at = [...folder.split('/').filter((part) => part !== ''), digest, basename(path)].join('/');
    const content = Readable.toWeb(bytes()) as ReadableStream<Uint8Array>;
    try {
      const { file_id: id } = await client.upload(
        { workspace, path: at, content, isRecorded: true },
        { signal },
      );
      if (id === null || id === undefined) throw new FailedError(`${path} was stored, but not recorded`);
      return id;
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 409) throw error;
      const { file: known } = await client.get('/v6/files/why/', { query: { workspace, path: at }, signal });
      if (known === null) throw error;
      return known.id;
    }
  } finally {
    await file.close();
  }
}
