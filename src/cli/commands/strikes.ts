/** `strike …`: strikes, and the rules that they try. */
import type { Command } from 'commander';
import { change, DRY_RUN, unchanged } from '../frame/change.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { findId } from '../frame/references.ts';
import { repeatable, WATCH } from '../live/live.ts';
import { testNames } from './tested-names.ts';

export function addStrikes(program: Command, run: Run): void {
  const strike = program.command('strike').summary('strikes: list, pause, resume, test');
  strike
    .command('list')
    .summary('all strikes')
    .addHelpText('after', examples('strike list', 'strike list -o wide'))
    .option(...WATCH)
    .action(run(repeatable(listStrikes)));
  strike
    .command('pause')
    .argument('<name>')
    .summary('take in no more files')
    .option(...DRY_RUN)
    .addHelpText('after', examples('strike pause texts', 'strike pause id:3 --dry-run'))
    .action(run((context, _options, name) => setPaused(context, name, true)));
  strike
    .command('resume')
    .argument('<name>')
    .summary('take in files again, also those that came meanwhile')
    .option(...DRY_RUN)
    .addHelpText('after', examples('strike resume texts'))
    .action(run((context, _options, name) => setPaused(context, name, false)));
  strike
    .command('test')
    .argument('<name>')
    .argument('<file-name...>')
    .summary('which rule would take files of these names, and what would follow; or why none')
    .addHelpText('after', examples('strike test texts report.txt sub/other.json'))
    .action(run((context, _options, name, names) => testNames(context, 'strike', name, names)));
}

async function listStrikes(context: Context): Promise<void> {
  const client = await context.client();
  const strikes = [];
  for await (const strike of client.list('/v6/strikes/', { signal: context.signal })) strikes.push(strike);
  context.records(
    strikes,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name },
      { title: 'STATE', value: (one) => (one.is_paused ? 'paused' : 'active') },
      { title: 'TITLE', value: ({ title }) => title, isWide: true },
      { title: 'REASON', value: ({ reason }) => reason },
    ],
    ({ name }) => name,
  );
}

async function setPaused(context: Context, name: string, isPaused: boolean): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const path = { id: await findId(client, 'strike', name) };
  const strike = await client.get('/v6/strikes/{id}/', { path, signal });
  const does = isPaused
    ? `pauses strike ${strike.name}: it takes in no more files`
    : `resumes strike ${strike.name}: it takes in files again`;
  await change(context, client, strike.is_paused === isPaused ? unchanged(isPaused) : does, async () => {
    await client.patch('/v6/strikes/{id}/', { path, body: { is_paused: isPaused }, signal });
    context.note(isPaused ? `paused: ${strike.name} takes in no more files` : `resumed: ${strike.name}`);
  });
}
