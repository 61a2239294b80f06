/** `apply`, `diff`, `lint` and `export`: what they do and show, apart from how the command line calls them. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Json } from '../../domain/document/json-value.ts';
import { notWritten, writeWhole } from '../frame/whole-file.ts';
import { checkRecords } from './check.ts';
import type { Difference } from './compare.ts';
import { titleOf } from './documents.ts';
import { expandedText, exportRecords } from './export.ts';
import type { LoadOptions } from './load-files.ts';
import { planSteps, type Step } from './plan.ts';
import {
  NO_CANDIDATES,
  type PruneCandidates,
  type PruneDone,
  prune,
  pruneCandidates,
  pruneLine,
} from './prune.ts';
import { type Outcome, refusalText, type StepDone, StepRunner } from './run-steps.ts';
import { isRefusal, Records, type Reference, type Server } from './server.ts';
import { Findings, findingLine } from './source.ts';
import { checkAll, expandAll, validateOnServer } from './workbench.ts';

/** What a command uses of the program around it. */
export interface Surroundings {
  /** One line of the result; control characters in it are escaped by the program. */
  out(line: string): void;
  /** One line in addition to the result; `--quiet` leaves it out. */
  note(line: string): void;
  /** One line that says what is wrong. */
  problem(line: string): void;
  /** Text that `apply` can read again, written as it is. */
  raw(text: string): void;
  confirm(question: string): Promise<boolean>;
  server(): Promise<Server>;
  /** JSON or YAML. */
  document(value: unknown): void;
  /** Whether the result is a document instead of lines. */
  readonly isStructured: boolean;
}

/** An exit code, as of all commands. */
const [DONE, FAILED, REFUSED] = [0, 1, 3];

export interface ApplyOptions extends LoadOptions {
  readonly isDryRun: boolean;
  readonly isExpanding: boolean;
  readonly isPruning: boolean;
  readonly isAdopting: boolean;
}

interface Prepared extends PruneCandidates {
  readonly steps: readonly Step[];
  readonly server: Records;
}

export async function runApply(options: ApplyOptions, around: Surroundings): Promise<number> {
  if (options.isExpanding) return runExpand(options, around);
  const prepared = await prepare(options, around, options.isDryRun);
  if (prepared === undefined) return FAILED;
  if (options.isDryRun) {
    showPlan(prepared, around, false);
    return DONE;
  }
  return new Application(prepared, around).run();
}

async function runExpand(options: LoadOptions, around: Surroundings): Promise<number> {
  const findings = new Findings();
  const { records } = await expandAll(options, findings, async () => new Records(await around.server()));
  showFindings(findings, around);
  if (!findings.ok) return FAILED;
  around.raw(expandedText(records));
  return DONE;
}

/** Reads, checks and compares; changes nothing. Undefined if there were problems: these have been shown. */
async function prepare(
  options: Omit<ApplyOptions, 'isExpanding'>,
  around: Surroundings,
  isValidating: boolean,
): Promise<Prepared | undefined> {
  const findings = new Findings();
  let opened: Records | undefined;
  const serverOf = async (): Promise<Records> => {
    opened ??= new Records(await around.server());
    return opened;
  };
  const expanded = await expandAll(options, findings, serverOf);
  // Problems that need no server are reported before it is called.
  if (!findings.ok) return void showFindings(findings, around);
  const server = await serverOf();
  const { records, facts } = await checkAll(expanded, findings, server);
  if (!findings.ok) return void showFindings(findings, around);
  if (expanded.records.length === 0 && expanded.sets.size === 0) {
    around.note('the files describe nothing');
  }
  const steps = await planSteps(records, server, options, findings);
  if (isValidating && facts !== undefined && findings.ok) {
    const changing = steps.filter(({ action }) => action !== 'keep').map(({ record }) => record);
    await validateOnServer(changing, facts, server, findings);
  }
  showFindings(findings, around);
  if (!findings.ok) return undefined;
  const candidates = options.isPruning
    ? await pruneCandidates(expanded.sets, expanded.records, server)
    : NO_CANDIDATES;
  return { steps, ...candidates, server };
}

/** Carries out a prepared plan. */
class Application {
  readonly #prepared: Prepared;
  readonly #around: Surroundings;
  readonly #results: { kind: string; name: string; version?: string; outcome: string; reason?: string }[] =
    [];

  constructor(prepared: Prepared, around: Surroundings) {
    this.#prepared = prepared;
    this.#around = around;
  }

