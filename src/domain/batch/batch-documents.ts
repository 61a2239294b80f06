/**
 * The documents of a batch: its members (definition) and how its recipes run (configuration). They use the contract's
 * field names, because they are stored and returned as they are.
 */
import { Fields } from '../document/fields.ts';
import { checkJson, isAbsent } from '../document/json-value.ts';
import { type ForcedNodes, validateForcedNodes } from '../recipe/forced-nodes.ts';
import { type Checked, IssueList, mapProblems } from '../validation.ts';

export interface BatchDefinition {
  readonly dataset?: number;
  /** Whether current recipes with the same input are reprocessed; otherwise every member gets a new recipe. */
  readonly supersedes?: boolean;
  readonly forced_nodes?: ForcedNodes;
  /** If given, the recipes come from this batch, and the dataset is ignored. */
  readonly previous_batch?: { readonly root_batch_id: number; readonly forced_nodes?: ForcedNodes };
}

export interface InputMapping {
  /** The name of the recipe's input. */
  readonly input: string;
  /** The name of the dataset's parameter. */
  readonly datasetParameter: string;
}

export interface BatchConfiguration {
  /** The priority of all its jobs; it takes precedence over that of recipes and job types. */
  readonly priority?: number;
  readonly inputMap?: readonly InputMapping[];
}

const DEFINITION = 'INVALID_BATCH_DEFINITION';
const CONFIGURATION = 'INVALID_BATCH_CONFIGURATION';
const ID_MAX = Number.MAX_SAFE_INTEGER;
const MAPPINGS_MAX = 1_000;
const NAME_CHARS_MAX = 250;

/** `supersedes`: the value next to the definition in the body; the definition's own value wins. */
export function validateBatchDefinition(document: unknown, supersedes?: boolean): Checked<BatchDefinition> {
  const issues = new IssueList();
  const fields = checkJson(document, issues, DEFINITION)
    ? Fields.open(issues, DEFINITION, document, '')
    : undefined;
  if (fields === undefined) return issues.finish(() => ({}));
  fields.acceptVersion();
  const dataset = fields.integer('dataset', { min: 1, max: ID_MAX });
  const own = fields.flag('supersedes', supersedes);
  const forced = readForced(issues, fields, '');
  const previous = fields.object('previous_batch');
  const rootId = previous?.integer('root_batch_id', { required: true, min: 1, max: ID_MAX });
  const previousForced = previous === undefined ? undefined : readForced(issues, previous, 'previous_batch.');
  previous?.refuseOthers();
  fields.refuseOthers();
  return issues.finish(() => ({
    ...(dataset === undefined ? {} : { dataset }),
    ...(own === undefined ? {} : { supersedes: own }),
    ...(forced === undefined ? {} : { forced_nodes: forced }),
    ...(rootId === undefined
      ? {}
      : {
          previous_batch: {
            root_batch_id: rootId,
            ...(previousForced === undefined ? {} : { forced_nodes: previousForced }),
          },
        }),
  }));
}

function readForced(issues: IssueList, fields: Fields, prefix: string): ForcedNodes | undefined {
  const document = fields.raw('forced_nodes');
  if (isAbsent(document)) return undefined;
  const checked = validateForcedNodes(document);
  const errors = mapProblems(checked.ok ? [] : checked.errors, (error) => ({ ...error, name: DEFINITION }));
  issues.include(`${prefix}forced_nodes`, { errors, warnings: checked.warnings });
  return checked.ok ? checked.value : undefined;
}

export function validateBatchConfiguration(document: unknown): Checked<BatchConfiguration> {
  const issues = new IssueList();
  if (isAbsent(document)) return issues.finish(() => ({}));
  const fields = checkJson(document, issues, CONFIGURATION)
    ? Fields.open(issues, CONFIGURATION, document, '')
    : undefined;
  if (fields === undefined) return issues.finish(() => ({}));
  fields.acceptVersion();
  const priority = fields.integer('priority', { min: 1 });
  const isMapped = fields.has('inputMap');
  const inputMap = isMapped ? readInputMap(issues, fields) : [];
  fields.refuseOthers();
  return issues.finish(() => ({
    ...(priority === undefined ? {} : { priority }),
    ...(isMapped ? { inputMap } : {}),
  }));
}

function readInputMap(issues: IssueList, parent: Fields): InputMapping[] {
  const inputs = new Set<string>();
  return parent.list('inputMap', { min: 1, max: MAPPINGS_MAX }).flatMap((item) => {
    const fields = Fields.open(issues, CONFIGURATION, item.value, item.path);
    if (fields === undefined) return [];
    const input = fields.text('input', { required: true, max: NAME_CHARS_MAX });
    const datasetParameter = fields.text('datasetParameter', { required: true, max: NAME_CHARS_MAX });
    fields.refuseOthers();
    if (input === undefined || datasetParameter === undefined) return [];
    if (inputs.has(input)) fields.error('input', `the input '${input}' is mapped twice`);
    inputs.add(input);
    return [{ input, datasetParameter }];
  });
}

/** The nodes that are forced when recipes are reprocessed into the batch. */
export function forcedOf(definition: BatchDefinition): ForcedNodes | undefined {
  return definition.previous_batch?.forced_nodes ?? definition.forced_nodes;
}
