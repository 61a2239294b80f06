/** `scan …`: ingests the files that a workspace already holds. */
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { AnswerOf, BodyOf } from '../../client/operations.ts';
import { translateGlob } from '../apply/short/glob.ts';
import { describeChange } from '../frame/change.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { countOf } from '../frame/count.ts';
import { FailedError, InvalidError, UsageError } from '../frame/exit-codes.ts';
import { list } from '../frame/lists.ts';
import { findId } from '../frame/references.ts';
import { patient, waitFor } from '../frame/waiting.ts';
import { repeatable, WATCH } from '../live/live.ts';
import { testNames } from './tested-names.ts';

type Scan = AnswerOf<'get', '/v6/scans/{id}/'>;
type ScanCreate = BodyOf<'post', '/v6/scans/'>;

const UNDER_WAY: ReadonlySet<string> = new Set(['QUEUED', 'RUNNING']);
const INGESTS_UNDER_WAY = ['TRANSFERRING', 'TRANSFERRED', 'INGESTING'] as const;

export function addScans(program: Command, run: Run): void {
  const scan = program.command('scan').summary('scans: list, show, create, start, test, cancel, wait');
  scan
    .command('list')
    .summary('all scans')
    .addHelpText('after', examples('scan list', 'scan list -o wide'))
    .option(...WATCH)
    .action(run(repeatable(listScans)));
  scan
    .command('show')
    .argument('<name>')
    .summary('a scan with the counts of its last run')
    .addHelpText('after', examples('scan show archive', 'scan show id:4 -o yaml'))
    .option(...WATCH)
    .action(run(repeatable(show)));
  scan
    .command('create')
    .argument('<title>')
    .requiredOption('--workspace <name>', 'the workspace that it lists')
    .option('--match <pattern>', 'files whose names match, such as *.txt; repeatable', list)
    .option('--regex <expression>', 'files whose names match this expression; repeatable', list)
    .option('--to <workspace>', 'move the files there; without it they stay')
    .option('--to-path <folder>', 'a folder of that workspace')
    .option('--recipe <name>', 'the recipe type that is started for each file')
    .option('--name <name>', 'its name; made from the title when absent')
    .option('--suffix <text>', 'leave out names that end with it, such as _tmp')
    .option('--flat', 'only the root of the workspace')
    .option('--dry-run', 'check it, and create nothing')
    .summary('create a scan, without starting it')
    .addHelpText(
      'after',
      examples(
        "scan create Archive --workspace archive --match '*.txt' --recipe words",
        "scan create Archive --workspace archive --match '*.txt' --dry-run",
      ),
    )
    .action(run(create));
  scan
    .command('start')
    .argument('<name>')
    .option('--dry-run', 'count the files that its rules match, and ingest none')
    .option('--wait', 'until the run ends')
    .summary('ingest the files of a scan, or count them')
    .addHelpText('after', examples('scan start archive --dry-run --wait', 'scan start archive --yes'))
    .action(run(start));
  scan
    .command('test')
    .argument('<name>')
    .argument('<file-name...>')
    .summary('which rule would take files of these names, and what would follow; or why none')
    .addHelpText('after', examples('scan test archive report.txt sub/other.json'))
    .action(run((context, _options, name, names) => testNames(context, 'scan', name, names)));
  scan
    .command('cancel')
    .argument('<name>')
    .option('--dry-run', 'say what it would cancel, and change nothing')
    .summary('cancel the run of a scan and its ingests; what is ingested stays')
    .addHelpText('after', examples('scan cancel archive --dry-run', 'scan cancel archive --yes'))
    .action(run(cancel));
  scan
    .command('wait')
    .argument('<name>')
    .summary('wait until the runs of a scan end; fails if the last one failed')
    .addHelpText('after', examples('scan wait archive'))
    .action(run(wait));
}

