/** The small parts of the short form: patterns, scripts, commands, places in texts. */
import t from 'tap';
import { readYaml } from '../../../src/cli/apply/read-yaml.ts';
import { scriptCommand } from '../../../src/cli/apply/short/command.ts';
import { translateGlob } from '../../../src/cli/apply/short/glob.ts';
import { variablesOf } from '../../../src/cli/apply/short/script.ts';
import { Findings, type LocatedMap, type LocatedScalar } from '../../../src/cli/apply/source.ts';
import { expandCommand } from '../../../src/domain/job/command.ts';
import { compileExpression } from '../../../src/evaluator/expression.ts';

const GLOBS: readonly (readonly [glob: string, matching: readonly string[], others: readonly string[]])[] = [
  ['*.txt', ['a.txt', '.txt', 'a.b.txt'], ['a.txtx', 'atxt', 'd/a.txt']],
  ['a?c', ['abc', 'a.c'], ['ac', 'abbc', 'a/c']],
  ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
  ['[!a-c]x', ['dx'], ['ax', '/x']],
  ['[]]x', [']x'], ['[x']],
  ['*.{jpg,png}', ['a.jpg', 'a.png'], ['a.gif', 'a.{jpg,png}']],
  ['a\\*b', ['a*b'], ['axb']],
  ['x(1).t+', ['x(1).t+'], ['x1.tt']],
  ['in/*.txt', ['in/a.txt'], ['in/d/a.txt', 'a.txt']],
  ['**/*.txt', ['a.txt', 'd/a.txt', 'd/e/a.txt'], ['a.txtx', 'd/']],
  ['in/**', ['in/a', 'in/d/a'], ['in/', 'out/a']],
  ['a**b', ['ab', 'axb'], ['a/b']],
  ['é*', ['éa'], ['e']],
];

t.test('patterns: a pattern matches as in a shell, from the start to the end of the name', async (t) => {
  for (const [glob, matching, others] of GLOBS) {
    const translated = translateGlob(glob);
    const expression = 'regex' in translated ? compileExpression(translated.regex) : 'none';
    if (typeof expression === 'string') {
      t.fail(`${glob}: ${expression}`);
      continue;
    }
    for (const name of matching) t.ok(expression.matches(name), `${glob} takes ${name}`);
    for (const name of others) t.notOk(expression.matches(name), `${glob} leaves ${name}`);
    t.equal('isPath' in translated && translated.isPath, glob.includes('/'));
  }
});

t.test('patterns: a wrong pattern is refused with the position of the error', async (t) => {
  t.same(translateGlob('a[b'), { offset: 1, message: `'[' has no ']'` });
  t.same(translateGlob('{a'), { offset: 0, message: `'{' has no '}'` });
  t.same(translateGlob('{a{b}}'), { offset: 2, message: `'{' inside '{…}' is not accepted` });
  t.same(translateGlob('a\\'), { offset: 1, message: 'the pattern ends with a backslash' });
  t.same(translateGlob('[z-a]'), { offset: 1, message: `'z-a' is not a range` });
  t.match(translateGlob('/a'), { offset: 0 });
  t.match(translateGlob(''), { message: 'the pattern is empty' });
  t.match(translateGlob('?'.repeat(500)), { message: /^the pattern is too long/ });
});

t.test('scripts: variables that a script reads are told from those that it sets', async (t) => {
  const script = [
    `x=1; for f in "$TEXT"; do echo "$x $f \${UP:-1} '$IN'" | awk '{print $NF}'; done # $COMMENT`,
    'cat <<END >"$OUTPUT_DIR/a"',
    '$HERE \\$ESCAPED',
    'END',
    `cat <<'END'`,
    '$LITERAL',
    'END',
    `read -r line word; echo $line $word \${A:=3} $((n = 4)) $n \${#TEXT} $1 $? $'\\n$q' \\$no`,
  ].join('\n');
  const { read, set, setsOthers } = variablesOf(script);
  const names = [...new Set(read.map(({ name }) => name))];
  t.same(names, ['TEXT', 'x', 'f', 'UP', 'IN', 'OUTPUT_DIR', 'HERE', 'line', 'word', 'A', 'n']);
  t.same([...set].toSorted(), ['A', 'f', 'line', 'n', 'word', 'x']);
  t.equal(setsOthers, false);
  for (const { name, offset } of read) t.match(script.slice(offset), new RegExp(`^\\$\\{?#?${name}`));
  t.equal(variablesOf('. ./settings; echo $A').setsOthers, true);
  t.equal(variablesOf('x=1\n  eval "$x"').setsOthers, true);
});

t.test('scripts: the shell gets the script unchanged, whatever the variables hold', async (t) => {
  const script = `it's "$TEXT" \\ \${OUTPUT_DIR} \`x\` $(y)\n'$z'`;
  const words = expandCommand(
    scriptCommand(script),
    new Map([
      ['TEXT', '; rm -rf /'],
      ['OUTPUT_DIR', 'o'],
    ]),
  );
  t.equal(words.at(-1), script);
  t.equal(words.length, 5);
});

const PLACES: readonly (readonly [yaml: string, line: number, column: number])[] = [
  ['key: ab$x', 1, 8],
  ["key: 'it''s $x'", 1, 13],
  ['key: "\\u0041\\n$x"', 1, 15],
  ['key: |\n  ab\n\n    cd $x\n', 4, 8],
  ['key: |2\n    cd $x\n', 1, 6],
  ['key: >\n  ab\n  $x\n', 1, 6],
  ['key: "a\n  $x"', 1, 6],
];

t.test('places: a character of a text is found in the file; in a folded text, its start', async (t) => {
  for (const [yaml, line, column] of PLACES) {
    const [document] = readYaml('file', new TextEncoder().encode(yaml), new Findings());
    const scalar = (document as LocatedMap).entries[0]?.value as LocatedScalar;
    t.same(scalar.inside(String(scalar.value).indexOf('$')), { line, column }, JSON.stringify(yaml));
  }
});
