/**
 * One random recipe type, one recipe of it on the real actor, and everything that can happen to it: each event goes to
 * the model as well, and after each both must look the same.
 */
import {
  type Reprocess,
  type ReprocessAnswer,
  recipeAddress,
} from '../../../../src/actors/recipe/recipe.messages.ts';
import type { Change } from '../../../../src/domain/changes.ts';
import { evaluateFilter, type FileFacts } from '../../../../src/domain/filter/filter-evaluate.ts';
import type { DataDocument } from '../../../../src/domain/job/job.ts';
import { startRecipe } from '../../../../src/domain/recipe/start-recipe.ts';
import type { RecipeTypeRevision } from '../../../../src/domain/recipe/type-revisions.ts';
import type { TaskResult } from '../../../../src/domain/task/task-result.ts';
import type { ExecutionRow } from '../../../support/fakes/recipe-rows.ts';
import { makeOutput } from '../../../support/fakes/task-reports.ts';
import { RecipeWorld } from '../../../support/worlds/recipe-world.ts';
import { makeFile, WORKSPACES } from '../../../support/worlds/type-revisions.ts';
import { changedType, randomForced } from './changes.ts';
import { conditionLine, describeModel, type Ended, jobLine, TortureModel } from './model.ts';
import type { ModelData, ModelJob } from './model-nodes.ts';
import { type Dice, diceOf, randomType, revisionOf, type TypeSpec } from './specs.ts';

/** The root that the chain began with. */
export const ROOT = 7;
/** The UUID of the workspace `products`, as the store's rows have it. */
const PRODUCTS = '00000000-0000-4000-8000-000000000002';
export const SOURCES = [makeFile({ id: 1 }), makeFile({ id: 2, fileName: 'a.txt' })];

interface Run {
  readonly row: ExecutionRow;
  readonly job: ModelJob;
  /** What its files are named by: reprocessing makes several jobs of one path. */
  readonly key: string;
}

export class TortureStory {
  readonly seed: number;
  type: TypeSpec;
  revision: RecipeTypeRevision;
  rootId = ROOT;
  reprocessCount = 0;
  readonly world: RecipeWorld;
  /** What was committed, in order; a placement is a group of its own. */
  readonly groups: (readonly Change[])[] = [];
  model!: TortureModel;
  readonly #dice: Dice;
  readonly #isReprocessing: boolean;
  readonly #runs: Run[] = [];
  readonly #events: string[] = [];

