import fc from 'fast-check';
import t from 'tap';
import { expandCommand } from '../../../src/domain/job/command.ts';

const ENVIRONMENT = new Map([
  ['A', 'a b'],
  ['EMPTY', ''],
  ['MY_IN', '/in/my-in/x.txt'],
  ['DB_HOST', 'h'],
  ['READ_LENGTH', '5'],
  ['OUTPUT_DIR', '/out'],
]);
const expand = (template: string): string[] => expandCommand(template, ENVIRONMENT);
const variable = (name: string, rest = ''): string => `$\{${name}${rest}}`;

t.test('command: placeholders are expanded inside words, and a value stays one word', async (t) => {
  t.strictSame(expand(`run $A ${variable('A')} x${variable('A')}y --len=$READ_LENGTH`), [
    'run',
    'a b',
    'a b',
    'xa by',
    '--len=5',
  ]);
  t.strictSame(expand('$OUTPUT_DIR/$READ_LENGTH.txt'), ['/out/5.txt']);
  t.strictSame(
    expand(`${variable('my-in')} ${variable('db_host')} $db_host`),
    ['/in/my-in/x.txt', 'h', 'h'],
    'names as written in the manifest',
  );
});

t.test('command: an unset variable is empty, and a word of it alone is dropped', async (t) => {
  const option = variable('OPT_IN', '/#/-o ');
  const template = `${variable('MY_IN')} ${option} --len=$READ_LENGTH ${variable('OUTPUT_DIR')}`;
  t.strictSame(expand(template), ['/in/my-in/x.txt', '--len=5', '/out']);
  t.strictSame(expandCommand(template, new Map([...ENVIRONMENT, ['OPT_IN', '/in/OPT-IN/b.bin']])), [
    '/in/my-in/x.txt',
    '-o',
    '/in/OPT-IN/b.bin',
    '--len=5',
    '/out',
  ]);
  t.strictSame(expand('a $NONE b$NONE "$NONE" $EMPTY'), ['a', 'b', '', '']);
});

t.test('command: a prefix precedes a value, and blanks in the prefix end a word', async (t) => {
  t.strictSame(expand(variable('A', '/#/--x=')), ['--x=a b']);
  t.strictSame(expand(`p${variable('A', '/#/-d -e ')}q`), ['p-d', '-e', 'a bq']);
  t.strictSame(expand(variable('A', '/#/ -d ')), ['-d', 'a b']);
  t.strictSame(expand(`"${variable('A', '/#/-d ')}"`), ['-d a b']);
  t.strictSame(
    expand(variable('MY_IN', '/#//base/')),
    ['/base//in/my-in/x.txt'],
    'a prefix may have slashes',
  );
});

t.test('command: quotes and backslashes work as in a shell', async (t) => {
  t.strictSame(expand(`'$A b' "c $A" d\\ e "f\\"g" "h\\i" j'k'"l" '' ""`), [
    '$A b',
    'c a b',
    'd e',
    'f"g',
    'h\\i',
    'jkl',
    '',
    '',
  ]);
  t.strictSame(expand('\\$A "\\$A"'), ['$A', '$A']);
  t.strictSame(expand('unclosed "a b'), ['unclosed', 'a b']);
  t.strictSame(expand('tail\\'), ['tail\\']);
});

t.test('command: other dollar signs are kept', async (t) => {
  t.strictSame(expand(`$ $$ $(x) $5 ${variable('A', ':-d')} $\{A`), [
    '$',
    '$$',
    '$(x)',
    '$5',
    `${variable('A', ':-d')}`,
    '${A',
  ]);
});

t.test('command: blanks separate arguments and are none themselves', async (t) => {
  t.strictSame(expand(''), []);
  t.strictSame(expand(' \t\n '), []);
  t.strictSame(expand('  a \n b  '), ['a', 'b']);
});

t.test('command: no value changes the number of arguments', async () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (one, other) => {
      const template = `x $V "${variable('V')}" y${variable('W', '/#/--w ')}`;
      const result = expandCommand(
        template,
        new Map([
          ['V', one],
          ['W', other],
        ]),
      );
      return result.length === 5 && result[1] === one && result[2] === one && result[4] === other;
    }),
  );
});
