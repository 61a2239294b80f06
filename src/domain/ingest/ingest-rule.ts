/**
 * The file rules of strikes and scans: their form and their effect on a file. The first rule whose expression matches
 * decides. The evaluator matches; no regular expression runs here, and `patternProblem`, which is passed in, checks
 * expressions.
 */
import { Fields } from '../document/fields.ts';
import { isJsonObject, storableText } from '../document/json-value.ts';
import type { NearRecord } from '../near-names.ts';
import { baseName, joinWithin, normalisePath, relativePathProblem } from '../paths.ts';
import { datePath } from '../times.ts';
import type { IssueList } from '../validation.ts';
import type { WorkspaceFacts } from '../workspace/workspace-config.ts';

/** One rule in the contract's field names: it is stored and returned as it is. */
export interface IngestRule {
  readonly filename_regex: string;
  /** What the expression is matched against, from its start: the base name (default), or the path in the workspace. */
  readonly match?: 'name' | 'path';
  readonly data_types: readonly string[];
  readonly new_workspace?: string;
  /** Relative and normalised, without the date directories. */
  readonly new_file_path?: string;
}

const INGEST_RULES_MAX = 1_000;
const DATA_TYPE_CHARS_MAX = 250;

/** Why an expression is refused, as a sentence, or undefined: the result of the evaluator's check. */
export type PatternProblem = (pattern: string) => string | undefined;

export interface RuleLookups {
  readonly workspaces: ReadonlyMap<string, WorkspaceFacts>;
  readonly patternProblem: PatternProblem;
  /** Suggests a name for a missing workspace or recipe type. */
  readonly near?: NearRecord | undefined;
}

/** Reads `files_to_ingest` of a strike or scan configuration. `acceptMore` reads further fields of a rule. */
export function readIngestRules(
  issues: IssueList,
  fields: Fields,
  name: string,
  lookups: RuleLookups,
  acceptMore?: (rule: Fields) => void,
): IngestRule[] {
  const items = fields.list('files_to_ingest', { required: true, min: 1, max: INGEST_RULES_MAX });
  return items.flatMap((item) => {
    const rule = Fields.open(issues, name, item.value, item.path);
    if (rule === undefined) return [];
    acceptMore?.(rule);
    return readRule(rule, lookups);
  });
}

function readRule(fields: Fields, lookups: RuleLookups): IngestRule[] {
  const regex = fields.text('filename_regex', { required: true, max: 1_000 });
  if (regex !== undefined) {
    const problem = lookups.patternProblem(regex);
    if (problem !== undefined) fields.error('filename_regex', `invalid file name expression: ${problem}`);
  }
  const match = fields.oneOf('match', ['name', 'path']);
  const dataTypes = fields.texts('data_types', { max: DATA_TYPE_CHARS_MAX, itemsMax: 100 });
  const newWorkspace = fields.text('new_workspace', { max: 50 });
  if (newWorkspace !== undefined) checkWorkspace(fields, 'new_workspace', newWorkspace, lookups);
  const newFilePath = readNewFilePath(fields);
  fields.refuseOthers();
  if (regex === undefined) return [];
  return [
    {
      filename_regex: regex,
      ...(match === undefined ? {} : { match }),
      data_types: [...new Set(dataTypes)],
      ...(newWorkspace === undefined ? {} : { new_workspace: newWorkspace }),
      ...(newFilePath === undefined ? {} : { new_file_path: newFilePath }),
    },
  ];
}

function readNewFilePath(fields: Fields): string | undefined {
  const path = fields.text('new_file_path', { max: 700 });
  if (path === undefined) return undefined;
  const problem = relativePathProblem(path);
  if (problem === undefined) return normalisePath(path);
  fields.error('new_file_path', `the path ${problem}; it must lie inside the workspace`);
  return undefined;
}

