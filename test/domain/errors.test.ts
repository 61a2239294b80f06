/** Every code of the catalogue is used by the program, and described in the page about errors. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ERROR_CODES } from '../../src/domain/errors.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The catalogue itself, and those who get the codes. */
const LEFT_OUT = /^src\/(?:domain\/errors\.ts$|client\/|console\/)/;

function textsOf(pattern: string): string {
  const paths = globSync(pattern, { cwd: ROOT }).filter((path) => !LEFT_OUT.test(path));
  return paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
}

t.test(
  'errors: no code is in the catalogue that the program does not use, or the page does not describe',
  (t) => {
    const program = textsOf('{src,node-agent}/**/*.ts');
    const page = textsOf('docs/errors.md');
    t.same(
      ERROR_CODES.filter((code) => !program.includes(`'${code}'`)),
      [],
      'codes that the program does not use',
    );
    t.same(
      ERROR_CODES.filter((code) => !page.includes(`\`${code}\``)),
      [],
      'codes that the page does not describe',
    );
    t.end();
  },
);