  constructor(seed: number, isReprocessing = false) {
    this.seed = seed;
    this.#isReprocessing = isReprocessing;
    this.#dice = diceOf(seed);
    this.type = randomType(this.#dice, 2);
    this.revision = revisionOf(this.type);
    this.world = new RecipeWorld(this.revision);
  }

  async start(): Promise<void> {
    const { world } = this;
    const apply = world.rows.apply.bind(world.rows);
    world.rows.apply = (changes) => {
      const results = apply(changes);
      this.groups.push(changes);
      return results;
    };
    for (const file of SOURCES) world.rows.tables.files.set(file.id, file);
    world.evaluate = (ask) => {
      const files = Object.entries(ask.data.files).map(([name, ids]) => [
        name,
        ids.map((id) => this.#facts(id)),
      ]);
      const data = { files: Object.fromEntries(files), json: ask.data.json as Record<string, number> };
      return evaluateFilter(ask.filter, data).isAccepted;
    };
    const isGiven = this.type.requiresSource || !this.#dice.hits(4);
    const input = { files: isGiven ? { SRC: [1, 2] } : {}, json: this.#dice.hits(3) ? {} : { NUM: 1 } };
    await world.start();
    const known = new Map(SOURCES.map((file) => [file.id, file]));
    const request = {
      ...{ recipeId: ROOT, shard: ROOT, eventId: 5, batchId: null, ingestId: null, configuration: null },
      input: input as DataDocument,
    };
    const newId = () => world.world.nextId++;
    const nowMs = world.clock.nowMs();
    const started = startRecipe(this.revision, request, {
      files: known,
      workspaces: WORKSPACES,
      nowMs,
      newId,
    });
    world.rows.apply(started.changes);
    if (started.needsWake) world.system.tell(recipeAddress(ROOT), { type: 'wake' });
    this.model = new TortureModel(this.type, this.#named(input as DataDocument) as ModelData);
    await this.#compare('start');
  }

  #facts(fileId: number): FileFacts {
    const file = this.world.rows.tables.files.get(fileId);
    return { fileName: file?.fileName ?? '', mediaType: '', dataTypes: [], metaData: null };
  }

  async play(steps: number): Promise<void> {
    for (let at = 0; at < steps; at += 1) await this.#step();
  }

  async #step(): Promise<void> {
    const dice = this.#dice;
    const jobs = [...this.model.jobs().keys()];
    const some = () => jobs.filter(() => dice.hits(4));
    switch (dice.roll(this.#isReprocessing ? 13 : 12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return this.#placeOne();
      case 4:
      case 5:
      case 6:
      case 7:
        return this.#report(this.#runs[dice.roll(Math.max(1, this.#runs.length))]);
      case 8:
        return this.#askJobs('cancelJobs', some());
      case 9:
        return this.#askJobs('requeueJobs', some());
      case 10:
        return this.#askJobs('requeueJobs', jobs);
      case 12:
        return this.#reprocess();
      default:
        // Long enough for memory to be dropped; the next message loads it.
        await this.world.clock.advance(dice.hits(2) ? 31_000 : 301_000);
        return this.#compare('idle');
    }
  }

  async #placeOne(): Promise<void> {
    const queued = this.world.rows.jobIds('QUEUED');
    if (queued.length === 0) return;
    const jobId = this.#dice.pick(queued);
    const row = this.world.rows.place(jobId);
    const start = {
      executionId: row.id,
      jobId,
      exeNum: row.exeNum,
      nodeId: 1,
      atMs: this.world.clock.nowMs(),
      maxScheduled: null,
    };
    this.groups.push([{ type: 'placeJobs', starts: [start] }]);
    const path = this.#pathOf(jobId);
    const key = `${path}@${jobId}`;
    this.#runs.push({ row, job: this.model.place(path), key });
    await this.#compare(`place ${path}`);
  }

  /** The end of an execution is reported; perhaps again, perhaps too late. */
  async #report(run: Run | undefined): Promise<void> {
    if (run === undefined) return;
    const { row, job, key } = run;
    const ended = this.#endOf(key, row.exeNum);
    this.world.report(row, this.#resultOf(row, ended));
    this.model.end(job, row.exeNum, ended);
    await this.#compare(`end ${key} ${row.exeNum} ${ended.outcome}`);
  }

  /** What becomes of an execution is in the seed. */
  #endOf(key: string, exeNum: number): Ended {
    let hash = this.seed;
    for (const letter of `${key}#${exeNum}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    const dice = diceOf(hash);
    const isLate = exeNum > 5;
    const fate = isLate ? 9 : dice.roll(10);
    if (fate < 3) return { outcome: fate === 0 ? 'bad' : 'lost', output: { files: {}, json: {} } };
    const names = [0, 1, 2]
      .slice(dice.roll(4))
      .map((at) => `${key}#${exeNum}/${dice.pick(['a', 'b'])}${at}.txt`);
    const json = dice.hits(3) ? {} : { COUNT: dice.roll(4) };
    return {
      outcome: 'ok',
      output: { files: names.length === 0 ? {} : { OUT: names }, json: json as never },
    };
  }

  #resultOf(row: ExecutionRow, { outcome, output }: Ended): Partial<TaskResult> {
    if (outcome !== 'ok') {
      const name = outcome === 'lost' ? 'node-lost' : 'algorithm-unknown';
      return { outcome: 'failed', error: { name, isBuiltin: true, detail: '' } };
    }
    const names = (output.files.OUT ?? []).map((key) => key.slice(key.lastIndexOf('/') + 1));
    const outputs = names.map((name) => makeOutput('OUT', `jobs/job_exe_${row.id}/${name}`, PRODUCTS));
    return { outputs, jsonOutputs: output.json };
  }

  async #askJobs(type: 'cancelJobs' | 'requeueJobs', paths: readonly string[]): Promise<void> {
    const ids = paths.map((path) => this.#jobIdAt(path));
    this.world.system.tell(recipeAddress(ROOT), { type, jobIds: [...ids, 999_999] });
    if (type === 'cancelJobs') this.model.cancel(paths);
    else this.model.requeue(paths);
    await this.#compare(`${type} ${paths}`);
  }

  /** As a new revision, or as what it is with something forced. */
  async #reprocess(): Promise<void> {
    const dice = this.#dice;
    const type = dice.hits(3) ? this.type : changedType(dice, this.type, 2);
    const forced = randomForced(dice, type);
    const revision = revisionOf(type);
    this.world.rows.know(revision);
    const recipeId = this.world.world.nextId++;
    const request: Reprocess = {
      ...{ type: 'reprocess', oldRecipeId: this.rootId, recipeId, recipeTypeRevId: revision.recipeTypeRevId },
      ...{ forced, eventId: 5, event: null, batchId: null, batchMemberId: null, batchPriority: null },
    };
    const asked = this.world.system.ask(recipeAddress(ROOT), request, { deadlineMs: 500 });
    await this.world.clock.advance(1_000);
    const answer = (await asked) as ReprocessAnswer;
    const isDone = this.model.reprocess(type, forced);
    if ('problem' in answer === isDone) throw new Error(`seed ${this.seed}: ${JSON.stringify(answer)}`);
    if (isDone) {
      Object.assign(this, { type, revision, rootId: recipeId });
      this.reprocessCount += 1;
    }
    await this.#compare(`reprocess ${isDone} ${JSON.stringify(forced)}`);
  }

