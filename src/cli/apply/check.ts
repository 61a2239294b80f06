/**
 * Checks records as the service would, with its own schemas and rules, and normalizes them to the form that it stores.
 * Pure: facts about the server are passed in.
 */
import type { TSchema } from '@sinclair/typebox';
import { jobTypeRoutes } from '../../api/job-types/routes.ts';
import { recipeTypeRoutes } from '../../api/recipe-types/routes.ts';
import { scanRoutes } from '../../api/scans/routes.ts';
import { strikeRoutes } from '../../api/strikes/routes.ts';
import { workspaceRoutes } from '../../api/workspaces/routes.ts';
import { isJsonObject, type JsonObject, jsonOf } from '../../domain/document/json-value.ts';
import type { RecipeTypeFacts } from '../../domain/ingest/ingest-recipe.ts';
import type { RuleLookups } from '../../domain/ingest/ingest-rule.ts';
import {
  validateConfigurationForm,
  validateJobTypeConfiguration,
} from '../../domain/job/job-config-check.ts';
import { validateManifest } from '../../domain/manifest/manifest-check.ts';
import { didYouMean } from '../../domain/near-names.ts';
import { validateDefinition } from '../../domain/recipe/recipe-definition-check.ts';
import { validateScanConfiguration } from '../../domain/scan/scan-config.ts';
import { validateStrikeConfiguration } from '../../domain/strike/strike-config.ts';
import type { Checked, Problem } from '../../domain/validation.ts';
import {
  validateWorkspaceConfiguration,
  type WorkspaceFacts,
} from '../../domain/workspace/workspace-config.ts';
import { compileExpression } from '../../evaluator/expression.ts';
import { checkBody } from '../../http/body/body.ts';
import { type Desired, type Kind, titleOf } from './documents.ts';
import { type Facts, mentioned } from './facts.ts';
import { placeOf } from './origins.ts';
import { type Findings, placeKey } from './source.ts';

/** A valid record, as the service would store it. */
export interface CheckedRecord {
  readonly desired: Desired;
  /** All fields that files set, with their defaults; without labels and `STATE_FIELDS`. */
  readonly kept: JsonObject;
}

/** Fields that people change at run time. If a file does not set them, the server's values stay. */
export const STATE_FIELDS = ['is_active', 'is_paused'] as const;
const STATES: Readonly<Record<Kind, readonly string[]>> = {
  workspace: ['is_active'],
  job_type: ['is_active', 'is_paused'],
  recipe_type: ['is_active'],
  strike: ['is_paused'],
  scan: [],
};

const ROUTES = { workspace: workspaceRoutes, job_type: jobTypeRoutes, recipe_type: recipeTypeRoutes };
const INGEST_ROUTES = { strike: strikeRoutes, scan: scanRoutes };

/** The schema of the body that creates a record of the kind. */
function bodySchema(kind: Kind): TSchema {
  const routes: readonly { readonly method: string; readonly path: string; readonly body?: TSchema }[] = {
    ...ROUTES,
    ...INGEST_ROUTES,
  }[kind];
  const create = routes.find(({ method, path, body }) => {
    return method === 'POST' && body !== undefined && /^\/v6\/[a-z-]+\/$/.test(path);
  });
  return create?.body as TSchema;
}

/** Checks all records; problems are reported where they stand. Records with problems are left out. */
export function checkRecords(
  records: readonly Desired[],
  facts: Facts,
  findings: Findings,
): readonly CheckedRecord[] {
  // A wrong part of the short form is missing from the body; its absence must not be reported as well.
  const known = findings.errorPlaces();
  return records.flatMap((desired) => {
    const kept = new RecordCheck(desired, facts, findings, known).kept();
    return kept === undefined ? [] : [{ desired, kept }];
  });
}

interface Outcome {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Warnings that are not shown: they are about defaults that are wanted, or about what files do not set. */
const SILENT: ReadonlySet<string> = new Set(['missing_transfer_suffix', 'MISSING_SETTING', 'queue_access']);

class RecordCheck {
  readonly #desired: Desired;
  readonly #facts: Facts;
  readonly #findings: Findings;
  readonly #known: ReadonlySet<string>;
  #isWrong = false;

  constructor(desired: Desired, facts: Facts, findings: Findings, known: ReadonlySet<string>) {
    this.#desired = desired;
    this.#facts = facts;
    this.#findings = findings;
    this.#known = known;
  }

