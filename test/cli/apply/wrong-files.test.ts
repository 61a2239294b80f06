/** What is reported of wrong files: every message with its line and column. */
import t from 'tap';
import { lintText } from './lint-files.ts';
import { WRONG_JOBS } from './wrong-jobs.ts';
import { WRONG_RECIPES } from './wrong-recipes.ts';

for (const [title, lines, findings] of [...WRONG_JOBS, ...WRONG_RECIPES]) {
  t.test(`lint: ${title}`, async (t) => {
    t.same(lintText(`${lines.join('\n')}\n`).findings, findings);
  });
}
