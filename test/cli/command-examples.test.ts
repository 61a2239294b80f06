/** What the help of each command has. */
import t from 'tap';
import { isLocal } from '../../src/cli/frame/command.ts';
import { allOf, commandTree } from '../../src/cli/frame/program.ts';

t.test('commands: each has a summary and an example', async (t) => {
  const leaves = allOf(commandTree(() => async () => undefined)).filter(
    ({ commands }) => commands.length === 0,
  );
  for (const leaf of leaves) {
    t.not(leaf.summary(), '', leaf.name());
    let help = '';
    leaf.configureOutput({ writeOut: (piece) => (help += piece) });
    leaf.outputHelp();
    t.match(help, /Examples:\n {2}\$ millrace /, leaf.name());
    t.equal(/--server <url>/.test(help), !isLocal(leaf), leaf.name());
  }
});
