/** `run` and `type try`. Their code is loaded at a call. */
import type { Command } from 'commander';
import { DRY_RUN } from '../frame/change.ts';
import { examples, type Run } from '../frame/command.ts';
import { list } from '../frame/lists.ts';

const FILES = [
  '[file...]',
  'for its file inputs in their order: workspace:path, a name, id:7, or ./path',
] as const;
const SET = ['--set <input=value>', 'a value, or a file, for this input; repeatable', list] as const;
const UPLOAD_TO = [
  '--upload-to <workspace>',
  'store files of this machine there first; workspace:folder for a folder',
] as const;

export function addRun(program: Command, run: Run): void {
  program
    .command('run')
    .argument('<type>', 'a job type: name, name:version, or id:7')
    .argument(...FILES)
    .summary('run a job of a type')
    .option(...SET)
    .option(...UPLOAD_TO)
    .option('--wait', 'until it ends; fails unless it completes')
    .option('--logs', 'show what it writes, until it ends')
    .option(...DRY_RUN)
    .addHelpText(
      'after',
      examples(
        'run count archive:text/a.txt --wait',
        'run count ./a.txt --upload-to arrivals --set LINES=10 --logs',
      ),
    )
    .action(
      run(async (context, options, type, files) =>
        (await import('./run.ts')).runJob(context, options, type, files),
      ),
    );
}

export function addTry(program: Command, run: Run): void {
  const type = program.command('type').summary('a job type that is being written: try');
  type
    .command('try')
    .argument('<manifest>', 'YAML or JSON: a manifest, or a job type with its image and configuration')
    .argument(...FILES)
    .summary('run a job type once, without creating it')
    .option('--image <image>', 'what it runs in: an image, or process:default')
    .option('--into <workspace>', 'where its products go, for an hour')
    .option(...SET)
    .option(...UPLOAD_TO)
    .option(...DRY_RUN)
    .addHelpText(
      'after',
      examples(
        'type try count.json archive:text/a.txt --image process:default',
        'type try type.yaml ./a.txt --upload-to arrivals --into results --set LINES=10',
      ),
    )
    .action(
      run(async (context, options, path, files) =>
        (await import('./try.ts')).tryType(context, options, path, files),
      ),
    );
}
