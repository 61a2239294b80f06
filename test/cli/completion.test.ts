/** What could come next on a command line, and that no argument is forgotten. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { placeOf } from '../../src/cli/completion/candidates.ts';
import { argumentSource } from '../../src/cli/completion/sources.ts';
import { isLocal, nameOf } from '../../src/cli/frame/command.ts';
import { allOf, commandTree } from '../../src/cli/frame/program.ts';

const BIN = join(import.meta.dirname, '../../bin/millrace.js');
const program = commandTree(() => async () => undefined);
const valuesAt = (line: string) => placeOf(program, line.split(' ')).candidates.map(({ value }) => value);
const sourceAt = (line: string) => placeOf(program, line.split(' ')).source;

/** What only the person knows. */
const UNKNOWN = [
  ...['api path', 'strike test file-name', 'scan test file-name', 'why file path', 'why strike file-name'],
  ...['why scan file-name', 'scan create title'],
];

t.test('completion: commands, subcommands, options of a command and common options are completed', (t) => {
  t.ok(valuesAt('').includes('watch'));
  t.strictSame(valuesAt('job '), ['show', 'logs', 'cancel', 'requeue', 'wait']);
  t.ok(valuesAt('job logs --').includes('--follow'));
  t.ok(valuesAt('job logs --').includes('--server'));
  t.notOk(valuesAt('demo --').includes('--server'), 'a command that calls no service has no such option');
  t.ok(valuesAt('help ').includes('watch'));
  t.ok(valuesAt('help ').includes('settings'));
  t.end();
});

t.test('completion: arguments are completed by position, also after options with a value', (t) => {
  t.equal(sourceAt('strike pause '), 'strikes');
  t.equal(sourceAt('--server http://host strike pause '), 'strikes');
  t.equal(sourceAt('-o json job show '), 'jobs');
  t.equal(sourceAt('jobs --type '), 'job-types');
  t.equal(sourceAt('run '), 'runnable-types');
  t.equal(sourceAt('recipes --type '), 'recipe-types');
  t.equal(sourceAt('jobs --type='), 'job-types');
  t.equal(sourceAt('type try --into '), 'workspaces');
  t.equal(sourceAt('watch --into '), 'paths');
  t.equal(sourceAt('job cancel 7 '), 'jobs', 'more of the same');
  t.equal(sourceAt('job show 7 '), 'nothing');
  t.strictSame(sourceAt('status -o '), ['table', 'wide', 'json', 'yaml', 'name']);
  t.equal(placeOf(program, ['--profile', 'lab', 'strike', 'pause', '']).given.get('--profile'), 'lab');
  t.end();
});

t.test('completion: every argument of every command that uses a service has a source', (t) => {
  const without = allOf(program)
    .filter((command) => !isLocal(command))
    .flatMap((command) =>
      command.registeredArguments.flatMap((argument, index) =>
        argumentSource(command, index) === undefined ? [`${nameOf(command)} ${argument.name()}`] : [],
      ),
    );
  t.strictSame(without.sort(), UNKNOWN.sort());
  t.end();
});

t.test('completion: without a service there are no names and no messages', (t) => {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', MILLRACE_SERVER: 'http://127.0.0.1:1' };
  const run = (...words: string[]) =>
    execFileSync(process.execPath, [BIN, 'complete', '--', ...words], { env, encoding: 'utf8' });
  t.equal(run('strike', 'pause', ''), '');
  t.equal(run('apply', '-f', ''), ':files\n');
  t.match(run('jobs', '--stat'), /^--status\t/);
  t.end();
});
