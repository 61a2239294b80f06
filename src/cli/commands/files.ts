/** `files`, `file …`: files in lists, and their contents. */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { components } from '../../client/operations.ts';
import { change, DRY_RUN } from '../frame/change.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { countOf } from '../frame/count.ts';
import { InvalidError, UsageError } from '../frame/exit-codes.ts';
import { fileProblem, notUtf8Place } from '../frame/file-problem.ts';
import { integer, limited } from '../frame/lists.ts';
import { findId } from '../frame/references.ts';
import { requireNew, writeWhole } from '../frame/whole-file.ts';
import { repeatable, WATCH } from '../live/live.ts';
import { lineageLines } from '../recipe-graph/lineage-lines.ts';
import { fileIdAt, placeOf, requireUploads } from './file-places.ts';

export function addFiles(program: Command, run: Run): void {
  program
    .command('files')
    .summary('list files, the newest first')
    .option('--products', 'only what jobs have made')
    .option('--sources', 'only what was ingested')
    .option('--name <name>', 'with this name')
    .option('--limit <n>', 'show at most this many', '50')
    .addHelpText('after', examples('files --products', 'files --name report.json -o json'))
    .option(...WATCH)
    .action(run(repeatable(listFiles)));
  const file = program.command('file').summary('one file: get, put, lineage; those without a record');
  file
    .command('get')
    .argument('<file>', 'an id, or workspace:path')
    .argument('[target]', 'where to store it; its own name when absent, - for standard output')
    .summary('download a file')
    .addHelpText('after', examples('file get 12', 'file get archive:text/a.txt - | head'))
    .action(run(get));
  file
    .command('put')
    .argument('<source>', 'a file of this machine')
    .argument('<place>', 'workspace:path')
    .option('--record', 'record it as a source')
    .option(...DRY_RUN)
    .summary('store a new file in a workspace that takes files over HTTP')
    .addHelpText(
      'after',
      examples('file put ./a.txt arrivals:a.txt', 'file put ./a.txt archive:in/a.txt --record'),
    )
    .action(run(put));
  file
    .command('lineage')
    .argument('<file>', 'an id, or workspace:path')
    .summary('what a file was made from, and what was made from it')
    .option('--depth <n>', 'at most this many jobs away, 1 to 20', '3')
    .addHelpText('after', examples('file lineage 12', 'file lineage archive:text/a.txt --depth 10 -o json'))
    .option(...WATCH)
    .action(run(repeatable(lineage)));
  file
    .command('unrecorded')
    .argument('<workspace>', 'a name or id')
    .summary('files that lie in a workspace without a record')
    .option('--limit <n>', 'show at most this many', '50')
    .addHelpText(
      'after',
      examples('file unrecorded archive', 'file unrecorded archive --limit 100000 -o name'),
    )
    .action(run(listUnrecorded));
}

interface ListOptions {
  readonly products?: boolean;
  readonly sources?: boolean;
  readonly name?: string;
  readonly limit: string;
}

async function listFiles(context: Context, options: ListOptions): Promise<void> {
  const types = [
    ...(options.products === true ? (['PRODUCT'] as const) : []),
    ...(options.sources === true ? (['SOURCE'] as const) : []),
  ];
  const query = {
    order: ['-id' as const],
    file_type: types,
    ...(options.name === undefined ? {} : { file_name: [options.name] }),
  };
  const limit = integer('--limit', options.limit, 1);
  const client = await context.client();
  const files = client.list('/v6/files/', { query, pageSize: Math.min(limit, 500), signal: context.signal });
  context.records(
    await limited(context, files, limit),
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'TYPE', value: ({ file_type: type }) => type },
      { title: 'BYTES', value: ({ file_size: size }) => size },
      { title: 'WORKSPACE', value: ({ workspace }) => workspace.name },
      { title: 'PATH', value: ({ file_path: path }) => path, isCutInFront: true },
      { title: 'JOB', value: ({ job }) => job?.id, isWide: true },
      { title: 'CREATED', value: ({ created }) => created, isWide: true },
    ],
    ({ id }) => id,
  );
}

async function get(
  context: Context,
  _options: unknown,
  text: string,
  target: string | undefined,
): Promise<void> {
  const place = placeOf(text);
  const problem = notUtf8Place(text);
  if (problem !== undefined) context.note(`note: ${problem}`);
  const client = await context.client();
  const { signal } = context;
  const path = target ?? ('path' in place ? basename(place.path) : await nameOf(context, place.fileId));
  if (path === '-') return context.writeAll((await client.download(place, { signal })).content);
  await requireNew(path);
  const { content, size } = await client.download(place, { signal });
  await writeWhole(path, content, { isReplacing: false });
  context.note(`${path}${size === undefined ? '' : `: ${countOf(size, 'byte')}`}`);
}

