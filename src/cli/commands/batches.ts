/** `batches`, `batch …`: many recipes of one type. */
import type { Command } from 'commander';
import type { ChangeFilters } from '../../client/changes.ts';
import type { Client } from '../../client/client.ts';
import type { AnswerOf, BodyOf } from '../../client/operations.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { countOf } from '../frame/count.ts';
import { FailedError, InvalidError, UsageError } from '../frame/exit-codes.ts';
import { integer, limited, list } from '../frame/lists.ts';
import { findRecipeTypeId, idOf } from '../frame/references.ts';
import { patient, waitFor } from '../frame/waiting.ts';
import { repeatable, WATCH } from '../live/live.ts';
import { changeJobs } from './jobs.ts';

type Batch = AnswerOf<'get', '/v6/batches/{id}/'>;

export function addBatches(program: Command, run: Run): void {
  program
    .command('batches')
    .summary('list batches, the newest first')
    .option('--limit <n>', 'show at most this many', '50')
    .addHelpText('after', examples('batches', 'batches -o json'))
    .option(...WATCH)
    .action(run(repeatable(listBatches)));
  const batch = program.command('batch').summary('one batch: create, show, compare, cancel, wait');
  batch
    .command('create')
    .argument('<recipe-type>')
    .summary('run a recipe type for all members of a dataset, or reprocess a batch')
    .option('--dataset <id>', 'a recipe for each member of this dataset')
    .option('--previous <id>', 'reprocess the recipes of this batch, the first of its chain')
    .option('--title <text>', 'shown with the batch')
    .option('--description <text>', 'shown with the batch')
    .option('--priority <n>', 'the priority of all its jobs, from 1')
    .option(
      '--map <input=parameter>',
      'an input of the recipe type, and the name that the dataset has for it; repeatable',
      list,
    )
    .option('--node <name>', 'run this node again even if it is unchanged; repeatable', list)
    .option('--all', 'run all nodes again')
    .option('--no-supersede', 'start new recipes, even where one has the same input')
    .option('--dry-run', 'check it, say what it would make, and change nothing')
    .addHelpText(
      'after',
      examples(
        'batch create words --dataset 3 --dry-run',
        'batch create words --previous 1 --node pack --yes',
      ),
    )
    .action(run(create));
  batch
    .command('show')
    .argument('<id>')
    .summary('a batch with its counters, and the jobs of each node')
    .addHelpText('after', examples('batch show 1', 'batch show 1 -o json'))
    .option(...WATCH)
    .action(run(repeatable(show)));
  batch
    .command('compare')
    .argument('<id>')
    .summary('a batch beside those that reprocess it, and those that it reprocesses')
    .addHelpText('after', examples('batch compare 1', 'batch compare 1 -o wide'))
    .option(...WATCH)
    .action(run(repeatable(compare)));
  batch
    .command('cancel')
    .argument('<id>')
    .summary('cancel the jobs of a batch')
    .option('--dry-run', 'say how many, and change nothing')
    .addHelpText('after', examples('batch cancel 1 --dry-run', 'batch cancel 1 --yes'))
    .action(run((context, options, id) => changeJobs(context, 'cancel', { ...options, batch: [id] }, [])));
  batch
    .command('wait')
    .argument('<id>')
    .summary('wait until a batch ends; fails unless all its recipes complete')
    .addHelpText('after', examples('batch wait 1'))
    .action(run(wait));
}

async function listBatches(context: Context, options: { readonly limit: string }): Promise<void> {
  const limit = integer('--limit', options.limit, 1);
  const client = await context.client();
  const batches = client.list('/v6/batches/', {
    query: { order: ['-id'] },
    pageSize: Math.min(limit, 500),
    signal: context.signal,
  });
  context.records(
    await limited(context, batches, limit),
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'TYPE', value: ({ recipe_type: type }) => type.name },
      { title: 'STATUS', value: ({ status }) => status },
      { title: 'RECIPES', value: (one) => `${one.recipes_completed}/${one.recipes_total}` },
      { title: 'FAILED', value: ({ jobs_failed: failed }) => failed },
      { title: 'CREATED', value: ({ created }) => created, isWide: true },
      { title: 'TITLE', value: ({ title }) => title },
    ],
    ({ id }) => id,
  );
}

interface CreateOptions {
  readonly dataset?: string;
  readonly previous?: string;
  readonly title?: string;
  readonly description?: string;
  readonly priority?: string;
  readonly map?: readonly string[];
  readonly node?: readonly string[];
  readonly all?: boolean;
  readonly supersede: boolean;
  readonly dryRun?: boolean;
}

