/** Recipe types: the service behind their routes. */

import { childPath, isAbsent, storableText } from '../../domain/document/json-value.ts';
import { AppError } from '../../domain/errors.ts';
import { filterSentence } from '../../domain/filter/filter-words.ts';
import { nameProblems } from '../../domain/names.ts';
import type { RecipeDefinition } from '../../domain/recipe/recipe-definition.ts';
import { diffDefinitions, type RecipeDiff } from '../../domain/recipe/recipe-diff.ts';
import {
  type Checked,
  IssueList,
  joinProblems,
  type Problem,
  problemSentence,
} from '../../domain/validation.ts';
import type { Asker, RawBody } from '../../http/route.ts';
import type { System } from '../../kernel/mod.ts';
import { deprecateRecipeTypes } from '../../store/catalog/deprecation.ts';
import { findRecipeTypeRow, recipeTypesWithRecipeType } from '../../store/catalog/facts.ts';
import { CATALOG_LOCK, takeLock } from '../../store/locks.ts';
import { findRecipeType } from '../../store/recipe-type/list.ts';
import {
  createRecipeType,
  editRecipeType,
  holdInner,
  type RecipeTypeEdit,
  type WrittenRecipeType,
} from '../../store/recipe-type/save.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { deprecated } from '../job-types/service.ts';
import { checkDefinition, linksOf } from '../shared/definition-lookups.ts';
import { readsAnswer } from '../shared/idempotency.ts';
import { requestTypeUpdate, wakeTypeUpdates } from '../type-updates/updates.ts';
import {
  type RecipeTypeCreateBody,
  type RecipeTypeEditBody,
  type RecipeTypeFindings,
  recipeTypePath,
  unknownRecipeType,
} from './schema.ts';

export interface RecipeTypeParts {
  readonly sql: Sql;
  readonly system: Pick<System, 'tell'>;
}

/** The problems of a definition at their paths in the body. */
function underDefinition(checked: Checked<unknown>): {
  errors: readonly Problem[];
  warnings: readonly Problem[];
} {
  const issues = new IssueList();
  issues.include('definition', {
    errors: checked.ok ? [] : checked.errors,
    warnings: checked.warnings,
  });
  return issues;
}

function accepted(checked: Checked<RecipeDefinition>): RecipeDefinition {
  if (checked.ok) return checked.value;
  const { errors } = underDefinition(checked);
  throw new AppError('INVALID_DEFINITION', problemSentence(errors), { errors });
}

export async function checkRecipeType(sql: Sql, raw: RawBody): Promise<RecipeTypeFindings> {
  if (isAbsent(raw.definition)) return { errors: [], warnings: [], diff: {} };
  const name = storableText(raw.name);
  const known = name === undefined ? undefined : await findRecipeTypeRow(sql, name);
  const checked = await checkDefinition(sql, raw.definition, known?.name);
  const { errors: wrong, warnings: ownWarnings } = underDefinition(checked);
  const isNamed = name !== undefined && known === undefined;
  const errors = isNamed ? joinProblems(nameProblems(name), wrong) : wrong;
  if (!checked.ok) return { errors, warnings: ownWarnings, diff: {} };
  const explained = explainFilters(checked.value);
  const definition = checked.value;
  if (known === undefined)
    return { errors, warnings: joinProblems(ownWarnings, explained), diff: {}, definition };
  const diff = diffDefinitions(known.definition, checked.value);
  const warnings = joinProblems(ownWarnings, reprocessWarning(diff), explained);
  return { errors, warnings, diff: { ...diff }, definition };
}

/**
 * Explains each comparison of the conditions, because its operands are in the opposite order from what most people
 * expect.
 */
function explainFilters({ nodes }: RecipeDefinition): readonly Problem[] {
  const issues = new IssueList();
  for (const [name, { node_type: type }] of Object.entries(nodes)) {
    if (type.node_type !== 'condition') continue;
    const path = `${childPath('definition.nodes', name)}.node_type.data_filter`;
    for (const [index, filter] of type.data_filter.filters.entries()) {
      const says = issues.isFullOfWarnings ? '' : filterSentence(filter);
      issues.warning('FILTER_MEANING', `${path}.filters[${index}]`, says);
    }
  }
  return issues.warnings;
}

function reprocessWarning(diff: RecipeDiff): readonly Problem[] {
  if (diff.can_be_reprocessed) return [];
  const reasons = diff.reasons.map((reason) => reason.description).join('; ');
  const description = `recipes of the current revision could not be reprocessed: ${reasons}`;
  return [{ name: 'REPROCESS_WARNING', description, path: 'definition.input' }];
}

/** Throws INVALID_DEFINITION. */
export async function addRecipeType(sql: Sql, body: RecipeTypeCreateBody, asker: Asker) {
  const checked = await checkDefinition(sql, body.definition);
  const definition = accepted(checked);
  const { title, description = '', labels = {} } = body;
  const links = await linksOf(sql, definition);
  const { warnings } = underDefinition(checked);
  const answer = readsAnswer(asker, async (tx, made: WrittenRecipeType) => {
    const record = await findRecipeType(tx, made.name);
    return { status: 201, location: recipeTypePath(made.name), warnings, record };
  });
  const row = { name: body.name, title, description, labels, definition, ...links, nowMs: asker.nowMs };
  await createRecipeType(sql, row, answer.also);
  return { record: answer.record(), warnings };
}

/** Resolves with warnings. Throws NOT_FOUND or INVALID_DEFINITION. */
export async function changeRecipeType(
  { sql, system }: RecipeTypeParts,
  name: string,
  body: RecipeTypeEditBody,
  nowMs: number,
): Promise<readonly Problem[]> {
  const warnings = await sql.transaction(async (tx) => {
    await takeLock(tx, CATALOG_LOCK);
    const row = await findRecipeTypeRow(tx, name);
    if (row === undefined) throw unknownRecipeType(name);
    if (row.isSystem)
      throw new AppError('STATE_CONFLICT', `'${name}' is a system recipe type, which cannot be changed`);
    if (body.is_active === true) await holdInner(tx, row.id);
    const warnings: Problem[] = [];
    const definition = await editedDefinition(tx, name, body, warnings);
    const { revisionNum } = await editRecipeType(tx, name, {
      ...(body.title === undefined ? {} : { title: body.title }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.is_active === undefined ? {} : { isActive: body.is_active }),
      ...(body.labels === undefined ? {} : { labels: body.labels }),
      ...(definition === undefined ? {} : { definition }),
      nowMs,
    });
    if (revisionNum > row.revisionNum && body.auto_update !== false) {
      const above = await recipeTypesWithRecipeType(tx, row.id);
      const revision = { kind: 'recipe', typeId: row.id, revisionNum } as const;
      warnings.push(...(await requestTypeUpdate(tx, revision, above, nowMs)));
    }
    if (body.is_active === false) {
      warnings.push(...deprecated(await deprecateRecipeTypes(tx, [row.id], false, nowMs)));
    }
    return warnings;
  });
  wakeTypeUpdates(system);
  return warnings;
}

async function editedDefinition(
  tx: Sql,
  name: string,
  body: RecipeTypeEditBody,
  warnings: Problem[],
): Promise<RecipeTypeEdit['definition']> {
  if (body.definition === undefined) return undefined;
  const checked = await checkDefinition(tx, body.definition, name);
  const document = accepted(checked);
  warnings.push(...underDefinition(checked).warnings);
  return { document, ...(await linksOf(tx, document)) };
}
