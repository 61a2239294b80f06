/** Reads what is needed to start recipes, for many recipes in a few statements. */
import type { RecipePorts } from '../../actors/recipe/recipe.ports.ts';
import { assert } from '../../lib/assert.ts';
import { dataLoader, shared } from '../../lib/data-loader.ts';
import { workspaceCatalog } from '../../store/catalog/facts.ts';
import type { RevisionCache } from '../../store/catalog/revision-cache.ts';
import { fileInfos } from '../../store/file/facts.ts';
import type { Sql } from '../../store/sql/sql.ts';

export function startFacts(sql: Sql, revisions: RevisionCache): RecipePorts['startFacts'] {
  const revisionOf = dataLoader((revIds: readonly number[]) => revisions.recipeRevisions(revIds), {
    lanes: 1,
  });
  const fileOf = dataLoader((ids: readonly number[]) => fileInfos(sql, ids), { lanes: 1 });
  const workspacesOf = shared(() => workspaceCatalog(sql));
  return async ({ recipeTypeRevId, fileIds }) => {
    const [revision, workspaces, files] = await Promise.all([
      revisionOf(recipeTypeRevId),
      workspacesOf(),
      Promise.all(fileIds.map(fileOf)),
    ]);
    assert(revision !== undefined, `there is no revision ${recipeTypeRevId} of recipe types`);
    const known = files.filter((file) => file !== undefined);
    return { revision, workspaces, files: new Map(known.map((file) => [file.id, file])) };
  };
}
