/** `reprocess` and `recipe rerun`: create a recipe that replaces another. */
import type { Command } from 'commander';
import { RefusedError } from '../../client/errors.ts';
import type { BodyOf } from '../../client/operations.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { countOf } from '../frame/count.ts';
import { FailedError, InvalidError, UsageError } from '../frame/exit-codes.ts';
import { integer, list } from '../frame/lists.ts';
import { idOf } from '../frame/references.ts';
import { refusalText } from '../frame/refusal.ts';

type Body = BodyOf<'post', '/v6/recipes/{id}/reprocess/'>;

export function addReprocess(program: Command, run: Run): void {
  program
    .command('reprocess')
    .argument('<id>', 'a recipe')
    .summary('run a recipe again with the newest revision of its type, where that differs')
    .option('--node <name>', 'run this node and those behind it again even if unchanged; repeatable', list)
    .option('--all', 'run all nodes again')
    .option('--revision <n>', 'with this revision of its type')
    .option('--dry-run', 'say what it would make, and change nothing')
    .addHelpText('after', examples('reprocess 3 --dry-run', 'reprocess 3 --node pack --yes'))
    .action(run(reprocess));
}

export function addRerun(recipe: Command, run: Run): void {
  recipe
    .command('rerun')
    .argument('<id>')
    .summary('run nodes of a recipe again with the revision that it has')
    .option('--from <node>', 'this node and those behind it; repeatable; all nodes when absent', list)
    .option('--dry-run', 'say what it would make, and change nothing')
    .addHelpText('after', examples('recipe rerun 3 --from pack --dry-run', 'recipe rerun 3 --yes'))
    .action(run(rerun));
}

interface ReprocessOptions {
  readonly node?: readonly string[];
  readonly all?: boolean;
  readonly revision?: string;
  readonly dryRun?: boolean;
}

async function reprocess(context: Context, options: ReprocessOptions, text: string): Promise<void> {
  const { node, all = false, revision, dryRun = false } = options;
  if (all && node !== undefined) throw new UsageError('--all and --node: choose one');
  const body: Body = {
    forced_nodes: { all, nodes: [...(node ?? [])] },
    ...(revision === undefined ? {} : { revision_num: integer('--revision', revision, 1) }),
  };
  await replace(context, idOf('recipe', text), body, dryRun);
}

async function rerun(
  context: Context,
  { from, dryRun = false }: { readonly from?: readonly string[]; readonly dryRun?: boolean },
  text: string,
): Promise<void> {
  const id = idOf('recipe', text);
  const client = await context.client();
  const recipe = await client.get('/v6/recipes/{id}/', { path: { id }, signal: context.signal });
  const body: Body = {
    forced_nodes: { all: from === undefined, nodes: [...(from ?? [])] },
    revision_num: recipe.recipe_type_rev.revision_num,
  };
  await replace(context, id, body, dryRun);
}

const FORCING = '--node NAME runs this node and those behind it again all the same, --all all nodes';

function hasNothingToDo({ problems }: RefusedError): boolean {
  return problems.some(({ name }) => name === 'NOTHING_TO_REPROCESS');
}

async function replace(context: Context, id: number, body: Body, isDry: boolean): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const request = { path: { id }, body, signal };
  const preview = await client
    .post('/v6/recipes/{id}/reprocess/', { ...request, query: { dry_run: true } })
    .catch((error: unknown) => {
      if (!(error instanceof RefusedError) || !hasNothingToDo(error)) throw error;
      throw new InvalidError(`${refusalText(error, context.calledService)}\n  ${FORCING}`);
    });
  if (preview === undefined) throw new FailedError('the service gave no preview');
  if (isDry && context.isStructured) return context.document(preview);
  for (const { description } of preview.warnings) context.note(`warning: ${description}`);
  const { made, kept } = preview.nodes;
  const parts = [
    `makes ${countOf(preview.new_jobs, 'job')} and ${countOf(preview.new_recipes, 'recipe')}`,
    `runs ${made.join(', ') || 'no node'}`,
    `keeps ${kept.join(', ') || 'no node'}`,
    ...(preview.canceled_job_count === 0 ? [] : [`cancels ${countOf(preview.canceled_job_count, 'job')}`]),
  ];
  const what = `replaces recipe ${id}: ${parts.join('; ')}`;
  if (isDry) return context.printWrapped(what);
  if (!(await context.confirm(`This ${what}. Continue?`))) throw new FailedError('nothing was changed');
  await client.post('/v6/recipes/{id}/reprocess/', request);
  const { superseded_by_recipe: next } = await client.get('/v6/recipes/{id}/', { path: { id }, signal });
  if (next === null) throw new FailedError(`recipe ${id} was not replaced`);
  context.print(String(next.id));
  context.note(what);
}
