/** The options of `watch`. Its code is loaded when the command is called. */
import type { Command } from 'commander';
import { examples, type Run } from '../frame/command.ts';

export function addWatch(program: Command, run: Run): void {
  const command = program.command('watch');
  command
    .argument('[directory]')
    .allowExcessArguments()
    .summary('run a shell script for each file of a directory')
    .description(
      'Runs a shell script for each file of a directory: those that are there, and those that come. Ctrl-C ends it; ' +
        'the same line continues where it was; with another script, what failed runs again.\n\n' +
        'The script finds in variables what it needs. Put it in single quotes, or your shell replaces them.\n' +
        '  $in     the path of the file: a copy, which it may not change\n' +
        '  $out    the directory for what it makes; files in its sub-directories are not kept\n' +
        '  $name   the name of the file: notes.txt\n' +
        '  $stem   without its ending: notes\n' +
        '  $ext    the ending: txt\n\n' +
        'It uses the service at --server, MILLRACE_SERVER or of a profile, which must be on this machine. By default ' +
        'it is the one at 127.0.0.1:8080 (MILLRACE_HTTP); if none answers there, one is started, and stopped with ' +
        'Ctrl-C.',
    )
    .option('--run <script>', 'run in bash -euo pipefail (sh -eu where there is no bash)')
    .option('--into <directory>', 'where products go, under their own names; made if it does not exist')
    .option('--match <pattern>', 'only files with such names: *.txt, [ab]*, *.{jpg,png}')
    .option('--new-only', 'leave files alone that are there already')
    .option('--no-input', 'the script needs no $in')
    .option('--cpus <n>', 'processors that a script may take', '0.5')
    .option('--mem <n>', 'MiB of memory that a script may take', '256')
    .option('--timeout <n>', 'seconds that a script may take', '3600')
    .option(
      '--name <name>',
      'of what it makes in the service; by default made up of the directories and the pattern',
    )
    .option(
      '--data-dir <directory>',
      'where a service that is started keeps its data: ./.millrace (MILLRACE_DATA_DIR)',
    )
    .option(
      '--remove',
      'at the end also delete what it made in the service, and its markers; files and products stay',
    )
    .addHelpText(
      'after',
      examples(
        `watch ./in --run 'sort "$in" | gzip >"$out/$name.gz"' --into ./out --match '*.txt'`,
        `watch . --run 'cp "$in" "$out/$stem-$(date +%s).$ext"' --into copies --new-only --remove`,
      ),
    )
    .action(
      run(async (context, options, directory) =>
        (await import('./session.ts')).runWatch(context, options, directory, command.args.slice(1)),
      ),
    );
}
