/** `doctor`. Its code is loaded at a call. */
import type { Command } from 'commander';
import { examples, type Run } from '../frame/command.ts';
import { withSettings } from '../frame/settings.ts';

export function addDoctor(program: Command, run: Run): void {
  withSettings(program.command('doctor'), 'dataDir')
    .summary('say what works on this machine, and how to mend what does not')
    .description(
      'Looks at what a service and its jobs need here: the data folder and its disk, the database, watches on ' +
        'directories, executors, the clock, and the service that commands use. It starts and changes nothing. ' +
        'It fails if something that is needed does not work.',
    )
    .addHelpText('after', examples('doctor', 'doctor -o json'))
    .action(run(async (context, options) => (await import('./doctor.ts')).runDoctor(context, options)));
}
