/** `apply`, `diff`, `lint` and `export`. Their code is loaded at a call, because the schemas of bodies take time. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { UsageError } from '../frame/exit-codes.ts';
import { list } from '../frame/lists.ts';
import type { Surroundings } from './commands.ts';
import type { LoadOptions } from './load-files.ts';
import type { Server } from './server.ts';

interface FileOptions {
  readonly file?: readonly string[];
  readonly recursive?: boolean;
}

interface PlanOptions extends FileOptions {
  readonly prune?: boolean;
  readonly adopt?: boolean;
}

export function addApply(program: Command, run: Run): void {
  withPlan(withFiles(program.command('apply')))
    .summary('make the records of a service match files')
    .description(
      'Makes the records of a service match files: workspaces, job types, recipe types, strikes and scans. The same ' +
        'files applied again change nothing (docs/apply.md).',
    )
    .option('--dry-run', 'show what would be done, and change nothing')
    .option('--expand', 'print the files in their full form, and change nothing')
    .addHelpText(
      'after',
      examples(
        'apply -f words.yaml',
        'apply -f pipelines/ --prune --dry-run',
        'apply -f words.yaml --expand >words.full.yaml',
      ),
    )
    .action(run(apply));
  withPlan(withFiles(program.command('diff')))
    .summary('show how a service differs from what files describe')
    .option('--exit-code', 'end with 1 where something differs')
    .addHelpText('after', examples('diff -f words.yaml', 'diff -f pipelines/ --prune --exit-code'))
    .action(run(diff));
  withFiles(program.command('lint'))
    .summary('check such files without a service')
    .description(
      'Checks files as the service would, each problem with its line and column. It needs no service.',
    )
    .option('--online', 'ask the service as well: for what the files refer to, and for its own validation')
    .addHelpText('after', examples('lint -f words.yaml', 'lint -f pipelines/ -R --online'))
    .action(run(lint));
  program
    .command('export')
    .argument('[directory]', 'where the files go, one for each set; standard output if absent or -')
    .summary('write what a service has as such files')
    .description('Writes what a service has as files that `apply` takes back without a change.')
    .option('--set <name>', 'only this set')
    .option('--label <key:value>', 'only records with this label')
    .addHelpText('after', examples('export >everything.yaml', 'export exported/ --set words'))
    .action(run(exportAll));
}

function withFiles(command: Command): Command {
  return command
    .option(
      '-f, --file <path>',
      'a file (YAML or JSON), a directory of them, or - for standard input; repeatable',
      list,
    )
    .option('-R, --recursive', 'the directories inside as well');
}

function withPlan(command: Command): Command {
  return command
    .option('--adopt', 'take over records of another set, or of none')
    .option('--prune', 'also remove records of the set that are no longer in the files');
}

async function apply(
  context: Context,
  options: PlanOptions & { readonly dryRun?: boolean; readonly expand?: boolean },
): Promise<number> {
  if (options.expand === true) refuseJson(context, '--expand');
  const around = surroundingsOf(context);
  const { runApply } = await import('./commands.ts');
  const flags = { isDryRun: options.dryRun === true, isExpanding: options.expand === true };
  return runApply({ ...loadOf(context, options), ...plansOf(options), ...flags }, around);
}

async function diff(
  context: Context,
  options: PlanOptions & { readonly exitCode?: boolean },
): Promise<number> {
  const around = surroundingsOf(context);
  const { runDiff } = await import('./commands.ts');
  const failsOnDifference = options.exitCode === true;
  return runDiff({ ...loadOf(context, options), ...plansOf(options), failsOnDifference }, around);
}

async function lint(context: Context, options: FileOptions & { readonly online?: boolean }): Promise<number> {
  const around = surroundingsOf(context);
  const { runLint } = await import('./commands.ts');
  return runLint({ ...loadOf(context, options), isOnline: options.online === true }, around);
}

async function exportAll(
  context: Context,
  { set, label }: { readonly set?: string; readonly label?: string },
  directory: string | undefined,
): Promise<number> {
  if (set !== undefined && label !== undefined) throw new UsageError('give either --set or --label');
  refuseJson(context, 'export');
  const around = surroundingsOf(context);
  const { runExport } = await import('./commands.ts');
  const { cwd } = context.terminal;
  return runExport({ directory, cwd, label: set === undefined ? label : `set:${set}` }, around);
}

/** Several sets are several documents, which are no JSON text. */
function refuseJson({ options: { output } }: Context, what: string): void {
  if (output === 'json') throw new UsageError(`-o json: ${what} writes the form of files, which is YAML`);
}

function loadOf({ terminal: { cwd } }: Context, { file, recursive }: FileOptions): LoadOptions {
  if (file === undefined) throw new UsageError('-f: which file, or which directory? - is standard input');
  return { paths: file, cwd, isRecursive: recursive === true, readInput: () => readFileSync(0) };
}

function plansOf({ prune, adopt }: PlanOptions) {
  return { isPruning: prune === true, isAdopting: adopt === true };
}

function surroundingsOf(context: Context): Surroundings {
  const { output } = context.options;
  if (output === 'wide' || output === 'name') throw new UsageError(`-o ${output}: one of table, json, yaml`);
  return {
    out: (text) => context.print(text),
    note: (text) => context.note(text),
    problem: (text) => context.problem(text),
    raw: (text) => void context.write(text),
    document: (value) => context.document(value),
    isStructured: context.isStructured,
    confirm: async (question) => {
      if (context.canAsk) return context.confirm(question);
      // Other records have been changed by now: this is not a usage error, and the result is shown.
      context.problem('millrace: this must be confirmed: there is no terminal to ask on, so give --yes');
      return false;
    },
    server: async (): Promise<Server> => {
      const client = await context.client();
      const { signal } = context;
      return { request: (method, path, options) => client.request(method, path, { ...options, signal }) };
    },
  };
}