  /** Everything that can continue continues; what failed or was canceled is queued again until nothing moves. */
  async finish(): Promise<void> {
    for (let round = 0; round < 400; round += 1) {
      const queued = this.world.rows.jobIds('QUEUED').length;
      const open = this.#runs.find(({ row, job }) => job.status === 'RUNNING' && job.exeNum === row.exeNum);
      if (queued > 0) await this.#placeOne();
      else if (open !== undefined) await this.#report(open);
      else {
        const before = this.model.jobs();
        const stuck = [...before].filter(([, job]) => ['FAILED', 'CANCELED'].includes(job.status));
        const hopeful = stuck.filter(([, job]) => job.exeNum > 0 || job.status === 'CANCELED');
        if (hopeful.length === 0) return;
        await this.#askJobs(
          'requeueJobs',
          hopeful.map(([path]) => path),
        );
      }
    }
    throw new Error('never at rest');
  }

  async #compare(event: string): Promise<void> {
    this.#events.push(event);
    await this.world.clock.advance(1_000);
    const [found, wanted] = [describeRows(this), describeModel(this.model.root)];
    if (JSON.stringify(found) === JSON.stringify(wanted)) return;
    const odd = [
      ...found.filter((line) => !wanted.includes(line)).map((line) => `  actor ${line}`),
      ...wanted.filter((line) => !found.includes(line)).map((line) => `  model ${line}`),
    ];
    const types = JSON.stringify(this.type);
    throw new Error(`seed ${this.seed} after\n${this.#events.join('\n')}\n${odd.join('\n')}\n${types}`);
  }

  #pathOf(jobId: number): string {
    for (const [path, id] of this.#jobPaths()) if (id === jobId) return path;
    throw new Error(`no node holds job ${jobId}`);
  }

  #jobIdAt(path: string): number {
    return this.#jobPaths().get(path) ?? 0;
  }

  #jobPaths(): Map<string, number> {
    const paths = new Map<string, number>();
    for (const { path, state } of nodesOf(this)) if (state.kind === 'job') paths.set(path, state.jobId);
    return paths;
  }

  /** Data with files by what identifies them to the test. */
  #named(data: DataDocument | null): ModelData | null {
    return named(this, data);
  }

  runOf(executionId: number): Run | undefined {
    return this.#runs.find(({ row }) => row.id === executionId);
  }
}

/** Every node below the root with its path. */
export function nodesOf({ world, revision, rootId }: TortureStory) {
  const below = (recipeId: number, recipeRevision: RecipeTypeRevision, path: string): Node[] =>
    Object.keys(recipeRevision.definition.nodes as object).flatMap((name) => {
      const state = world.rows.nodeOf(recipeId, name);
      if (state === undefined) return [];
      const sub = recipeRevision.subRecipes.get(name);
      const own = { path: path + name, state };
      return state.kind === 'recipe' && sub !== undefined
        ? [own, ...below(state.recipeId, sub, `${path}${name}/`)]
        : [own];
    });
  return below(rootId, revision, '');
}
interface Node {
  readonly path: string;
  readonly state: NonNullable<ReturnType<RecipeWorld['rows']['nodeOf']>>;
}

function named(story: TortureStory, data: DataDocument | null): ModelData | null {
  if (data === null) return null;
  const files = Object.entries(data.files).map(([name, ids]) => [name, ids.map((id) => keyOf(story, id))]);
  return { files: Object.fromEntries(files), json: data.json as Record<string, number> };
}

function keyOf(story: TortureStory, fileId: number): string {
  const { files, products } = story.world.rows.tables;
  const product = products.find((one) => one.id === fileId);
  const name = files.get(fileId)?.fileName;
  if (product === undefined) return `source/${name}`;
  const run = story.runOf(product.executionId);
  return `${run?.key}#${run?.row.exeNum}/${name}`;
}

function describeRows(story: TortureStory): string[] {
  const { jobs, recipes, conditions } = story.world.rows.tables;
  const isComplete = (recipeId: number) => (recipes.get(recipeId)?.isCompleted ? 'complete' : 'open');
  const lines = [`: ${isComplete(story.rootId)}`];
  for (const { path, state } of nodesOf(story)) {
    if (state.kind === 'recipe') lines.push(`${path}/: ${isComplete(state.recipeId)}`);
    else if (state.kind === 'job') {
      const row = jobs.get(state.jobId);
      if (row === undefined) throw new Error(`job ${state.jobId} is lost`);
      const data = { input: named(story, row.input?.input ?? null), output: named(story, row.output) };
      lines.push(jobLine(path, { ...row, ...data }));
    } else {
      const row = conditions.get(state.conditionId);
      const verdict = row?.isProcessed ? (row.isAccepted ? 'accepted' : 'refused') : 'open';
      lines.push(conditionLine(path, verdict, named(story, row?.data ?? null)));
    }
  }
  return lines.sort();
}
