// Written by `npm run docs` from the routes of the service. Do not edit.

/** Lists that take `order`. */
export const SORTED_LISTS: ReadonlySet<string> = new Set([
  '/v6/accounts/',
  '/v6/audit/',
  '/v6/batches/',
  '/v6/datasets/',
  '/v6/errors/',
  '/v6/files/',
  '/v6/ingests/',
  '/v6/ingests/{id}/jobs/',
  '/v6/job-type-names/',
  '/v6/job-types/',
  '/v6/jobs/',
  '/v6/nodes/',
  '/v6/purges/',
  '/v6/recipe-types/',
  '/v6/recipes/',
  '/v6/saved-filters/',
  '/v6/scans/',
  '/v6/strikes/',
  '/v6/tokens/',
  '/v6/type-updates/',
  '/v6/workspaces/',
  '/v6/workspaces/unreached/',
]);
