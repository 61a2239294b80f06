/** What strikes and scans would do with files of given names, by the same checks and rules as for real files. */

import { type Static, Type } from '@sinclair/typebox';
import { type Cause, cause, subject } from '../../domain/cause.ts';
import { applyRules } from '../../domain/ingest/apply-rules.ts';
import { isSuffixed } from '../../domain/ingest/arriving-name.ts';
import type { IngestSettings } from '../../domain/ingest/ingest-owner.ts';
import { inputFor, missingRecipe } from '../../domain/ingest/ingest-start.ts';
import { mediaTypeOf } from '../../domain/media-type.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import { transferSuffixOf } from '../../domain/strike/strike-config.ts';
import type { Evaluator } from '../../evaluator/evaluator.ts';
import { matchRules } from '../../evaluator/match-rules.ts';
import { integer, named, oneOf, orNull } from '../../http/schema.ts';
import { isHidden } from '../../storage/file-name.ts';
import type { RevisionCache } from '../../store/catalog/revision-cache.ts';
import type { FinderRow } from '../../store/ingest/finders.ts';
import { activeWorkspaces } from '../../store/node/load.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { Cause as CauseSchema, recordOf } from './cause.ts';

export const TriedName = named(
  'TriedName',
  Type.Object({
    name: Type.String(),
    is_taken: Type.Boolean({ description: 'A complete file of this name would be ingested.' }),
    rule: orNull(
      Type.Object({
        index: integer({ minimum: 0, description: 'In `files_to_ingest`, from 0.' }),
        filename_regex: Type.String(),
        match: oneOf(['name', 'path']),
      }),
    ),
    data_type_tags: Type.Array(Type.String()),
    media_type: Type.String(),
    workspace: orNull(Type.String({ description: 'Where it would be stored.' })),
    path: orNull(Type.String({ description: 'Its path there, as of today.' })),
    recipe: orNull(Type.Object({ name: Type.String(), revision_num: integer({ minimum: 1 }) })),
    causes: Type.Array(CauseSchema, { description: 'Why it is not taken, or starts no recipe.' }),
  }),
);
type TriedNameRecord = Static<typeof TriedName>;

export interface NamesParts {
  readonly sql: Sql;
  readonly revisions: Pick<RevisionCache, 'currentRecipeRevision'>;
  readonly evaluator: Pick<Evaluator, 'matchRules'>;
}

/** The names that a strike or scan considers. */
interface NameScope {
  /** Only files directly in its directory. */
  readonly isFlat: boolean;
  readonly suffix: string;
}

export interface Tried {
  readonly record: TriedNameRecord;
  readonly causes: readonly Cause[];
}

/** Resolves with one result for each name, in their order. */
export async function tryNames(
  { sql, revisions, evaluator }: NamesParts,
  finder: FinderRow,
  names: readonly string[],
  nowMs: number,
): Promise<readonly Tried[]> {
  const settings = finder.configuration;
  const scope = scopeOf(finder);
  const skipped = names.map((name) => skippedBy(finder, scope, name));
  const considered = names.filter((_, at) => skipped[at] === undefined);
  const { recipe } = settings;
  const [ruleIndexes, workspaces, revision] = await Promise.all([
    matchRules(evaluator, settings.files_to_ingest, considered),
    activeWorkspaces(sql),
    recipe === undefined
      ? undefined
      : revisions.currentRecipeRevision(recipe.name, recipe.revision_num ?? null),
  ]);
  const ruleOf = new Map(considered.map((name, at) => [name, ruleIndexes[at] ?? -1]));
  const activeIds = new Map(workspaces.map(({ name, id }) => [name, id]));
  return names.map((name, at) => {
    const why = skipped[at];
    if (why !== undefined) return notTaken(name, null, why);
    return triedBy(finder, settings, { name, ruleIndex: ruleOf.get(name) ?? -1, activeIds, revision, nowMs });
  });
}

function scopeOf(finder: FinderRow): NameScope {
  if (finder.kind === 'scan') {
    const { recursive, scanner } = finder.configuration;
    return { isFlat: !recursive, suffix: scanner.transfer_suffix ?? '' };
  }
  const { monitor } = finder.configuration;
  if (monitor.type === 'objstore') return { isFlat: false, suffix: '' };
  return { isFlat: true, suffix: transferSuffixOf(monitor) };
}