/** The name of a file. Throws a UsageError if the name would lead out of the folder. */
async function nameOf(context: Context, id: number): Promise<string> {
  const { file_name: name } = await (await context.client()).get('/v6/files/{id}/', {
    path: { id },
    signal: context.signal,
  });
  if (name !== basename(name) || name === '.' || name === '..')
    throw new UsageError('name the target: the file has no usable name');
  return name;
}

async function put(
  context: Context,
  options: { readonly record?: boolean },
  source: string,
  text: string,
): Promise<void> {
  const place = placeOf(text);
  if (!('path' in place)) throw new UsageError(`'${text}': expected workspace:path`);
  const problem = notUtf8Place(place.path);
  if (problem !== undefined) throw new UsageError(problem);
  const file = await open(source).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${source} cannot be read: ${fileProblem(error, source)}`);
  });
  try {
    if (!(await file.stat()).isFile())
      throw new UsageError(`${source} is not a file: directories, pipes and devices are not uploaded`);
    const content = Readable.toWeb(file.createReadStream({ autoClose: false })) as ReadableStream<Uint8Array>;
    const client = await context.client();
    const isRecorded = options.record === true;
    const { size } = await file.stat();
    await requireUploads(context, client, place.workspace);
    if (context.options.dryRun) await requireFree(context, client, place);
    const does = `stores ${source} (${countOf(size, 'byte')}) at ${place.workspace}:${place.path}`;
    await change(context, client, `${does}${isRecorded ? ' and records it' : ''}`, async () => {
      const stored = await client.upload({ ...place, content, isRecorded }, { signal: context.signal });
      if (context.isStructured) return context.document(stored);
      context.print(`${place.workspace}:${stored.path}`);
      context.note(`${countOf(stored.file_size, 'byte')}, sha256 ${stored.sha256}`);
    });
  } finally {
    await file.close();
  }
}

/** Throws what an upload would be refused for, as far as the service can be asked before. */
async function requireFree(
  context: Context,
  client: Client,
  { workspace, path }: { readonly workspace: string; readonly path: string },
): Promise<void> {
  const { signal } = context;
  const { file } = await client.get('/v6/files/why/', { query: { workspace, path }, signal });
  if (file !== null) throw new InvalidError(`${workspace}:${path} is file ${file.id} already`);
}

async function lineage(context: Context, options: { readonly depth: string }, text: string): Promise<void> {
  const query = { depth: integer('--depth', options.depth, 1) };
  const client = await context.client();
  const path = { id: await fileIdAt(context, client, text) };
  const graph = await client.get('/v6/files/{id}/lineage/', { path, query, signal: context.signal });
  if (context.isStructured) return context.document(graph);
  if (context.options.output === 'name') for (const { id } of graph.files) context.print(String(id));
  else for (const line of lineageLines(graph)) context.printWrapped(line);
  if (graph.rim.length > 0) context.note('there is more beyond the depth: --depth shows more');
}

type Unrecorded = components['schemas']['UnrecordedFiles']['results'][number];

/** Compares the whole workspace with the records, a page at a time, until enough files are found. */
async function listUnrecorded(
  context: Context,
  options: { readonly limit: string },
  text: string,
): Promise<void> {
  const limit = integer('--limit', options.limit, 1);
  const client = await context.client();
  const { signal } = context;
  const id = await findId(client, 'workspace', text);
  const { name } = await client.get('/v6/workspaces/{id}/', {
    path: { id },
    query: { fields: 'name' },
    signal,
  });
  const found: Unrecorded[] = [];
  let checkedCount = 0;
  let after: string | null = '';
  while (after !== null && found.length < limit) {
    const page: components['schemas']['UnrecordedFiles'] = await client.get(
      '/v6/workspaces/{name}/unrecorded/',
      { path: { name }, query: { after }, signal },
    );
    found.push(...page.results);
    checkedCount += page.checked_count;
    after = page.next_after;
  }
  const shown = found.slice(0, limit);
  context.records(
    shown,
    [
      { title: 'BYTES', value: ({ file_size: size }) => size },
      { title: 'MODIFIED', value: ({ file_modified: modified }) => modified },
      { title: 'PATH', value: ({ file_path: path }) => path, isCutInFront: true },
    ],
    ({ file_path: path }) => `${name}:${path}`,
  );
  const isMore = after !== null || found.length > shown.length;
  const compared = `${isMore ? 'the first ' : ''}${countOf(checkedCount, 'file')}`;
  const have = found.length === 1 ? 'has' : 'have';
  const more = isMore ? '; --limit shows more' : '';
  context.note(`${found.length} of ${compared} in ${name} ${have} no record${more}`);
}
