/** docs/cli.md: every command, as its definition says. */
import type { Command } from 'commander';
import { nameOf } from '../../src/cli/frame/command.ts';
import { EXIT, EXIT_WORDS } from '../../src/cli/frame/exit-codes.ts';
import { allOf, commandTree } from '../../src/cli/frame/program.ts';

const HEAD = `# The command line

<!-- Written by \`npm run docs\` from the definitions of the commands. -->

\`millrace help\` lists all commands, \`millrace help <command>\` shows the options and examples of
one, and \`millrace help settings\` the settings of \`up\`, \`coordinator\` and \`agent\`
([settings.md](settings.md)). Commands that use a running service use its [interface](interface.md) by the
[client](client.md), and nothing else.

## The service and the token

| | first | then | then | else |
| --- | --- | --- | --- | --- |
| service | \`--server\` | \`MILLRACE_SERVER\` | the profile | \`http://127.0.0.1:8080\` |
| token | \`--token-file\` | \`MILLRACE_TOKEN\` | the profile, for its own service only | none |
| profile | \`--profile\` | \`MILLRACE_PROFILE\` | the current one | none |

The service is \`http://host:port\`, also below a path where a proxy serves it there. What follows in the
address of its interface, \`/v6/\` and all behind it, is left out.

\`millrace login\` keeps an access token in a profile: in \`$XDG_CONFIG_HOME/millrace/profiles.json\`
(\`~/.config\` without it), mode 0600. A file of profiles or tokens that others can read is refused. A token
is never an argument: other users of the machine could
read it there.

## Names, results, questions

- Workspaces, strikes, scans and nodes are given by their names, files as \`workspace:path\`; \`id:7\` and \`7\` are
  ids. Jobs, recipes and batches have ids only.
- \`-o table\` (the default) shows columns as wide as the terminal at most, \`wide\` more of them,
  \`json\` and \`yaml\` the records as the interface has them, \`name\` one name or id a line, for other
  commands. Control characters in foreign text are shown escaped; what \`job logs\` and \`file get\` write
  to a pipe or a file is unchanged.
- Results go to standard output; notes, warnings and questions to standard error. \`--quiet\` leaves out
  notes.
- \`--watch\` repeats a list, \`show\`, \`status\` or \`why\` every two seconds: on the whole screen of a terminal
  until q or Ctrl-C, elsewhere each time that the result differs. \`changes --follow\` and \`job logs -f\` add new
  lines instead.
- Commands that follow a service (\`--watch\`, \`changes --follow\`, \`job logs -f\`, \`run --logs\`) or wait
  (\`job wait\`, \`batch wait\`, \`scan wait\`, \`node drain --wait\`, \`purge --wait\`) do not end when the
  connection is lost. They say on standard error that it is lost, and again when it is back, and continue where they
  were: \`changes\` shows every change once, a log every byte. \`watch\` says the same among its lines. Ctrl-C ends
  \`--watch\` with 0, and the others with 130. If the service is away or still starting when the command begins, only
  \`--watch\` waits for it; the others end with 6.
- \`millrace completion bash\` (zsh, fish) prints a script with which the tab key completes commands, options and the
  names of strikes, types, workspaces and others.
- Before a change to many jobs, the command says how many there are, and asks. \`--yes\` answers; without a
  terminal it is required.
- Commands that change something have \`--dry-run\`: it checks the names, the input and the permission, prints what
  would be done, and changes nothing. If the change would be refused, it ends with the exit code of the refusal.
- If the reader of a pipe closes it, the command ends without a message.
`;

export function commandsPage(): string {
  const program = commandTree(() => async () => undefined);
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup());
  const rows = Object.entries(EXIT).map(
    ([name, code]) => `| ${code} | ${EXIT_WORDS[name as keyof typeof EXIT]} |`,
  );
  return [
    HEAD,
    `## Exit codes\n\n| code | meaning |\n| --- | --- |\n${rows.join('\n')}\n`,
    '## Options of commands that use a service\n',
    `${optionsOf(program)}\n`,
    ...[...groups].flatMap(([heading, commands]) => [
      `## ${heading.replace(/:$/, '')}\n`,
      ...commands
        .flatMap(allOf)
        .filter((one) => one.commands.length === 0)
        .map(section),
    ]),
  ].join('\n');
}

function section(command: Command): string {
  const name = `millrace ${nameOf(command)}`;
  const usage = command.registeredArguments.map((one) => {
    const text = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? ` <${text}>` : ` [${text}]`;
  });
  const notes = command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((one) => `- \`${one.name()}\`: ${one.description}\n`);
  return [
    `### ${name}\n`,
    `${sentence(command.description() || command.summary())}\n`,
    `\`${name}${usage.join('')}\`\n`,
    ...(notes.length === 0 ? [] : [notes.join('')]),
    ...(command.options.length === 0 ? [] : [`${optionsOf(command)}\n`]),
  ].join('\n');
}

function optionsOf(command: Command): string {
  return command.options
    .map(({ flags, description }) => `- \`${flags}\`: ${description}`)
    .join('\n')
    .concat('\n');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
