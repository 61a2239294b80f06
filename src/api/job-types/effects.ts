/** What creating or editing a job type would do to recipe types: for its validation. */
import { jsonEquals } from '../../domain/document/json-value.ts';
import { validateManifest } from '../../domain/manifest/manifest-check.ts';
import { assert } from '../../lib/assert.ts';
import { findJobTypeRow, interfacesOf, recipeTypesWithJobType } from '../../store/catalog/facts.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { type FollowingTypes, followingTypes, NO_FOLLOWERS } from '../type-updates/preview.ts';
import type { JobTypeValidationBody } from './schema.ts';

/** `body` has to be valid. */
export async function jobTypeEffects(
  sql: Sql,
  body: JobTypeValidationBody,
): Promise<{ readonly revision_num: number; readonly recipe_types: FollowingTypes }> {
  const checked = validateManifest(body.manifest);
  assert(checked.ok, 'the manifest was validated');
  const manifest = checked.value;
  const { name, jobVersion: version } = manifest.job;
  const stored = await findJobTypeRow(sql, name, version);
  if (stored === undefined) return { revision_num: 1, recipe_types: NO_FOLLOWERS };
  const { container_image: image = stored.containerImage } = body;
  const isRevised = image !== stored.containerImage || !jsonEquals(manifest, stored.manifest);
  const revisionNum = stored.revisionNum + (isRevised ? 1 : 0);
  if (!isRevised || body.auto_update === false)
    return { revision_num: revisionNum, recipe_types: NO_FOLLOWERS };
  const interfaces = interfacesOf(manifest.job.interface);
  const revision = { kind: 'job', name, version, revisionNum, interfaces } as const;
  const holders = await recipeTypesWithJobType(sql, stored.id);
  return { revision_num: revisionNum, recipe_types: await followingTypes(sql, revision, holders) };
}