  kept(): JsonObject | undefined {
    const { kind, body, file, at } = this.#desired;
    const entries = Object.entries(body);
    const form = Object.fromEntries(
      entries.filter(([key]) => !(STATE_FIELDS as readonly string[]).includes(key)),
    );
    for (const key of STATE_FIELDS) this.#checkState(key);
    const shaped = checkBody(bodySchema(kind), form);
    for (const { path, description } of shaped.ok ? [] : shaped.errors) {
      this.#error(path, path === '' ? description : `'${path}' ${description}`);
    }
    this.#warnOfUnknown();
    const kept = this.#keptOf(form as JsonObject);
    if (this.#isWrong) return undefined;
    if (kept === undefined) this.#findings.error(file, at, `the ${titleOf(this.#desired)} cannot be checked`);
    return kept;
  }

  #checkState(key: (typeof STATE_FIELDS)[number]): void {
    const { kind, body } = this.#desired;
    if (body[key] === undefined) return;
    if (!STATES[kind].includes(key)) this.#error(key, `'${key}' is not known here`);
    else if (typeof body[key] !== 'boolean') this.#error(key, `'${key}' must be true or false`);
  }

  #error(path: string, message: string): void {
    this.#isWrong = true;
    const { file, at, origins } = this.#desired;
    const place = placeOf(origins, path, at);
    if (!this.#known.has(placeKey(file, place))) this.#findings.error(file, place, message);
  }

  #warning(path: string, message: string): void {
    const { file, at, origins } = this.#desired;
    this.#findings.warning(file, placeOf(origins, path, at), message);
  }

