/** Carries out a plan step by step. It ends at a step that fails; done steps stay, and another run continues there. */
import { isJsonObject, type JsonObject } from '../../domain/document/json-value.ts';
import { type CheckedRecord, STATE_FIELDS } from './check.ts';
import { compareRecord } from './compare.ts';
import { desiredLabels } from './documents.ts';
import { factsOf, serverFacts } from './facts.ts';
import type { Step } from './plan.ts';
import { isRefusal, type Records, type ServerRecord } from './server.ts';

export type Outcome = 'created' | 'changed' | 'unchanged';

export interface StepDone {
  readonly step: Step;
  readonly outcome: Outcome;
  readonly warnings: readonly string[];
}

/** Checks a record again with the server's present state. Undefined: it has become invalid. */
export type Recheck = (record: CheckedRecord, facts: ReturnType<typeof factsOf>) => CheckedRecord | undefined;

export class StepRunner {
  readonly #server: Records;
  readonly #recheck: Recheck;
  /** Whether a type has been changed: recipe types above it may have a new revision by now. */
  #hasChangedTypes = false;

  constructor(server: Records, recheck: Recheck) {
    this.#server = server;
    this.#recheck = recheck;
  }

  /** Rejects with the client's error. */
  async run(step: Step): Promise<StepDone> {
    if (step.action === 'create') return this.#create(step);
    const { kind } = step.record.desired;
    const isRaised = kind === 'recipe_type' && this.#hasChangedTypes;
    const done = isRaised ? await this.#changeRaised(step) : await this.#change(step, step.record);
    if (done.outcome === 'changed' && (kind === 'job_type' || kind === 'recipe_type'))
      this.#hasChangedTypes = true;
    return done;
  }

  async #create(step: Step): Promise<StepDone> {
    const { desired } = step.record;
    const labels = desiredLabels(desired);
    const { body, state } = splitState(desired.body);
    const whole = labels === undefined ? body : { ...body, labels };
    this.#server.forget(desired);
    const warnings = await this.#server.create(desired.kind, whole);
    // Only the call that creates a workspace takes these fields; an edit works for all kinds.
    if (Object.keys(state).length > 0) await this.#server.edit(desired, state);
    return { step, outcome: 'created', warnings };
  }

  /** Its job types have changed, and it may have adopted their revisions: it is compared again. */
  async #changeRaised(step: Step): Promise<StepDone> {
    const { desired } = step.record;
    const before = await this.#server.find(desired);
    for (const [kind, types] of mentionedTypes(desired.body)) {
      for (const type of types) this.#server.forget({ kind, ...type });
    }
    this.#server.forget(desired);
    const facts = factsOf([], await serverFacts([desired], this.#server));
    const done = await this.#change(step, this.#recheck(step.record, facts) ?? step.record);
    const after = await this.#server.find(desired);
    const isRaised = before?.fields.revision_num !== after?.fields.revision_num;
    return isRaised ? { ...done, outcome: 'changed' } : done;
  }

  async #change(step: Step, record: CheckedRecord): Promise<StepDone> {
    const { desired } = record;
    const current = await this.#server.find(desired);
    // It was removed after the plan was made.
    if (current === undefined) return this.#create(step);
    const { edit, hasSecrets, differences } = compareRecord(record, current);
    if (Object.keys(edit).length === 0) return { step, outcome: 'unchanged', warnings: [] };
    const warnings = await this.#server.edit(desired, edit);
    const after = hasSecrets && differences.length === 0 ? await this.#server.find(desired) : undefined;
    const isSame = after !== undefined && versionOf(after) === versionOf(current);
    return { step, outcome: isSame ? 'unchanged' : 'changed', warnings };
  }
}

function versionOf({ fields }: ServerRecord): unknown {
  return fields.object_version ?? fields.last_modified;
}

function splitState(body: JsonObject): { readonly body: JsonObject; readonly state: JsonObject } {
  const isState = (key: string): boolean => (STATE_FIELDS as readonly string[]).includes(key);
  const entries = Object.entries(body);
  return {
    body: Object.fromEntries(entries.filter(([key]) => !isState(key))),
    state: Object.fromEntries(entries.filter(([key]) => isState(key))),
  };
}

function mentionedTypes({ definition }: JsonObject) {
  const nodes =
    isJsonObject(definition) && isJsonObject(definition.nodes) ? Object.values(definition.nodes) : [];
  const types = nodes.flatMap((node) =>
    isJsonObject(node) && isJsonObject(node.node_type) ? [node.node_type] : [],
  );
  const jobs = types.flatMap(({ node_type: type, job_type_name: name, job_type_version: version }) => {
    return type === 'job' ? [{ name: String(name), version: String(version) }] : [];
  });
  const recipes = types.flatMap(({ node_type: type, recipe_type_name: name }) => {
    return type === 'recipe' ? [{ name: String(name) }] : [];
  });
  return [
    ['job_type', jobs],
    ['recipe_type', recipes],
  ] as const;
}

/** A refusal as a sentence about its record. */
export function refusalText(error: unknown): string {
  const {
    detail,
    problems = [],
    message,
  } = error as {
    readonly detail?: string;
    readonly problems?: readonly { readonly path: string; readonly description: string }[];
    readonly message?: string;
  };
  if (!isRefusal(error, 400, 409, 403, 404, 413, 422)) return message ?? 'unknown reason';
  const [first] = problems;
  return first === undefined
    ? (detail ?? '')
    : `${first.path === '' ? '' : `${first.path}: `}${first.description}`;
}
