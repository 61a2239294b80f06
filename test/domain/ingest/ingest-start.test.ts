/** The recipe that an ingested file starts, or the reason why it starts none. */
import t from 'tap';
import { ingestStartOf } from '../../../src/domain/ingest/ingest-start.ts';
import type { Interface } from '../../../src/domain/interface/interface.ts';
import { fileInput, makeFile, makeRecipeRevision, WORKSPACES } from '../../support/worlds/type-revisions.ts';

const start = (input: Interface, mediaType = 'text/plain', ownerKind: 'strike' | 'scan' = 'strike') => {
  let lastId = 100;
  return ingestStartOf(makeRecipeRevision({ A: { input: { IN: '@SRC' } } }, input), {
    ...{ recipeId: 9, shard: 9, eventId: 8, ingestId: 7, workspaces: WORKSPACES, nowMs: 5 },
    ownerKind,
    file: makeFile({ id: 1, mediaType }),
    newId: () => ++lastId,
  });
};
const required = (name: string, mediaTypes: readonly string[] = []) => ({
  ...fileInput(name, { required: true }),
  media_types: [...mediaTypes],
});

t.test('ingest: its file becomes the single required input of the recipe', async (t) => {
  const started = start({ files: [required('SRC'), fileInput('MORE')], json: [] });
  if (typeof started === 'string') return t.fail(started);
  t.match(started.event, { id: 8, type: 'STRIKE_INGEST', occurredMs: 5, description: { file_id: 1 } });
  t.match(start({ files: [required('SRC')], json: [] }, 'text/plain', 'scan'), {
    event: { type: 'SCAN_INGEST' },
  });
  const recipes = started.changes.find((change) => change.type === 'createRecipes');
  t.match(recipes, { recipes: [{ id: 9, ingestId: 7 }] });
  t.match(started.queued, [{ owner: { kind: 'recipe', key: 9 } }]);
});

for (const [what, input, mediaType, reason] of [
  ['no required file input', { files: [fileInput('SRC')], json: [] }, 'text/plain', /no required file input/],
  [
    'two required file inputs',
    { files: [required('SRC'), required('B')], json: [] },
    'text/plain',
    /2 required file inputs/,
  ],
  [
    'a required JSON input',
    { files: [required('SRC')], json: [{ name: 'N', type: 'integer', required: true }] },
    'text/plain',
    /cannot give: N/,
  ],
  [
    'an input of other media types',
    { files: [required('SRC', ['image/png'])], json: [] },
    'text/plain',
    /takes no text\/plain/,
  ],
] as const) {
  t.test(`ingest: a recipe type with ${what} is not started, with a reason`, async (t) => {
    t.match(start(input as unknown as Interface, mediaType), reason);
  });
}

t.test('ingest: an input with the media type of the file accepts it', async (t) => {
  t.not(typeof start({ files: [required('SRC', ['text/plain'])], json: [] }), 'string');
});
