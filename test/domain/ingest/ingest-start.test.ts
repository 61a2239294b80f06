/** The recipe that an ingested file starts, or the reason why it starts none. */
import t from 'tap';
import type { FileInfo } from '../../../src/domain/file/file.ts';
import type { Filter } from '../../../src/domain/filter/filter.ts';
import { ingestStartOf } from '../../../src/domain/ingest/ingest-start.ts';
import type { Interface } from '../../../src/domain/interface/interface.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import { fileInput, makeFile, makeRecipeRevision, WORKSPACES } from '../../support/worlds/type-revisions.ts';

const start = (input: Interface, mediaType = 'text/plain', ownerKind: 'strike' | 'scan' = 'strike') => {
  const revision = makeRecipeRevision({ A: { input: { IN: '@SRC' } } }, input);
  return startOf(revision, makeFile({ id: 1, mediaType }), ownerKind);
};

function startOf(revision: RecipeTypeRevision, file: FileInfo, ownerKind: 'strike' | 'scan' = 'strike') {
  let lastId = 100;
  return ingestStartOf(revision, {
    ...{ recipeId: 9, shard: 9, eventId: 8, ingestId: 7, workspaces: WORKSPACES, nowMs: 5 },
    ...{ ownerKind, file },
    newId: () => ++lastId,
  });
}
const required = (name: string, mediaTypes: readonly string[] = []) => ({
  ...fileInput(name, { required: true }),
  media_types: [...mediaTypes],
});

type Started = Exclude<ReturnType<typeof ingestStartOf>, string>;

/** The start of a recipe of the revision for a picture. */
function ofFile(revision: RecipeTypeRevision): Started {
  const file = makeFile({ id: 1, fileName: 'photo.png', mediaType: 'image/png', tags: ['raw'] });
  const started = startOf(revision, file);
  if (typeof started === 'string') throw new Error(started);
  return started;
}

const find = (started: Started, type: string) => started.changes.find((change) => change.type === type);

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

const ONE_FILE = { files: [required('SRC')], json: [] };
/** A condition on the file, and a job after it. */
const filtered = (filter: Pick<Filter, 'type' | 'condition' | 'values'>) =>
  makeRecipeRevision(
    {
      C: {
        ...{ input: { F: '@SRC' }, condition: { files: [fileInput('F')], json: [] } },
        filter: { filters: [{ name: 'F', ...filter, all_fields: false, all_files: false }], all: true },
      },
      A: { after: ['C'], input: { IN: '@SRC' } },
    },
    ONE_FILE,
  );

for (const [type, condition, values, isAccepted] of [
  ['filename', 'contains', ['photo'], true],
  ['filename', 'contains', ['other'], false],
  ['media-type', '==', ['image/png'], true],
  ['data-type', 'in', ['raw'], true],
  ['data-type', 'in', ['cooked'], false],
] as const) {
  t.test(
    `ingest: a condition on the ${type} of the new file is decided with it: ${isAccepted}`,
    async (t) => {
      const started = ofFile(filtered({ type, condition, values }));
      t.equal(started.needsWake, false, 'nothing is left to decide');
      t.match(find(started, 'processConditions'), { outcomes: [{ isAccepted }] });
      t.equal(find(started, 'createJobs') !== undefined, isAccepted);
      t.equal(
        find(started, 'completeRecipes') !== undefined,
        !isAccepted,
        'a refused one leaves nothing to do',
      );
    },
  );
}

t.test('ingest: a long filter is left to the owner of the recipe', async (t) => {
  const values = Array.from({ length: 1_000 }, (_, at) => `name-${at}`);
  const started = ofFile(filtered({ type: 'filename', condition: 'contains', values }));
  t.equal(started.needsWake, true);
  t.equal(find(started, 'processConditions'), undefined);
});
