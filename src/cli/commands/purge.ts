/** `purge`: removes a source file and everything that was made from it. */
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { AnswerOf, components } from '../../client/operations.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { countOf } from '../frame/count.ts';
import { FailedError } from '../frame/exit-codes.ts';
import { patient, waitFor } from '../frame/waiting.ts';
import { fileIdAt } from './file-places.ts';

type Purge = AnswerOf<'get', '/v6/purges/{id}/'>;
type Preview = components['schemas']['PurgePreview'];

export function addPurge(program: Command, run: Run): void {
  program
    .command('purge')
    .argument('<source>', 'a source file: an id, or workspace:path')
    .option('--dry-run', 'say what it would remove, and change nothing')
    .option('--delete-source', 'remove the bytes of the source as well')
    .option('--wait', 'until everything is removed')
    .summary('remove a source file with all that was made from it')
    .addHelpText('after', examples('purge 12 --dry-run', 'purge archive:text/a.txt --wait --yes'))
    .action(run(purge));
}

interface Options {
  readonly dryRun?: boolean;
  readonly deleteSource?: boolean;
  readonly wait?: boolean;
}

async function purge(context: Context, options: Options, text: string): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const id = await fileIdAt(context, client, text);
  const body = { file_id: id, delete_source_bytes: options.deleteSource === true };
  const preview = await client.post('/v6/files/purge-source/', { body, query: { dry_run: true }, signal });
  if (preview === undefined) throw new FailedError('the service gave no preview');
  if (options.dryRun === true && context.isStructured) return context.document(preview);
  const what = `removes ${previewText(preview)}`;
  for (const line of effectsOf(preview)) context.note(line);
  if (options.dryRun === true) return context.printWrapped(what);
  if (!(await context.confirm(`This ${what}. It cannot be undone. Continue?`)))
    throw new FailedError('nothing was changed');
  const { headers } = await client.call('POST', '/v6/files/purge-source/', { body, signal });
  const purgeId = Number(/(\d+)\/$/.exec(headers.get('location') ?? '')?.[1]);
  if (options.wait === true) return waitForPurge(context, client, purgeId);
  context.print(String(purgeId));
  context.note(`purge ${purgeId} ${what}`);
}

function previewText({ files, jobs, recipes, is_cut: isCut }: Preview): string {
  const live = jobs.live === 0 ? '' : ` (${jobs.live} of them under way)`;
  const least = isCut ? 'at least ' : '';
  const bytes = countOf(files.bytes, 'byte');
  const others = `${countOf(jobs.count, 'job')}${live}, ${countOf(recipes, 'recipe')}`;
  return `${least}${countOf(files.count, 'file')} (${bytes}), ${others}`;
}

/** Other records that lose something by the purge. */
function effectsOf({ other_sources: sources, dataset_ids: datasets, batch_ids: batches }: Preview): string[] {
  return [
    ...(sources.count === 0
      ? []
      : [`what was made with this one is lost for ${countOf(sources.count, 'other source')}`]),
    ...(datasets.length === 0 ? [] : [`datasets that lose files: ${datasets.join(', ')}`]),
    ...(batches.length === 0 ? [] : [`batches that lose recipes: ${batches.join(', ')}`]),
  ];
}

async function waitForPurge(context: Context, client: Client, id: number): Promise<void> {
  const read = () => client.get('/v6/purges/{id}/', { path: { id }, ...patient(context) });
  const filters = { kind: ['purge' as const], id: [id] };
  const done = await waitFor(context, client, filters, read, ({ status }) => status === 'COMPLETED');
  showPurge(context, done);
  if (done.problems.length > 0)
    throw new FailedError(`not removed: ${countOf(done.problems.length, 'file')}`);
}

function showPurge(context: Context, purge: Purge): void {
  if (context.isStructured) context.document(purge);
  else context.print(String(purge.id));
  const removed = Object.entries(purge.removed).flatMap(([kind, count]) =>
    count > 0 ? [`${count} ${kind}`] : [],
  );
  context.note(`purge ${purge.id} is completed: ${removed.join(', ')}`);
  for (const { path, description } of purge.problems) context.note(`${path}: ${description}`);
}
