/** What the help and the options of each command have. */
import t from 'tap';
import { isLocal, nameOf } from '../../src/cli/frame/command.ts';
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

t.test('commands: lists, and what shows the state of a record, have --watch', async (t) => {
  const shows = /^(?:status|queue|jobs|recipes|batches|files)$|^why | (?:list|show|compare|lineage)$/;
  const leaves = allOf(commandTree(() => async () => undefined)).filter(
    (one) => one.commands.length === 0 && !isLocal(one) && shows.test(nameOf(one)),
  );
  // Profiles are of this machine.
  for (const leaf of leaves.filter((one) => nameOf(one) !== 'profile list'))
    t.ok(
      leaf.options.some(({ long }) => long === '--watch'),
      nameOf(leaf),
    );
  t.ok(leaves.length > 15);
});
