/** `demo`. Its code is loaded at a call. */
import type { Command } from 'commander';
import { examples, local, type Run } from '../frame/command.ts';

export function addDemo(program: Command, run: Run): void {
  local(program.command('demo'))
    .summary('start a service, give it 300 real files, and check what becomes of them')
    .description(
      'Starts a service with its data in ./.millrace (or a folder beside it), gives it 300 real files, shows what ' +
        'becomes of them, and checks each. It takes about a minute. Settings of the shell, such as ' +
        'DATABASE_URL, do not apply to that service.',
    )
    .addHelpText('after', examples('demo'))
    .action(
      run(async ({ terminal, signal }) => {
        const { cwd, program, env, stdout } = terminal;
        return (await import('./demo.ts')).runDemo({ cwd, program, env, stdout, signal });
      }),
    );
}
