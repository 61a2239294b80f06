/** `help` and `version`. */
import type { Command } from 'commander';
import { nearestOf } from '../../domain/near-names.ts';
import { examples, local, type Run } from '../frame/command.ts';
import { UsageError } from '../frame/exit-codes.ts';
import { settingsText } from './commands.ts';

export function addHelp(program: Command, run: Run): void {
  local(program.command('help').argument('[command...]'))
    .summary('show this help, or that of a command; `help settings` shows the settings of a service')
    .addHelpText('after', examples('help job logs', 'help settings'))
    .action(
      run(async (context, _options, words: readonly string[]) => {
        if (words[0] === 'settings') return void context.write(`${settingsText().trim()}\n`);
        commandOf(program, words).outputHelp();
      }),
    );
  local(program.command('version'))
    .summary('the version')
    .addHelpText('after', examples('version'))
    .action(run(async (context) => context.print(`millrace ${context.terminal.version}`)));
}

function commandOf(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const names = found.commands.map((one) => one.name());
    const next = found.commands.find((one) => one.name() === word);
    if (next === undefined) {
      const known = found === program ? [...names, 'settings'] : names;
      throw new UsageError(`there is no command '${words.join(' ')}'${nearestOf(word, known)}`);
    }
    found = next;
  }
  return found;
}
