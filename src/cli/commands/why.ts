/** `why …`: the causes that the service gives. */
import type { Command } from 'commander';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { countOf } from '../frame/count.ts';
import { notUtf8Place } from '../frame/file-problem.ts';
import { findId, idOf } from '../frame/references.ts';
import { repeatable, WATCH } from '../live/live.ts';
import { type Cause, showCauses } from './causes.ts';
import { testNames } from './tested-names.ts';

export function addWhy(program: Command, run: Run): void {
  const why = program
    .command('why')
    .summary('why something waits, failed, or did not happen: job, recipe, file, strike, scan');
  why
    .command('job')
    .argument('<id>')
    .summary('why a job waits, runs, failed or was canceled')
    .addHelpText('after', examples('why job 7'))
    .option(...WATCH)
    .action(run(repeatable(whyJob)));
  why
    .command('recipe')
    .argument('<id>')
    .summary('what each unfinished node of a recipe waits for')
    .addHelpText('after', examples('why recipe 3'))
    .option(...WATCH)
    .action(run(repeatable(whyRecipe)));
  why
    .command('file')
    .argument('<workspace>')
    .argument('<path>')
    .summary('what happened to the file at a path, or why nothing did')
    .addHelpText('after', examples('why file arrivals sub/report.json'))
    .option(...WATCH)
    .action(run(repeatable(whyFile)));
  for (const [kind, finds] of [
    ['strike', 'why a strike watches nothing'],
    ['scan', 'why a scan does not run'],
  ] as const) {
    why
      .command(kind)
      .argument('<name>')
      .argument('[file-name...]')
      .summary(`${finds}, and which rule would take a file of that name`)
      .addHelpText('after', examples(`why ${kind} texts report.json`))
      .option(...WATCH)
      .action(run(repeatable((context, _options, name, names) => testNames(context, kind, name, names))));
  }
}

async function whyJob(context: Context, _options: unknown, text: string): Promise<void> {
  const path = { id: idOf('job', text) };
  const answer = await (await context.client()).get('/v6/jobs/{id}/why/', { path, signal: context.signal });
  show(context, answer, `job ${answer.id} is ${answer.status}`, answer.causes);
}

async function whyRecipe(context: Context, _options: unknown, text: string): Promise<void> {
  const path = { id: idOf('recipe', text) };
  const answer = await (await context.client()).get('/v6/recipes/{id}/why/', {
    path,
    signal: context.signal,
  });
  const state = answer.is_completed
    ? 'completed'
    : `not completed, with ${countOf(answer.held_count, 'node')} waiting`;
  show(context, answer, `recipe ${answer.id} is ${state}`, answer.causes);
}

async function whyFile(context: Context, _options: unknown, workspace: string, path: string): Promise<void> {
  const problem = notUtf8Place(path);
  if (problem !== undefined) context.note(`note: ${problem}`);
  const client = await context.client();
  const { signal } = context;
  const id = await findId(client, 'workspace', workspace);
  const { name } = await client.get('/v6/workspaces/{id}/', {
    path: { id },
    query: { fields: 'name' },
    signal,
  });
  const answer = await client.get('/v6/files/why/', { query: { workspace: name, path }, signal });
  const { file } = answer;
  const found = file === null ? 'is not recorded' : `is file ${file.id} (${file.file_type})`;
  show(context, answer, `${answer.path} in ${answer.workspace} ${found}`, answer.causes);
}

function show(context: Context, answer: unknown, head: string, causes: readonly Cause[]): void {
  if (context.isStructured) context.document(answer);
  else if (context.options.output === 'name') for (const { name } of causes) context.print(name);
  else showCauses(context, head, causes);
}
