/** Random recipe types driven by random events, compared with a plain model once nothing is left to do. */
import fc from 'fast-check';
import t from 'tap';
import { TreeProgress } from '../../../src/domain/recipe/tree-changes.ts';
import {
  cancelJobs,
  requeueJobs,
  settleConditions,
  settleResults,
} from '../../../src/domain/recipe/tree-events.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import type { TaskResult } from '../../../src/domain/task/task-result.ts';
import { makeOutput, makeResult } from '../../support/fakes/task-reports.ts';
import { ROOT, TreeWorld } from '../../support/worlds/tree-world.ts';
import { fileInput, makeRecipeRevision, type NodeSpec } from '../../support/worlds/type-revisions.ts';
import { type Fate, RecipeModel } from './recipe-model.ts';

type Shape = readonly {
  readonly kind: number;
  /** For each earlier node: 0, 1 not a parent, 2 a parent, 3 a parent that must not accept. */
  readonly parents: readonly number[];
  readonly sub: Shape | null;
}[];

const shape = (depth: number): fc.Arbitrary<Shape> =>
  fc.array(
    fc.record({
      kind: fc.integer({ min: 0, max: depth > 0 ? 4 : 3 }),
      parents: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 7, maxLength: 7 }),
      sub: depth > 0 ? shape(depth - 1) : fc.constant(null),
    }),
    { maxLength: depth > 1 ? 7 : 4 },
  );

const EXAMINED = { files: [fileInput('X', { multiple: true })], json: [] };

function revisionOf(nodes: Shape): RecipeTypeRevision {
  const specs: Record<string, NodeSpec> = {};
  const names = nodes.map((node, at) => `${['J', 'J', 'J', 'C', 'S'][node.kind]}${at}`);
  for (const [at, node] of nodes.entries()) {
    const parents = names.slice(0, at).filter((_, index) => (node.parents[index] ?? 0) > 1);
    const after = parents.map((name) => ({
      name,
      acceptance: !name.startsWith('C') || node.parents[names.indexOf(name)] === 2,
    }));
    const feeding = parents.find((name) => name.startsWith('J'));
    const source = feeding === undefined ? '@SRC' : `${feeding}.OUT`;
    const name = names[at] as string;
    if (name.startsWith('J')) specs[name] = { after, input: { MORE: source } };
    else if (name.startsWith('C')) specs[name] = { after, condition: EXAMINED, input: { X: source } };
    else specs[name] = { after, sub: revisionOf(node.sub ?? []), input: { SRC: '@SRC' } };
  }
  return makeRecipeRevision(specs);
}

/** By its name alone, so that the model knows it as well. */
const accepts = (node: string): boolean => Number(node.slice(1)) % 2 === 0;

const FAILURES = ['algorithm-unknown', 'node-lost', 'no-such-error'];

class Story {
  readonly world: TreeWorld;
  readonly revision: RecipeTypeRevision;
  readonly #sent: TaskResult[] = [];

  constructor(revision: RecipeTypeRevision) {
    this.revision = revision;
    this.world = new TreeWorld(revision);
  }

  /** One event; `dice` says which, of what and how. */
  step(dice: number): void {
    const { world } = this;
    const pick = <T>(list: readonly T[]): T | undefined =>
      list[Math.floor(dice / 16) % Math.max(list.length, 1)];
    const jobId = pick([...world.rows.tables.jobs.keys()]);
    switch (dice % 16) {
      case 0:
      case 1:
      case 2:
        this.place(pick(world.rows.jobIds('QUEUED')));
        break;
      case 3:
      case 4:
      case 5:
      case 6:
        this.report(pick(world.rows.running()), dice % 7 === 0);
        break;
      case 7:
        this.answer();
        break;
      case 8:
        if (jobId !== undefined) world.run((turn) => cancelJobs(turn, { jobIds: [jobId, 999_999] }));
        break;
      case 9:
      case 10:
        if (jobId !== undefined) world.run((turn) => requeueJobs(turn, { jobIds: [jobId] }));
        break;
      case 11:
        this.repeat(pick(this.#sent));
        break;
      case 12:
        world.drop();
        break;
      case 13: {
        const all = world.rows.jobIds('FAILED', 'CANCELED');
        world.run((turn) => requeueJobs(turn, { jobIds: all, priority: 5 }));
        break;
      }
      case 14: {
        // Two reports in one message, one of them perhaps twice.
        const [a, b] = world.rows.running();
        const results = [a, b, a].filter((one) => one !== undefined).map((one) => this.#result(one, false));
        this.#settle(results);
        break;
      }
      default:
        // A refused save: its decision is dropped, and the rows are loaded again.
        if (jobId !== undefined) this.#refused(jobId);
    }
  }

  #refused(jobId: number): void {
    const tables = this.world.rows.tables;
    this.world.run((turn) => cancelJobs(turn, { jobIds: [jobId] }));
    this.world.rows.tables = tables;
    this.world.drop();
  }

  place(jobId: number | undefined): void {
    if (jobId !== undefined) this.world.rows.place(jobId);
  }

  #result(execution: Parameters<typeof makeResult>[0], isFailed: boolean): TaskResult {
    const name = FAILURES[execution.id % 3] as string;
    const error = { name, isBuiltin: name !== 'no-such-error', detail: '' };
    const path = `jobs/job_exe_${execution.id}/${execution.id}.txt`;
    const outcome = isFailed ? { outcome: 'failed' as const, error } : { outputs: [makeOutput('OUT', path)] };
    return makeResult(execution, outcome);
  }

  report(execution: Parameters<typeof makeResult>[0] | undefined, isFailed: boolean): void {
    if (execution !== undefined) this.#settle([this.#result(execution, isFailed)]);
  }

  repeat(result: TaskResult | undefined): void {
    if (result !== undefined) this.#settle([result]);
  }

  #settle(results: readonly TaskResult[]): void {
    this.#sent.push(...results);
    const settled = this.world.run((turn) => settleResults(turn, results));
    for (const { executionId, isVoid } of settled.results) {
      const isRegistered = this.world.rows.tables.products.some((one) => one.executionId === executionId);
      if (isVoid && isRegistered) throw new Error(`products of ${executionId} would be removed`);
    }
  }