async function listScans(context: Context): Promise<void> {
  const client = await context.client();
  const scans = [];
  for await (const scan of client.list('/v6/scans/', { signal: context.signal })) scans.push(scan);
  context.records(
    scans,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name },
      { title: 'INGEST', value: ({ job }) => job.status },
      { title: 'DRY RUN', value: ({ dry_run_job: job }) => job.status },
      { title: 'FILES', value: ({ file_count: count }) => count },
      { title: 'TITLE', value: ({ title }) => title, isWide: true },
    ],
    ({ name }) => name,
  );
}

async function show(context: Context, _options: unknown, name: string): Promise<void> {
  const client = await context.client();
  const path = { id: await findId(client, 'scan', name) };
  showScan(context, await client.get('/v6/scans/{id}/', { path, signal: context.signal }));
}

function showScan(context: Context, scan: Scan): void {
  if (context.isStructured) context.document(scan);
  else if (context.options.output === 'name') context.print(scan.name);
  else showFields(context, scan);
}

function showFields(context: Context, scan: Scan): void {
  const { configuration } = scan;
  context.fields([
    ['scan', scan.id],
    ['name', scan.name],
    ['title', scan.title],
    ['workspace', configuration.workspace],
    ['rules', configuration.files_to_ingest.map((rule) => rule.filename_regex).join('\n')],
    ['recipe', configuration.recipe?.name],
    ['ingest', scan.job.status],
    ['dry run', scan.dry_run_job.status],
    ['waiting', scan.waiting.join(', ')],
    ['reason', scan.reason],
    ['last run', lastRunText(scan.counts)],
    ['run before', countsText(scan.previous_counts)],
  ]);
}

function lastRunText(counts: Scan['counts']): string | null {
  const text = countsText(counts);
  return text === null || counts?.rules === null ? text : `${text}, by the rules before its change`;
}

function countsText(counts: Scan['previous_counts']): string | null {
  if (counts === null) return null;
  const mode = counts.mode === 'dry_run' ? 'dry run' : 'ingest';
  return `${mode}: ${countOf(counts.matched, 'file matches', 'files match')}, ${counts.unmatched} do not`;
}

interface CreateOptions {
  readonly workspace: string;
  readonly match?: readonly string[];
  readonly regex?: readonly string[];
  readonly to?: string;
  readonly toPath?: string;
  readonly recipe?: string;
  readonly name?: string;
  readonly suffix?: string;
  readonly flat?: boolean;
  readonly dryRun?: boolean;
}

function rulesOf({ match = [], regex = [], to, toPath }: CreateOptions) {
  if (match.length + regex.length === 0) throw new UsageError('choose the files: --match, or --regex');
  if (toPath !== undefined && to === undefined) throw new UsageError('--to-path goes with --to');
  const target = {
    ...(to === undefined ? {} : { new_workspace: to }),
    ...(toPath === undefined ? {} : { new_file_path: toPath }),
  };
  const globs = match.map((glob) => {
    const translated = translateGlob(glob);
    if ('message' in translated) throw new UsageError(`--match '${glob}': ${translated.message}`);
    const place = translated.isPath ? { match: 'path' as const } : {};
    return { filename_regex: translated.regex, ...place, ...target };
  });
  return [...globs, ...regex.map((expression) => ({ filename_regex: expression, ...target }))];
}

async function create(context: Context, options: CreateOptions, title: string): Promise<void> {
  const rules = rulesOf(options);
  const client = await context.client();
  const { signal } = context;
  const id = await findId(client, 'workspace', options.workspace);
  const workspace = await client.get('/v6/workspaces/{id}/', { path: { id }, signal });
  const type = workspace.configuration.broker.type === 'objstore' ? 'objstore' : 'dir';
  const body: ScanCreate = {
    title,
    ...(options.name === undefined ? {} : { name: options.name }),
    configuration: {
      workspace: workspace.name,
      scanner: { type, ...(options.suffix === undefined ? {} : { transfer_suffix: options.suffix }) },
      recursive: options.flat !== true,
      files_to_ingest: rules,
      ...(options.recipe === undefined ? {} : { recipe: { name: options.recipe } }),
    },
  };
  if (options.dryRun === true) return check(context, client, body);
  const scan = await client.post('/v6/scans/', { body, signal });
  if (context.isStructured) return context.document(scan);
  context.print(scan.name);
  context.note(`scan ${scan.name} is created, and not started: millrace scan start ${scan.name}`);
}

