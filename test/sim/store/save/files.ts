/** Stored files of a group. */
import type { Group } from '../../../../src/store/sql/group.ts';
import type { FileRow, JobRow, Tables } from '../tables.ts';
import { violated } from '../violated.ts';

const FRESH = { isPublished: true, isDeleted: false };

export function writeFiles(tables: Tables, group: Group): void {
  const superseded = new Set(
    group.items('supersedeFiles', (change) => change.files).map((one) => one.fileId),
  );
  for (const id of superseded) {
    const row = tables.files.get(id);
    if (row !== undefined && !row.isSuperseded) tables.files.put({ ...row, isSuperseded: true });
  }
  for (const file of group.items('createSourceFiles', (change) => change.files)) {
    const { atMs: _, ...rest } = file;
    const isSuperseded = superseded.has(file.id);
    insert(tables, {
      ...rest,
      fileType: 'SOURCE',
      jobId: null,
      executionId: null,
      isSuperseded,
      ...FRESH,
    });
  }
  for (const { change, turn } of group.placed('createProducts')) {
    for (const product of change.products) {
      const workspaceId = workspaceOf(tables, product.workspaceUuid);
      if (workspaceId === undefined) group.refuse(turn, 'createProducts: no such workspace');
      else {
        const { id, uuid, fileName, mediaType, size, sha256, filePath, jobId, executionId } = product;
        if (tables.jobs.get(jobId) === undefined) violated('file_job_id_fkey');
        const own = { id, uuid, fileName, mediaType, size, sha256, filePath, jobId, executionId };
        insert(tables, {
          ...own,
          fileType: 'PRODUCT',
          tags: [],
          workspaceId,
          isSuperseded: false,
          ...FRESH,
        });
        for (const ancestorId of new Set(product.inputFileIds)) descend(tables, id, ancestorId);
      }
    }
  }
  group.throwIfRefused();
  supersedeProducts(tables, group);
}

/**
 * By those of the group with their uuid that come later. Not before all are in: what has the place of a current one is
 * refused.
 */
function supersedeProducts(tables: Tables, group: Group): void {
  const products = group.items('createProducts', (change) => change.products);
  const places = new Map(products.map(({ id }, place) => [id, place]));
  for (const [place, { id, uuid, jobId }] of products.entries()) {
    const isOlder = (one: FileRow) =>
      one.uuid === uuid && one.id !== id && one.fileType === 'PRODUCT' && !one.isSuperseded;
    for (const one of tables.files.where(isOlder)) {
      if ((places.get(one.id) ?? -1) > place || !isReplaced(tables, one.jobId, jobId)) continue;
      tables.files.put({ ...one, isSuperseded: true, isPublished: false });
    }
  }
}

/** Each node of a recipe takes the place of its own products alone. */
function isReplaced(tables: Tables, madeBy: number | null, jobId: number): boolean {
  const [made, maker] = [tables.jobs.at(madeBy ?? 0), tables.jobs.at(jobId)];
  if (made.id === maker.id || made.owner.kind !== 'recipe') return true;
  if (made.owner.kind !== maker.owner.kind || made.owner.key !== maker.owner.key) return true;
  const [madePath, makerPath] = [nodePath(tables, made), nodePath(tables, maker)];
  return madePath !== undefined && madePath === makerPath;
}

function nodePath(tables: Tables, { recipeId, recipeNode }: JobRow): string | undefined {
  const names = [recipeNode];
  let recipe = recipeId === null ? undefined : tables.recipes.get(recipeId);
  while (recipe !== undefined) {
    names.unshift(recipe.parentNode);
    if (recipe.parentId === null) return JSON.stringify(names);
    recipe = tables.recipes.get(recipe.parentId);
  }
  return undefined;
}

/** From the file and from all that it descends from. */
function descend(tables: Tables, descendantId: number, parentId: number): void {
  if (tables.files.get(parentId) === undefined) violated('file_ancestry_ancestor_id_fkey');
  const above = tables.ancestry.withKey(parentId).map((one) => one.ancestorId);
  for (const ancestorId of new Set([parentId, ...above])) {
    const id = `${ancestorId}/${descendantId}`;
    const isDirect = ancestorId === parentId || tables.ancestry.get(id)?.isDirect === true;
    tables.ancestry.put({ id, ancestorId, descendantId, isDirect });
  }
}

/** Products of these jobs are published no more. */
export function unpublishProducts(tables: Tables, group: Group): void {
  for (const { jobId } of group.items('unpublishProducts', (change) => change.jobs)) {
    for (const file of tables.files.where((one) => one.jobId === jobId && one.isPublished))
      tables.files.patch(file.id, { isPublished: false });
  }
}

function insert(tables: Tables, file: FileRow): void {
  const { workspaceId, filePath } = file;
  const isAt = (one: FileRow) =>
    one.workspaceId === workspaceId && one.filePath === filePath && !one.isSuperseded;
  if (!file.isSuperseded && tables.files.where(isAt).length > 0) violated('file_path_key');
  if (!tables.files.insert(file)) violated('file_pkey');
}

function workspaceOf(tables: Tables, uuid: string): number | undefined {
  return tables.workspaces.where((one) => one.uuid === uuid)[0]?.id;
}