/** The cause for which the name is skipped before the rules are tried. */
function skippedBy({ kind, id, name: owner }: FinderRow, scope: NameScope, name: string): Cause | undefined {
  const subjects = [subject(kind, id, owner)];
  const segments = name.split('/');
  if (segments.some(isHidden)) {
    const reason = 'files whose names begin with a dot are ignored';
    return cause('hidden-name', { reason, subjects, help: 'Rename the file.' });
  }
  if (scope.isFlat && segments.length > 1) {
    const help =
      kind === 'scan' ? 'Set recursive in the configuration of the scan.' : 'Put it there, or scan.';
    const reason = 'it is in a sub-directory, and only the directory of the workspace itself is read';
    return cause('in-sub-directory', { reason, subjects, help });
  }
  if (isSuffixed(name, scope.suffix)) {
    const reason = `it has the transfer suffix ${scope.suffix}: it is not complete`;
    const help = 'Its sender removes the suffix when the file is complete.';
    return cause('transfer-suffix', { reason, subjects, help });
  }
  return undefined;
}

interface Trial {
  readonly name: string;
  readonly ruleIndex: number;
  readonly activeIds: ReadonlyMap<string, number>;
  readonly revision: RecipeTypeRevision | undefined;
  readonly nowMs: number;
}

function triedBy(finder: FinderRow, settings: IngestSettings, trial: Trial): Tried {
  const { name, ruleIndex, activeIds, revision, nowMs } = trial;
  const rules = settings.files_to_ingest;
  const outcome = applyRules(rules, activeIds, name, ruleIndex, nowMs);
  const owner = subject(finder.kind, finder.id, finder.name);
  const rule = rules[ruleIndex];
  if (rule === undefined) {
    const help = `Change files_to_ingest of the ${finder.kind}: deferred files are tried again.`;
    return notTaken(name, null, cause('no-rule', { reason: `${outcome.reason}`, subjects: [owner], help }));
  }
  const shown = { index: ruleIndex, filename_regex: rule.filename_regex, match: rule.match ?? 'name' };
  const at = subject('rule', ruleIndex, rule.filename_regex);
  if (outcome.status === 'DEFERRED') {
    return notTaken(
      name,
      shown,
      cause('rule-not-applied', { reason: `${outcome.reason}`, subjects: [owner, at] }),
    );
  }
  const mediaType = mediaTypeOf(name);
  const refusal =
    settings.recipe === undefined ? undefined : recipeRefusal(settings.recipe.name, revision, mediaType);
  const causes = refusal === undefined ? [] : [refusal];
  return {
    causes,
    record: {
      name,
      is_taken: true,
      rule: shown,
      data_type_tags: [...outcome.tags],
      media_type: mediaType,
      workspace: rule.new_workspace ?? finder.workspace,
      path: outcome.newFilePath ?? name,
      recipe:
        revision === undefined || refusal !== undefined
          ? null
          : { name: revision.recipeTypeName, revision_num: revision.revisionNum },
      causes: causes.map(recordOf),
    },
  };
}

/** The cause for which the file is ingested but starts no recipe. */
function recipeRefusal(
  name: string,
  revision: RecipeTypeRevision | undefined,
  mediaType: string,
): Cause | undefined {
  if (revision === undefined) return cause('no-recipe', { reason: missingRecipe(name) });
  const input = inputFor(revision, mediaType);
  if (typeof input !== 'string') return undefined;
  const subjects = [subject('recipe_type', revision.recipeTypeId, revision.recipeTypeName)];
  return cause('recipe-takes-no-such-file', { reason: `no recipe is started: ${input}`, subjects });
}

function notTaken(name: string, rule: TriedNameRecord['rule'], why: Cause): Tried {
  return {
    causes: [why],
    record: {
      ...{ name, is_taken: false, rule, data_type_tags: [], media_type: mediaTypeOf(name) },
      ...{ workspace: null, path: null, recipe: null, causes: [recordOf(why)] },
    },
  };
}