async function check(context: Context, client: Client, body: ScanCreate): Promise<void> {
  const checked = await client.post('/v6/scans/validation/', { body, signal: context.signal });
  if (context.isStructured) context.document(checked);
  for (const { description } of checked.warnings) context.note(`warning: ${description}`);
  if (!checked.is_valid) {
    const lines = checked.errors.map(
      ({ path, description }) => `  ${path === '' ? '' : `${path}: `}${description}`,
    );
    throw new InvalidError(`the scan is not valid\n${lines.join('\n')}`);
  }
  if (!context.isStructured) context.print('the scan is valid');
}

async function start(
  context: Context,
  options: { readonly dryRun?: boolean; readonly wait?: boolean },
  name: string,
): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const path = { id: await findId(client, 'scan', name) };
  if (options.dryRun !== true) {
    const scan = await client.get('/v6/scans/{id}/', { path, signal });
    const count = countsText(scan.counts) ?? 'they are not counted yet: --dry-run counts them';
    const question = `This ingests the files that scan ${scan.name} matches (${count}). Continue?`;
    if (!(await context.confirm(question))) throw new FailedError('nothing was changed');
  }
  const body = { ingest: options.dryRun !== true };
  const scan = await client.post('/v6/scans/{id}/process/', { path, body, signal });
  if (options.wait === true) return waitForRun(context, client, path.id);
  if (context.isStructured) return context.document(scan);
  const waits = scan.waiting.length > 0 ? ' waits for the run before it' : ' starts';
  context.note(`the ${body.ingest ? 'ingest' : 'dry run'} of ${scan.name}${waits}`);
}

async function cancel(context: Context, options: { readonly dryRun?: boolean }, name: string): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const path = { id: await findId(client, 'scan', name) };
  const query = { scan_id: [path.id], status: [...INGESTS_UNDER_WAY] };
  const [scan, ingests] = await Promise.all([
    client.get('/v6/scans/{id}/', { path, signal }),
    client.count('/v6/ingests/', { query, signal }),
  ]);
  const runs = isUnderWay(scan) ? 'its run and ' : '';
  const what = `cancels ${runs}${countOf(ingests, 'ingest')} of scan ${scan.name}`;
  if (options.dryRun === true) return describeChange(context, what);
  if (!(await context.confirm(`This ${what}. Continue?`))) throw new FailedError('nothing was changed');
  const canceled = await client.post('/v6/scans/cancel/{id}/', { path, signal });
  if (context.isStructured) return context.document(canceled);
  context.note(`canceled: ${countOf(canceled.canceled_jobs.length, 'job')} of scan ${scan.name}`);
}

function isUnderWay(scan: Scan): boolean {
  return [scan.job, scan.dry_run_job].some(({ status }) => UNDER_WAY.has(status)) || scan.waiting.length > 0;
}

async function wait(context: Context, _options: unknown, name: string): Promise<void> {
  const client = await context.client();
  await waitForRun(context, client, await findId(client, 'scan', name));
}

async function waitForRun(context: Context, client: Client, id: number): Promise<void> {
  const filters = { kind: ['scan' as const, 'job' as const], scan_id: [id] };
  const read = () => client.get('/v6/scans/{id}/', { path: { id }, ...patient(context) });
  const scan = await waitFor(context, client, filters, read, (one) => !isUnderWay(one));
  showScan(context, scan);
  const last = scan.counts?.mode === 'ingest' ? scan.job : scan.dry_run_job;
  if (last.status === 'FAILED' || last.status === 'CANCELED')
    throw new FailedError(`the last run of scan ${scan.name} is ${last.status}`);
}
