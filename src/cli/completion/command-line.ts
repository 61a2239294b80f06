/** `completion` and `complete`. Their code is loaded at a call. */
import { Argument, type Command } from 'commander';
import { examples, local, type Run } from '../frame/command.ts';
import { SHELLS, type Shell } from './scripts.ts';

export function addCompletion(program: Command, run: Run): void {
  local(program.command('completion'))
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .summary('a script for bash, zsh or fish that completes commands, options and names')
    .description(
      'Prints a script for a shell. With it the tab key completes commands and options, and the names of strikes, ' +
        'scans, types, workspaces and nodes, which it asks the service for.\n\n' +
        '  bash  source <(millrace completion bash)    in ~/.bashrc\n' +
        '  zsh   source <(millrace completion zsh)     in ~/.zshrc, after compinit\n' +
        '  fish  millrace completion fish | source     in ~/.config/fish/config.fish',
    )
    .addHelpText('after', examples('completion bash >~/.local/share/bash-completion/completions/millrace'))
    .action(
      run(async (context, _options, shell: Shell) => {
        context.write(SHELLS[shell]);
      }),
    );
  local(program.command('complete').argument('[word...]'))
    .summary('what could come next on a line; the scripts of `completion` call it')
    .description(
      'Prints what could come next: a line for each word, with its description after a tab. The last word is the ' +
        'one that is being typed. `:files` asks for names of files.',
    )
    .addHelpText('after', examples("complete -- strike pause ''"))
    .action(
      run(async (context, _options, words: readonly string[]) =>
        (await import('./complete.ts')).complete(context, program, words),
      ),
    );
}