  async run(): Promise<number> {
    const { steps, server } = this.#prepared;
    const runner = new StepRunner(
      server,
      ({ desired }, facts) => checkRecords([desired], facts, new Findings())[0],
    );
    const counts = new Map<Outcome, number>();
    for (const [index, step] of steps.entries()) {
      let done: StepDone;
      try {
        done = await runner.run(step);
      } catch (error) {
        const { file, at } = step.record.desired;
        const rest = steps.slice(index + 1).map(({ record }) => record.desired);
        this.#failed(step.record.desired, `${file}:${at.line}:${at.column}: `, error, rest);
        this.#summary(counts);
        return this.#end(error);
      }
      counts.set(done.outcome, (counts.get(done.outcome) ?? 0) + 1);
      this.#show(done);
    }
    this.#summary(counts);
    return this.#prune();
  }

  #show({ step, outcome, warnings }: StepDone): void {
    const { desired } = step.record;
    const adopted =
      step.adoptedFrom === undefined
        ? ''
        : ` (adopted${step.adoptedFrom === '' ? '' : ` from '${step.adoptedFrom}'`})`;
    this.#result(desired, outcome);
    if (!this.#around.isStructured) this.#around.out(`${titleOf(desired)} ${outcome}${adopted}`);
    for (const warning of warnings) this.#around.note(`warning: ${titleOf(desired)}: ${warning}`);
  }

  #result({ kind, name, version }: Reference, outcome: string, reason?: string): void {
    this.#results.push({
      ...{ kind, name },
      ...(version === undefined ? {} : { version }),
      outcome,
      ...(reason === undefined || reason === '' ? {} : { reason }),
    });
  }

  #summary(counts: ReadonlyMap<Outcome, number>): void {
    const words = (['created', 'changed', 'unchanged'] as const).map(
      (one) => `${counts.get(one) ?? 0} ${one}`,
    );
    this.#around.note(words.join(', '));
  }

  #failed(failed: Reference, place: string, error: unknown, rest: readonly Reference[]): void {
    const reason = refusalText(error);
    this.#around.problem(`${place}error: the ${titleOf(failed)} failed: ${reason}`);
    this.#result(failed, 'failed', reason);
    for (const reference of rest) this.#result(reference, 'not done');
    if (rest.length > 0) this.#around.note(`not done: ${rest.map(titleOf).join(', ')}`);
  }

  /** The exit code of a failed run. Throws any error that is not a refusal. */
  #end(error: unknown): number {
    this.#around.problem('what was done stays; apply the files again to complete it');
    this.#printDocument();
    if (isRefusal(error, 400, 403, 404, 409, 413, 422)) return REFUSED;
    throw error;
  }

  async #prune(): Promise<number> {
    const { stale, kept, server } = this.#prepared;
    for (const done of kept) this.#showPruned(done);
    if (stale.length > 0) {
      this.#around.note('no longer in the files:');
      for (const reference of stale) this.#around.note(`  ${titleOf(reference)}`);
      const what = 'Strikes are paused, types with a history deprecated, others deleted; no file is touched.';
      const question = `Remove these ${stale.length}? ${what}`;
      if (!(await this.#around.confirm(question))) {
        this.#around.note('nothing was removed');
        this.#printDocument();
        return FAILED;
      }
    }
    for (const [index, reference] of stale.entries()) {
      let done: PruneDone;
      try {
        done = await prune(reference, server);
      } catch (error) {
        this.#failed(reference, '', error, stale.slice(index + 1));
        return this.#end(error);
      }
      this.#showPruned(done);
    }
    this.#printDocument();
    return DONE;
  }

  #showPruned(done: PruneDone): void {
    this.#result(done.reference, done.outcome, done.reason);
    if (!this.#around.isStructured) this.#around.out(pruneLine(done));
  }

  #printDocument(): void {
    if (this.#around.isStructured) this.#around.document({ results: this.#results });
  }
}

export interface DiffOptions extends LoadOptions {
  readonly isPruning: boolean;
  readonly isAdopting: boolean;
  /** The exit code is 1 if something differs. */
  readonly failsOnDifference: boolean;
}

export async function runDiff(options: DiffOptions, around: Surroundings): Promise<number> {
  const prepared = await prepare({ ...options, isDryRun: true }, around, false);
  if (prepared === undefined) return FAILED;
  const count = showPlan(prepared, around, true);
  return options.failsOnDifference && count > 0 ? FAILED : DONE;
}