  /** The value of a document, or undefined after its problems have been reported below `prefix`. */
  #value<T>(
    prefix: string,
    checked: Checked<T>,
    isForgiven: (problem: Problem) => boolean = () => false,
  ): T | undefined {
    const { errors, warnings }: Outcome = checked.ok ? { errors: [], warnings: checked.warnings } : checked;
    const path = (problem: Problem) => (problem.path === '' ? prefix : `${prefix}.${problem.path}`);
    const real = errors.filter((problem) => !isForgiven(problem));
    for (const problem of real) this.#error(path(problem), problem.description);
    for (const problem of warnings) {
      if (!SILENT.has(problem.name)) this.#warning(path(problem), problem.description);
    }
    return checked.ok ? checked.value : undefined;
  }

  /** Without a server, a record that the files do not describe may still exist. */
  #warnOfUnknown(): void {
    if (this.#facts.isComplete) return;
    const { workspaces, recipeTypes, definition } = mentioned(this.#desired);
    const say = (word: string, name: string): void => {
      this.#warning('', `the ${word} '${name}' is not in these files: the server must have it`);
    };
    for (const name of new Set(workspaces)) if (!this.#facts.workspaces.has(name)) say('workspace', name);
    const recipes = new Set([...recipeTypes.map(({ name }) => name), ...definition.recipeTypes]);
    for (const name of recipes) if (!this.#facts.recipeTypes.has(name)) say('recipe type', name);
    for (const { name, version } of definition.jobTypes) {
      if (name !== '' && !this.#facts.jobTypes.has(`${name} ${version}`))
        say('job type', `${name}@${version}`);
    }
  }

  #keptOf(body: JsonObject): JsonObject | undefined {
    const { title = '', description = '' } = body;
    switch (this.#desired.kind) {
      case 'workspace': {
        const configuration = this.#document(
          body.configuration,
          'configuration',
          validateWorkspaceConfiguration,
        );
        const baseUrl = body.base_url === '' ? null : (body.base_url ?? null);
        if (configuration === undefined) return undefined;
        return {
          title,
          description,
          base_url: baseUrl,
          configuration: { http: 'none', ...configuration },
        };
      }
      case 'job_type':
        return this.#keptJobType(body);
      case 'recipe_type': {
        const definition = this.#document(body.definition, 'definition', (one) => this.#checkDefinition(one));
        return definition === undefined ? undefined : { title, description, definition };
      }
      default: {
        const configuration = this.#document(body.configuration, 'configuration', (one) =>
          this.#checkIngest(one),
        );
        return configuration === undefined ? undefined : { title, description, configuration };
      }
    }
  }

  /** A document as it is kept. Undefined if it is not an object or is wrong. */
  #document(
    value: unknown,
    prefix: string,
    check: (value: unknown) => Checked<object>,
  ): JsonObject | undefined {
    if (!isJsonObject(value)) return undefined;
    const isUnknown = ({ name }: Problem) => {
      return (
        !this.#facts.isComplete &&
        (name === 'JOB_TYPE_DOES_NOT_EXIST' || name === 'RECIPE_TYPE_DOES_NOT_EXIST')
      );
    };
    const checked = check(value);
    const read = this.#value(prefix, checked, isUnknown);
    // If unknown types are the only problem, the document is kept as it is.
    if (read !== undefined) return jsonOf(read);
    return this.#isWrong ? undefined : value;
  }

  #keptJobType(body: JsonObject): JsonObject | undefined {
    const manifest = isJsonObject(body.manifest)
      ? this.#value('manifest', validateManifest(body.manifest))
      : undefined;
    const workspaces = this.#workspaces();
    const checked = (document: unknown) => {
      return manifest === undefined
        ? validateConfigurationForm(document, workspaces, 'texts')
        : validateJobTypeConfiguration(document, manifest, workspaces);
    };
    const configuration = this.#document(body.configuration ?? {}, 'configuration', checked);
    if (manifest === undefined || configuration === undefined) return undefined;
    return {
      container_image: body.container_image ?? '',
      manifest: jsonOf(manifest),
      configuration,
      icon_code: body.icon_code ?? null,
      is_published: body.is_published ?? false,
      max_scheduled: body.max_scheduled ?? null,
      max_tries: body.max_tries ?? 3,
    };
  }

  #checkDefinition(document: unknown) {
    const { jobTypes, recipeTypes } = this.#facts;
    const near = (kind: 'job_type' | 'recipe_type' | 'workspace', name: string): string => {
      const names =
        kind === 'job_type' ? [...jobTypes.keys()].map((key) => key.split(' ')[0] ?? '') : recipeTypes.keys();
      return didYouMean(name, names);
    };
    return validateDefinition(document, { jobTypes, recipeTypes, name: this.#desired.name, near });
  }

  #checkIngest(document: unknown): Checked<object> {
    const recipeTypes = this.#ingestRecipes();
    const workspaces = this.#workspaces();
    const near: RuleLookups['near'] = (kind, name) => {
      return didYouMean(name, kind === 'workspace' ? workspaces.keys() : recipeTypes.keys());
    };
    const lookups = { workspaces, recipeTypes, patternProblem, near, hasNats: true };
    return this.#desired.kind === 'strike'
      ? validateStrikeConfiguration(document, lookups)
      : validateScanConfiguration(document, lookups);
  }

  /** Workspaces that may be on the server count as suitable. */
  #workspaces(): ReadonlyMap<string, WorkspaceFacts> {
    const { workspaces, isComplete } = this.#facts;
    // Whether a workspace is active is the server's state: it says so itself.
    const known = new Map([...workspaces].map(([name, facts]) => [name, { ...facts, isActive: true }]));
    if (isComplete) return known;
    const brokerType = monitorsBuckets(this.#desired.body) ? 'objstore' : 'host';
    for (const name of mentioned(this.#desired).workspaces) {
      if (!known.has(name)) known.set(name, { brokerType, isActive: true });
    }
    return known;
  }

  #ingestRecipes(): ReadonlyMap<string, RecipeTypeFacts> {
    const { recipeTypes, isComplete } = this.#facts;
    const known = new Map(
      [...recipeTypes].map(([name, { isActive, latestRevision, revisions }]) => {
        const inputs = new Map([...revisions].map(([revision, { input }]) => [revision, input]));
        return [name, { isActive, latestRevision, inputs }] as const;
      }),
    );
    if (isComplete) return known;
    const file = { name: 'FILE', required: true, multiple: false, media_types: [] };
    for (const { name, revision } of mentioned(this.#desired).recipeTypes) {
      const latestRevision = revision === 0 ? 1 : revision;
      const inputs = new Map([[latestRevision, { files: [file], json: [] }]]);
      if (!known.has(name)) known.set(name, { isActive: true, latestRevision, inputs });
    }
    return known;
  }
}

function monitorsBuckets({ configuration }: JsonObject): boolean {
  if (!isJsonObject(configuration)) return false;
  return [configuration.monitor, configuration.scanner].some(
    (one) => isJsonObject(one) && one.type === 'objstore',
  );
}

function patternProblem(pattern: string): string | undefined {
  const compiled = compileExpression(pattern);
  return typeof compiled === 'string' ? compiled : undefined;
}
