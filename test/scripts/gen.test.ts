import { join } from 'node:path';
import t from 'tap';
import { differences } from '../../scripts/gen.ts';

t.test('gen: changed, missing and superfluous files are reported', async (t) => {
  const root = t.testdir({
    committed: { v1: { 'same.ts': 'a', 'changed.ts': 'a', 'left.ts': 'a' } },
    fresh: { v1: { 'same.ts': 'a', 'changed.ts': 'b', 'missing.ts': 'a' } },
  });
  t.strictSame(differences(join(root, 'committed'), join(root, 'fresh')), [
    'v1/changed.ts',
    'v1/left.ts',
    'v1/missing.ts',
  ]);
  t.strictSame(differences(join(root, 'fresh'), join(root, 'fresh')), []);
});