/** Shows what would be done, in detail or one line for each record. Resolves with how many records would change. */
function showPlan({ steps, stale, kept }: Prepared, around: Surroundings, isDetailed: boolean): number {
  const changing = steps.filter(({ action }) => action !== 'keep');
  if (around.isStructured) {
    const planned = steps.map(({ record: { desired }, action, comparison }) => ({
      ...{ kind: desired.kind, name: desired.name },
      ...(desired.version === undefined ? {} : { version: desired.version }),
      ...{ action, differences: comparison?.differences ?? [] },
    }));
    const pruned = stale.map((reference) => ({ ...reference, action: 'prune', differences: [] }));
    const left = kept.map(({ reference, reason }) => ({
      ...reference,
      ...{ action: 'keep', differences: [], reason },
    }));
    around.document({ plan: [...planned, ...pruned, ...left] });
    return changing.length + stale.length;
  }
  for (const step of isDetailed ? changing : steps) showStep(step, around, isDetailed);
  for (const reference of stale)
    around.out(isDetailed ? `- ${titleOf(reference)}` : `${titleOf(reference)} would be pruned`);
  for (const { reference, reason } of kept) around.note(`${titleOf(reference)} would stay (${reason})`);
  return changing.length + stale.length;
}

const SIGNS = { create: '+', change: '~', keep: ' ' } as const;
const WORDS = { create: 'would be created', change: 'would be changed', keep: 'unchanged' } as const;

function showStep(
  { record: { desired }, action, comparison }: Step,
  around: Surroundings,
  isDetailed: boolean,
): void {
  const differences = comparison?.differences ?? [];
  if (!isDetailed) {
    const fields = differences.slice(0, 5).map(({ path }) => path);
    const more = differences.length > fields.length ? ' …' : '';
    const secrets = comparison?.hasSecrets === true ? 'its secrets would be sent; ' : '';
    const what = fields.length === 0 ? secrets.slice(0, -2) : `${secrets}${fields.join(', ')}${more}`;
    around.out(`${titleOf(desired)} ${WORDS[action]}${what === '' ? '' : `: ${what}`}`);
    return;
  }
  around.out(`${SIGNS[action]} ${titleOf(desired)}`);
  for (const difference of differences) around.out(`    ${differenceText(difference)}`);
  if (comparison?.hasSecrets === true)
    around.out('    its secrets are not shown by the server and are sent each time');
}

/** limit: shown characters of a value. */
const SHOWN_CHARS_MAX = 200;

function differenceText({ path, before, after }: Difference): string {
  if (before === undefined) return `${path}: + ${shown(after)}`;
  if (after === undefined) return `${path}: - ${shown(before)}`;
  return `${path}: ${shown(before)} -> ${shown(after)}`;
}

function shown(value: Json | undefined): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX).toWellFormed()}…`;
}

export interface LintOptions extends LoadOptions {
  /** Whether the server also validates the records. */
  readonly isOnline: boolean;
}

export async function runLint(options: LintOptions, around: Surroundings): Promise<number> {
  const findings = new Findings();
  const server = options.isOnline ? new Records(await around.server()) : undefined;
  const expanded = await expandAll(options, findings, server === undefined ? undefined : async () => server);
  const { records, facts } = await checkAll(expanded, findings, server);
  if (server !== undefined && facts !== undefined) await validateOnServer(records, facts, server, findings);
  showFindings(findings, around);
  if (around.isStructured) around.document({ findings: findings.toArray() });
  else if (findings.ok) around.out(`${expanded.records.length} records, no errors`);
  return findings.ok ? DONE : FAILED;
}

function showFindings(findings: Findings, around: Surroundings): void {
  for (const finding of findings.toArray()) {
    if (finding.severity === 'error') around.problem(findingLine(finding));
    else around.note(findingLine(finding));
  }
  if (findings.unlistedCount > 0) around.problem(`${findings.unlistedCount} further findings are not listed`);
  if (!findings.ok) around.problem(`${findings.errorCount} error${findings.errorCount === 1 ? '' : 's'}`);
}

export interface ExportOptions {
  /** Undefined: everything is written to standard output. */
  readonly directory: string | undefined;
  readonly cwd: string;
  /** `key:value` or `key`; undefined: everything. */
  readonly label: string | undefined;
}

export async function runExport(options: ExportOptions, around: Surroundings): Promise<number> {
  const sets = await exportRecords(new Records(await around.server()), options.label);
  if (options.directory === undefined || options.directory === '-') {
    around.raw(sets.flatMap(({ documents }) => documents).join('---\n'));
    return DONE;
  }
  const directory = resolve(options.cwd, options.directory);
  await mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw notWritten(directory, error);
  });
  for (const { set, documents, count } of sets) {
    for (const [index, document] of documents.entries()) {
      const file = `${fileName(set)}${index === 0 ? '' : `-${index + 1}`}.yaml`;
      await writeWhole(join(directory, file), document, { isReplacing: true, mode: 0o644 });
      around.out(join(options.directory, file));
    }
    around.note(`${set === '' ? 'without a set' : `set '${set}'`}: ${count} records`);
  }
  return DONE;
}

/** Replaces the characters of a label that a file name must not have. */
function fileName(set: string): string {
  return set === '' ? 'without-set' : `set-${set.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 100)}`;
}
