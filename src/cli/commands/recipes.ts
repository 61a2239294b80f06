/** `recipes`, `recipe …`: recipes and their nodes. */
import type { Command } from 'commander';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { integer, limited, list } from '../frame/lists.ts';
import { idOf, requireRecipeTypes } from '../frame/references.ts';
import { repeatable, WATCH } from '../live/live.ts';
import { addRerun } from '../recipe-graph/reprocess.ts';
import { showGraph } from '../recipe-graph/show.ts';

interface ListOptions {
  readonly type?: readonly string[];
  readonly open?: boolean;
  readonly limit: string;
}

export function addRecipes(program: Command, run: Run): void {
  program
    .command('recipes')
    .summary('list recipes, the newest first')
    .option('--type <name>', 'of this recipe type; repeatable', list)
    .option('--open', 'only those that are not completed')
    .option('--limit <n>', 'show at most this many', '50')
    .addHelpText('after', examples('recipes --open', 'recipes --type words -o json'))
    .option(...WATCH)
    .action(run(repeatable(listRecipes)));
  const recipe = program.command('recipe').summary('one recipe: show, rerun');
  recipe
    .command('show')
    .argument('<id>')
    .summary('a recipe with its counters and its nodes')
    .option('--graph', 'draw the nodes with their states, and the values of conditions')
    .addHelpText('after', examples('recipe show 3', 'recipe show 3 --graph', 'recipe show 3 -o json'))
    .option(...WATCH)
    .action(run(repeatable(show)));
  addRerun(recipe, run);
}

async function listRecipes(context: Context, options: ListOptions): Promise<void> {
  const query = {
    ...{ order: ['-id' as const], recipe_type_name: [...(options.type ?? [])] },
    ...(options.open === true ? { is_completed: false } : {}),
  };
  const limit = integer('--limit', options.limit, 1);
  const client = await context.client();
  const all = client.list('/v6/recipes/', {
    query,
    pageSize: Math.min(limit, 500),
    signal: context.signal,
  });
  const recipes = await limited(context, all, limit);
  // A mistyped name has no recipes either.
  if (recipes.length === 0) await requireRecipeTypes(client, options.type ?? []);
  context.records(
    recipes,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'TYPE', value: ({ recipe_type: type }) => type.name },
      {
        title: 'STATE',
        value: (one) => (one.is_superseded ? 'superseded' : one.is_completed ? 'completed' : 'open'),
      },
      { title: 'JOBS', value: (one) => `${one.jobs_completed}/${one.jobs_total}` },
      { title: 'FAILED', value: ({ jobs_failed: failed }) => failed },
      { title: 'CREATED', value: ({ created }) => created, isWide: true },
    ],
    ({ id }) => id,
  );
}

async function show(context: Context, options: { readonly graph?: boolean }, text: string): Promise<void> {
  const id = idOf('recipe', text);
  const client = await context.client();
  const recipe = await client.get('/v6/recipes/{id}/', { path: { id }, signal: context.signal });
  if (context.isStructured) return context.document(recipe);
  if (context.options.output === 'name') return context.print(String(recipe.id));
  context.fields([
    ['recipe', recipe.id],
    ['type', `${recipe.recipe_type.name}, revision ${recipe.recipe_type_rev.revision_num}`],
    ['state', recipe.is_superseded ? 'superseded' : recipe.is_completed ? 'completed' : 'open'],
    ['created', recipe.created],
    ['completed', recipe.completed],
    ['jobs', `${recipe.jobs_completed} completed, ${recipe.jobs_failed} failed, ${recipe.jobs_total} in all`],
  ]);
  context.print('');
  if (options.graph === true) return showGraph(context, client, recipe);
  const nodes = Object.entries(recipe.details.nodes as Readonly<Record<string, unknown>>);
  context.records(
    nodes.map(([name, node]) => ({ name, ...stateOf(node) })),
    [
      { title: 'NODE', value: ({ name }) => name },
      { title: 'AFTER', value: ({ after }) => after.join(', ') },
      { title: 'STATE', value: ({ state }) => state },
      { title: 'JOB', value: ({ job }) => job },
    ],
    ({ name }) => name,
  );
}

interface NodeState {
  readonly after: readonly string[];
  readonly state: unknown;
  readonly job: unknown;
}

function stateOf(node: unknown): NodeState {
  const { node_type: type = {}, dependencies = [] } = node as {
    readonly node_type?: Readonly<Record<string, unknown>>;
    readonly dependencies?: readonly { readonly name: string; readonly acceptance?: boolean }[];
  };
  const after = dependencies.map(({ name, acceptance }) => (acceptance === false ? `not ${name}` : name));
  const accepted = type.is_accepted === true ? 'ACCEPTED' : 'REJECTED';
  const decided = type.is_processed === true ? accepted : 'PENDING';
  const state =
    type.node_type === 'condition'
      ? decided
      : (type.status ?? (type.is_completed === true ? 'completed' : null));
  return { after, state, job: type.job_id };
}