  answer(): void {
    const ask = this.world.asks.shift();
    if (ask === undefined) return;
    const answer = { conditionId: ask.conditionId, isAccepted: accepts(ask.node), reason: null };
    this.world.run((turn) => settleConditions(turn, [answer, answer]));
  }

  /** Everything that can continue continues until nothing can. */
  rest(): void {
    const { rows, asks } = this.world;
    this.world.progress;
    for (let round = 0; round < 10_000; round += 1) {
      const [queued] = rows.jobIds('QUEUED');
      const [running] = rows.running();
      if (queued === undefined && running === undefined && asks.length === 0) return;
      if (asks.length > 0) this.answer();
      else if (queued !== undefined) rows.place(queued);
      else this.report(running, false);
    }
    throw new Error('the work never ends');
  }

  /** Statuses of all nodes by path. */
  describe(recipeId = ROOT, revision = this.revision, path = ''): Map<string, string> {
    const all = new Map<string, string>();
    for (const name of Object.keys(revision.definition.nodes as object)) {
      all.set(path + name, this.world.rows.status(recipeId, name));
      const state = this.world.rows.nodeOf(recipeId, name);
      const sub = revision.subRecipes.get(name);
      if (state?.kind !== 'recipe' || sub === undefined) continue;
      for (const [below, status] of this.describe(state.recipeId, sub, `${path}${name}/`))
        all.set(below, status);
    }
    return all;
  }
}

const sorted = (map: Map<string, string>) => JSON.stringify([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

t.test('recipe tree: after random events and all remaining work it equals the model', async (t) => {
  const property = fc.property(
    shape(2),
    fc.array(fc.nat({ max: 100_000 }), { maxLength: 60 }),
    (nodes, dice) => {
      const story = new Story(revisionOf(nodes));
      for (const one of dice) story.step(one);
      story.rest();

      const seen = story.describe();
      const model = new RecipeModel(story.revision, {
        fate: (path) => {
          const status = seen.get(path);
          return status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELED'
            ? (status as Fate)
            : undefined;
        },
        accepts: (path) => accepts(path.split('/').at(-1) ?? ''),
      });
      const expected = model.describe();
      // Nodes below one that was never created are in the model alone.
      for (const path of [...expected.keys()]) if (!seen.has(path)) expected.delete(path);
      const [found, wanted] = [sorted(seen), sorted(expected)];
      if (found !== wanted) throw new Error(`found ${found}\nmodel ${wanted}`);
      const isComplete = story.world.rows.tables.recipes.get(ROOT)?.isCompleted;
      if (isComplete !== model.isComplete) throw new Error(`complete: ${isComplete}`);
    },
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }));
});

t.test('recipe tree: memory equals the rows, and no execution number is queued twice', async (t) => {
  const property = fc.property(
    shape(2),
    fc.array(fc.nat({ max: 100_000 }), { maxLength: 60 }),
    (nodes, dice) => {
      const story = new Story(revisionOf(nodes));
      const { world } = story;
      for (const one of dice) {
        story.step(one);
        const { tree, troubles } = world.progress;
        const loaded = new TreeProgress(world.rows.loadTree(ROOT) ?? tree);
        for (const [id, job] of loaded.tree.jobs) {
          const mine = tree.jobs.get(id);
          const status = job.status === 'RUNNING' ? 'QUEUED' : job.status;
          const known = mine?.status === 'RUNNING' ? 'QUEUED' : mine?.status;
          if (known !== status || mine?.exeNum !== job.exeNum)
            throw new Error(`job ${id}: ${known}, row ${status}`);
        }
        for (const id of tree.recipes.keys()) {
          if ((troubles.get(id) ?? 0) !== (loaded.troubles.get(id) ?? 0))
            throw new Error(`troubles of ${id}`);
        }
        const { queuings } = world.rows;
        if (new Set(queuings).size < queuings.length) throw new Error(`queued twice: ${queuings}`);
      }
    },
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 200 }));
});