type BatchCreate = BodyOf<'post', '/v6/batches/'>;

function definitionOf(options: CreateOptions): BatchCreate['definition'] {
  const { dataset, previous, node, all = false, supersede } = options;
  if ((dataset === undefined) === (previous === undefined))
    throw new UsageError('choose what it runs on: --dataset, or --previous');
  if (all && node !== undefined) throw new UsageError('--all and --node: choose one');
  const forced = all || node !== undefined ? { forced_nodes: { all, nodes: [...(node ?? [])] } } : {};
  if (previous !== undefined) {
    if (!supersede)
      throw new UsageError('--no-supersede goes with --dataset: --previous reprocesses recipes');
    return { previous_batch: { root_batch_id: idOf('batch', previous), ...forced } };
  }
  return { dataset: idOf('dataset', dataset ?? ''), supersedes: supersede, ...forced };
}

function configurationOf({ map = [], priority }: CreateOptions): NonNullable<BatchCreate['configuration']> {
  const inputMap = map.map((text) => {
    const [, input, datasetParameter] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (input === undefined || datasetParameter === undefined)
      throw new UsageError(`--map '${text}': expected input=parameter`);
    return { input, datasetParameter };
  });
  return {
    ...(inputMap.length === 0 ? {} : { inputMap }),
    ...(priority === undefined ? {} : { priority: integer('--priority', priority, 1) }),
  };
}

async function create(context: Context, options: CreateOptions, type: string): Promise<void> {
  const definition = definitionOf(options);
  const configuration = configurationOf(options);
  const client = await context.client();
  const { signal } = context;
  const body: BatchCreate = {
    ...{ recipe_type_id: await findRecipeTypeId(client, type), definition, configuration },
    ...(options.title === undefined ? {} : { title: options.title }),
    ...(options.description === undefined ? {} : { description: options.description }),
  };
  await requireSource(context, client, definition);
  const checked = await client.post('/v6/batches/validation/', { body, signal });
  if (options.dryRun === true && context.isStructured) context.document(checked);
  const { errors, warnings, effects, recipes_estimated: estimated } = checked;
  for (const { description } of warnings) context.note(`warning: ${description}`);
  if (errors.length > 0) {
    const lines = errors.map(({ path, description }) => `  ${path === '' ? '' : `${path}: `}${description}`);
    throw new InvalidError(`the batch is not valid\n${lines.join('\n')}`);
  }
  const count = effects?.recipes ?? estimated;
  const recipes = count == null ? 'an unknown number of recipes' : `up to ${countOf(count, 'recipe')}`;
  const jobs = effects?.jobs == null ? '' : `, ${countOf(effects.jobs, 'job')}`;
  const hours =
    effects?.processor_hours == null
      ? ''
      : `, about ${effects.processor_hours.toPrecision(2)} processor hours`;
  const what = `makes ${recipes}${jobs}${hours}`;
  if (options.dryRun === true) {
    if (!context.isStructured) context.printWrapped(what);
    return;
  }
  if (!(await context.confirm(`This ${what}. Continue?`))) throw new FailedError('nothing was changed');
  const made = await client.post('/v6/batches/', { body, signal });
  if (context.isStructured) return context.document(made);
  context.print(String(made.id));
  context.note(`batch ${made.id} ${what}`);
}

/** Throws the service's answer if the dataset or the previous batch does not exist. */
async function requireSource(
  { signal }: Context,
  client: Client,
  { dataset, previous_batch: previous }: BatchCreate['definition'],
): Promise<void> {
  const query = { fields: 'id' };
  if (typeof dataset === 'number')
    await client.get('/v6/datasets/{id}/', { path: { id: dataset }, query, signal });
  if (previous != null)
    await client.get('/v6/batches/{id}/', { path: { id: previous.root_batch_id }, query, signal });
}

async function show(context: Context, _options: unknown, text: string): Promise<void> {
  const path = { id: idOf('batch', text) };
  const batch = await (await context.client()).get('/v6/batches/{id}/', { path, signal: context.signal });
  if (context.isStructured) return context.document(batch);
  if (context.options.output === 'name') return context.print(String(batch.id));
  context.fields([
    ['batch', batch.id],
    ['title', batch.title],
    ['type', `${batch.recipe_type.name}, revision ${batch.recipe_type_rev.revision_num}`],
    ['status', batch.status],
    ['chain', batch.root_batch?.id],
    ['created', batch.created],
    ['recipes', recipesText(batch)],
    ['jobs', jobsText(batch)],
  ]);
  const nodes = Object.entries(batch.job_metrics);
  if (nodes.length === 0) return;
  context.print('');
  context.records(
    nodes,
    [
      { title: 'NODE', value: ([name]) => name },
      { title: 'JOBS', value: ([, node]) => `${node.jobs_completed}/${node.jobs_total}` },
      { title: 'FAILED', value: ([, node]) => node.jobs_failed },
      { title: 'AVERAGE', value: ([, node]) => node.avg_job_duration },
      { title: 'LEAST', value: ([, node]) => node.min_job_duration, isWide: true },
      { title: 'GREATEST', value: ([, node]) => node.max_job_duration, isWide: true },
    ],
    ([name]) => name,
  );
}

