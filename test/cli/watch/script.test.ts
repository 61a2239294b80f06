/** The script of `millrace watch`: what is refused, and what it sees of files with hostile names. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { checkScript, checkSyntax, commandOf, warningsOf } from '../../../src/cli/watch/script.ts';
import { expandCommand } from '../../../src/domain/job/command.ts';

const run = promisify(execFile);

interface Ended {
  readonly code: number;
  readonly stderr: string;
  readonly products: (name: string) => Promise<string>;
}

/** Runs the command as an agent would: no shell around it, the contract's variables in its environment. */
async function runScript(
  test: { teardown(end: () => Promise<void>): unknown },
  script: string,
  file: string,
): Promise<Ended> {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-script-'));
  test.teardown(() => rm(dir, { recursive: true }));
  const input = join(dir, file);
  await writeFile(input, 'b\na\n');
  const [program = '', ...args] = expandCommand(commandOf(script), new Map([['INPUT_FILE', input]]));
  const env = { PATH: '/usr/bin:/bin', INPUT_FILE: input, OUTPUT_DIR: dir };
  const products = (name: string): Promise<string> => readFile(join(dir, name), 'utf8');
  try {
    const { stderr } = await run(program, args, { env, cwd: dir });
    return { code: 0, stderr, products };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, stderr, products };
  }
}

t.test('script: its variables hold the parts of the file’s path', async (t) => {
  const seen = 'printf "%s|%s|%s" "$name" "$stem" "$ext" >"$out/seen"; sort "$in" >"$out/sorted"';
  const parts = async (file: string): Promise<string> => (await runScript(t, seen, file)).products('seen');
  t.equal(await parts('notes.txt'), 'notes.txt|notes|txt');
  t.equal(await parts('a.tar.gz'), 'a.tar.gz|a.tar|gz');
  t.equal(await parts('README'), 'README|README|');
  t.equal(await parts('.hidden'), '.hidden|.hidden|', 'a leading dot begins no ending');
  const ended = await runScript(t, seen, 'notes.txt');
  t.equal(await ended.products('sorted'), 'a\nb\n');
});

t.test('script: no file name breaks out of its variable', async (t) => {
  const names = [
    `'; touch broken; '`,
    '$(touch broken)',
    '`touch broken`',
    '-rf',
    'two words',
    'line\nbreak',
    '"; touch broken; "',
    `\${IFS}`,
    '\\',
    '*',
    '\u202etxt.exe',
  ];
  for (const name of names) {
    const script = 'cat "$in" >"$out/copy"; printf %s "$name" >"$out/name"; [ ! -e broken ]';
    const ended = await runScript(t, script, name);
    t.equal(ended.code, 0, ended.stderr);
    t.equal(await ended.products('name'), name);
    t.equal(await ended.products('copy'), 'b\na\n');
  }
});

t.test('script: quotes and line breaks of the script arrive as they are', async (t) => {
  const script = `# a comment first\nprintf '%s' 'it'"'"'s $in' >"$out/text"\ncat "$in" >/dev/null`;
  const ended = await runScript(t, script, 'a');
  t.equal(await ended.products('text'), `it's $in`);
});

t.test('script: it fails with its first failing command, and errors name the right line', async (t) => {
  const ended = await runScript(t, 'cat "$in" >/dev/null\nno-such-program\ntouch "$out/later"', 'a');
  t.equal(ended.code, 127);
  t.match(ended.stderr, 'run: line 2: no-such-program: command not found');
  await t.rejects(ended.products('later'));
  t.not((await runScript(t, 'cat "$in.none" | cat', 'a')).code, 0, 'a pipe fails with any of its commands');
  t.not((await runScript(t, 'cat "$in" "$unset"', 'a')).code, 0, 'an unset variable is no empty text');
});

t.test('script: a script whose variables the shell has already replaced is refused', (t) => {
  const problems = (script: string, hasInput = true): string =>
    checkScript(script, { hasInput })
      .map(({ description }) => description)
      .join('\n');
  t.equal(problems('sort "$in" | gzip >"$out/$name.gz"'), '');
  t.equal(problems(`sort \${in} >\${out}/x`), '');
  t.equal(problems(`wc -c <"\${in%.txt}.txt" >"$out/n"`), '');
  t.equal(problems('sort "$INPUT_FILE" >"$OUTPUT_DIR/x"'), '', 'the names of the contract do as well');
  t.equal(problems('cat "$in" 2>/dev/null'), '', 'a device is no product');
  t.match(
    problems('sort  | gzip >/.gz'),
    /does not use \$in.*single quotes[\s\S]*writes to \/\.gz.*single quotes/,
  );
  t.match(problems('sort "$input" >"$out/x"'), /does not use \$in/, 'another variable that begins so');
  t.equal(problems('date >"$out/now"', false), '', 'one that is said to need none');
  t.match(problems('date >/now', false), /writes to \/now/);
  t.match(problems('cat "$in" > "/x"'), /writes to \/x/);
  t.match(problems(' '), /is empty/);
  t.match(problems('a\0$in'), /NUL/);
  t.end();
});

t.test('script: a script that works but may be mistaken gets a warning', (t) => {
  t.strictSame(warningsOf('sort "$in" >"$out/x"', { hasBash: false }), []);
  t.match(warningsOf('sort "$in" | gzip >"$out/x"', { hasBash: false }), [/pipe/]);
  t.strictSame(warningsOf('sort "$in" | gzip >"$out/x"', { hasBash: true }), []);
  t.strictSame(warningsOf('test -s "$in" || : >"$out/x"', { hasBash: false }), []);
  t.match(warningsOf('cat "$in"', { hasBash: true }), [/\$out/]);
  t.end();
});

t.test('script: a script with a syntax error is refused, and nothing of it runs', async (t) => {
  for (const shell of ['/bin/bash', '/bin/sh']) {
    t.strictSame(await checkSyntax('cat "$in" >"$out/a"\nexit 3', shell), []);
    t.match(await checkSyntax('cat "$in >"$out/a"', shell), [
      { path: '--run', description: new RegExp(`^is no script that ${shell.slice(5)} can read: .*\\S`) },
    ]);
    t.match(await checkSyntax('if true; then echo "$in"', shell), [{ path: '--run' }]);
  }
  t.strictSame(await checkSyntax('touch /dev/null/never; exit 1', '/bin/sh'), [], 'it is only read');
});