/** Reports a workspace that does not exist or is not active. */
export function checkWorkspace(
  fields: Fields,
  key: string,
  name: string,
  { workspaces, near }: Pick<RuleLookups, 'workspaces' | 'near'>,
): WorkspaceFacts | undefined {
  const facts = workspaces.get(name);
  if (facts === undefined)
    fields.error(key, `Unknown workspace name: ${name}${near?.('workspace', name) ?? ''}`);
  else if (!facts.isActive) fields.error(key, `Workspace is not active: ${name}`);
  return facts;
}

/** The effect of a rule on a file that it matched. */
export interface RuleEffect {
  readonly dataTypes: readonly string[];
  /** Undefined: the file stays in its workspace. */
  readonly newWorkspace: string | undefined;
  /** The complete new path with its date; undefined: the file keeps its path. */
  readonly newFilePath: string | undefined;
}

/** Applies a rule to the file at `path`; the date is that of `nowMs` in UTC. Undefined if the path gets too long. */
export function applyRule(rule: IngestRule, path: string, nowMs: number): RuleEffect | undefined {
  const moved = rule.new_file_path;
  const newFilePath = moved === undefined ? undefined : joinWithin(moved, datePath(nowMs), baseName(path));
  if (moved !== undefined && newFilePath === undefined) return undefined;
  return { dataTypes: rule.data_types, newWorkspace: rule.new_workspace, newFilePath };
}

/** What must be looked up before a configuration can be validated. */
export interface Mentions {
  readonly patterns: readonly string[];
  readonly workspaces: readonly string[];
  readonly recipeType: string | undefined;
}

/** The expressions and names that a strike or scan configuration mentions, even if the rest of it is wrong. */
export function mentionsOf(configuration: unknown): Mentions {
  const patterns = new Set<string>();
  const workspaces = new Set<string>();
  const top = isJsonObject(configuration) ? configuration : {};
  const add = (set: Set<string>, value: unknown): void => {
    const name = lookupName(value);
    if (name !== undefined) set.add(name);
  };
  add(workspaces, top.workspace);
  const rules: readonly unknown[] = Array.isArray(top.files_to_ingest) ? top.files_to_ingest : [];
  for (const rule of rules.slice(0, INGEST_RULES_MAX)) {
    if (!isJsonObject(rule)) continue;
    add(patterns, rule.filename_regex);
    add(workspaces, rule.new_workspace);
  }
  const recipeType = isJsonObject(top.recipe) ? lookupName(top.recipe.name) : undefined;
  return { patterns: [...patterns], workspaces: [...workspaces], recipeType };
}

/** The value if it is a text that can be looked up. */
function lookupName(value: unknown): string | undefined {
  const text = storableText(value);
  return text === '' ? undefined : text;
}

// limit: rules, and characters of each, that the reason of a file shows.
const SHOWN_RULES_MAX = 5;
const SHOWN_CHARS_MAX = 100;

/** Why no rule matches the file at `path`: the expressions and the text that they were tried on. */
export function noRuleReason(rules: readonly IngestRule[], path: string): string {
  const shown = rules.slice(0, SHOWN_RULES_MAX).map(({ filename_regex: regex, match }) => {
    const cut =
      regex.length <= SHOWN_CHARS_MAX ? regex : `${regex.slice(0, SHOWN_CHARS_MAX - 1).toWellFormed()}…`;
    return `'${cut}'${match === 'path' ? ' on its path' : ''}`;
  });
  const more = rules.length <= SHOWN_RULES_MAX ? '' : ` and ${rules.length - SHOWN_RULES_MAX} more`;
  const hint = 'expressions match from the start of the name, or of the path';
  return `no rule takes '${shownName(path)}': tried ${shown.join(', ')}${more} (${hint})`;
}

function shownName(path: string): string {
  return path.length <= SHOWN_CHARS_MAX ? path : `…${path.slice(1 - SHOWN_CHARS_MAX).toWellFormed()}`;
}