function recipesText(batch: Batch): string {
  const skipped = batch.recipes_skipped === 0 ? '' : `, ${batch.recipes_skipped} could not be made`;
  return `${batch.recipes_completed} of ${batch.recipes_total} completed${skipped}`;
}

function jobsText(batch: Batch): string {
  const counts = [
    [batch.jobs_completed, 'completed'],
    [batch.jobs_failed, 'failed'],
    [batch.jobs_canceled, 'canceled'],
    [batch.jobs_running, 'running'],
    [batch.jobs_queued, 'queued'],
    [batch.jobs_pending, 'pending'],
    [batch.jobs_blocked, 'blocked'],
  ] as const;
  const shown = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`);
  return shown.length === 0 ? 'none' : shown.join(', ');
}

async function compare(context: Context, _options: unknown, text: string): Promise<void> {
  const path = { id: idOf('batch', text) };
  const client = await context.client();
  const compared = await client.get('/v6/batches/comparison/{id}/', { path, signal: context.signal });
  if (context.isStructured) return context.document(compared);
  const { job_metrics: ofNodes, ...ofBatches } = compared.metrics;
  const rows = [
    ...Object.entries(ofBatches).map(([name, values]) => ({ name, values })),
    ...Object.entries(ofNodes).flatMap(([node, metrics]) =>
      Object.entries(metrics)
        .filter(([name]) => isShownOfNodes(context, name))
        .map(([name, values]) => ({ name: `${node}: ${name}`, values })),
    ),
  ];
  context.records(
    rows,
    [
      { title: 'METRIC', value: ({ name }) => name },
      ...compared.batches.map(({ id }, index) => ({
        title: `BATCH ${id}`,
        value: ({ values }: { readonly values: readonly unknown[] }) => values[index],
      })),
    ],
    ({ name }) => name,
  );
}

/** Whether a metric of a node is shown: without `-o wide` only the most important ones. */
function isShownOfNodes({ options }: Context, metric: string): boolean {
  return options.output === 'wide' || ['jobs_completed', 'jobs_failed', 'avg_job_duration'].includes(metric);
}

async function wait(context: Context, _options: unknown, text: string): Promise<void> {
  const id = idOf('batch', text);
  const client = await context.client();
  // A new count is not a change of the batch, so the ends of its jobs and recipes are followed.
  const filters = {
    kind: ['batch' as const, 'recipe' as const, 'job' as const],
    status: ['CREATED', 'COMPLETED', 'FAILED', 'CANCELED', 'BLOCKED'] satisfies ChangeFilters['status'],
    batch_id: [id],
  };
  const read = () => client.get('/v6/batches/{id}/', { path: { id }, ...patient(context) });
  const batch = await waitFor(context, client, filters, read, (one) => hasEnded(context, client, one));
  if (context.isStructured) context.document(batch);
  else if (context.options.output === 'name') context.print(String(id));
  else context.printWrapped(`batch ${id}: ${recipesText(batch)}; jobs: ${jobsText(batch)}`);
  const left = batch.recipes_total - batch.recipes_completed;
  if (left > 0)
    throw new FailedError(`${left} of ${countOf(batch.recipes_total, 'recipe')} did not complete`);
  if (batch.recipes_skipped > 0)
    throw new FailedError(
      `${countOf(batch.recipes_skipped, 'member')} without a recipe, which could not be made`,
    );
}

/** Nothing more will happen to it unless somebody requeues failed jobs. */
async function hasEnded(context: Context, client: Client, batch: Batch): Promise<boolean> {
  if (!batch.is_creation_done) return false;
  if (batch.recipes_completed === batch.recipes_total) return true;
  if (batch.jobs_queued + batch.jobs_running + batch.jobs_pending > 0) return false;
  // A recipe without live jobs may still continue: it may have a condition that is not decided yet.
  const query = { batch_id: [batch.id], is_completed: false };
  for await (const recipe of client.list('/v6/recipes/', { query, ...patient(context) })) {
    if (recipe.jobs_failed + recipe.jobs_canceled === 0) return false;
  }
  return true;
}
