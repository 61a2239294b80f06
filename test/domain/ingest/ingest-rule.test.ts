import t from 'tap';
import { acceptsMediaType } from '../../../src/domain/ingest/ingest-recipe.ts';
import { applyRule } from '../../../src/domain/ingest/ingest-rule.ts';

const NOW = Date.UTC(2024, 11, 31, 23, 30);
const RULE = { filename_regex: 'x', data_types: ['a'] };

t.test('ingest rule: without a new path the file keeps its path', async (t) => {
  t.strictSame(applyRule(RULE, 'dir/x.txt', NOW), {
    dataTypes: ['a'],
    newWorkspace: undefined,
    newFilePath: undefined,
  });
  const moved = applyRule({ ...RULE, new_workspace: 'w' }, 'dir/x.txt', NOW);
  t.strictSame(moved, { dataTypes: ['a'], newWorkspace: 'w', newFilePath: undefined });
});

t.test('ingest rule: a new path is followed by the day in UTC and the base name', async (t) => {
  t.equal(
    applyRule({ ...RULE, new_file_path: 'a/b' }, 'dir/x.txt', NOW)?.newFilePath,
    'a/b/2024/12/31/x.txt',
  );
});

t.test('ingest rule: a rule whose new path would be too long does not apply', async (t) => {
  const rule = { ...RULE, new_file_path: `${'a/'.repeat(340)}a` };
  t.equal(applyRule(rule, 'y'.repeat(251), NOW)?.newFilePath?.length, 340 * 2 + 1 + 12 + 251);
  t.equal(applyRule({ ...RULE, new_file_path: 'a/'.repeat(480) }, 'y'.repeat(251), NOW), undefined);
});

t.test('ingest rule: an input accepts the media types that it lists, or any if it lists none', async (t) => {
  const input = { name: 'A', media_types: ['text/plain'], required: true, multiple: false };
  t.ok(acceptsMediaType(input, 'text/plain'));
  t.notOk(acceptsMediaType(input, 'image/png'));
  t.ok(acceptsMediaType({ ...input, media_types: [] }, 'image/png'));
});
