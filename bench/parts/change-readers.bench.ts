/**
 * What readers of the stream of changes cost a coordinator: 1,000 that follow one recipe each, and 10 that follow
 * everything, at 1,000 changes a second.
 *
 * Jobs that end at once make a tenth of the changes, and their commits wake who assigns positions. The other changes
 * are those of the recipes that are followed, each in turn, so that every change has eleven readers. The share of a
 * core is the processor time of the coordinator, all its threads; that without readers is measured in turn. A run fails
 * if a reader has not read each change of its recipe.
 */
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { NOOP_EXECUTOR } from '../../node-agent/executor/noop.ts';
import { type Bench, runBench } from '../harness/bench.ts';
import { withClient } from '../harness/durability.ts';
import { median } from '../harness/figures.ts';
import { measured } from '../harness/meter.ts';
import type { Row, Sample } from '../harness/results/result.ts';
import { type System, startSystem } from '../harness/system.ts';
import { makeJobType, until } from '../harness/work.ts';

/** A job that ends at once: it, and its execution, are created, begin and end. */
const CHANGES_OF_LIFE = 5;
/** Changes of recipes are written so often. */
const WRITE_MS = 20;
const NO_READERS = 'no readers';

/** A stream that counts the changes of recipes that it gets. */
interface Reader {
  count(): number;
  close(): void;
}

type Open = (base: string, recipeId: number | undefined) => Promise<Reader>;

/** How often a text occurs in pieces of a stream that may break anywhere in it. */
class Occurrences {
  count = 0;
  readonly #wanted: string;
  #rest = '';

  constructor(wanted: string) {
    this.#wanted = wanted;
  }

  add(piece: string): void {
    const text = this.#rest + piece;
    let from = 0;
    for (let at = text.indexOf(this.#wanted); at >= 0; at = text.indexOf(this.#wanted, from)) {
      this.count += 1;
      from = at + this.#wanted.length;
    }
    this.#rest = text.slice(Math.max(from, text.length - this.#wanted.length + 1));
  }
}

const OF_RECIPES = '"kind":"recipe",';

async function openEvents(base: string, recipeId: number | undefined): Promise<Reader> {
  const filter = recipeId === undefined ? '' : `?recipe_id=${recipeId}`;
  const url = new URL(`/v6/changes/${filter}`, base);
  const asked = request(url, { agent: false, headers: { accept: 'text/event-stream' } });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', resolve).on('error', reject);
  });
  asked.end();
  const answer = await answered;
  if (answer.statusCode !== 200) throw new Error(`a reader was answered ${answer.statusCode}`);
  const found = new Occurrences(OF_RECIPES);
  answer.setEncoding('latin1').on('data', (piece: string) => found.add(piece));
  answer.on('error', () => undefined); // closed by the bench
  return { count: () => found.count, close: () => asked.destroy() };
}

async function openSocket(base: string, recipeId: number | undefined): Promise<Reader> {
  const socket = new WebSocket(new URL('/v6/changes/', base.replace('http', 'ws')));
  const found = new Occurrences(OF_RECIPES);
  await new Promise<void>((resolve, reject) => {
    const filters = recipeId === undefined ? {} : { recipe_id: [recipeId] };
    socket.onopen = () => socket.send(JSON.stringify({ type: 'open', id: 'a', filters }));
    socket.onerror = () => reject(new Error('a WebSocket was refused'));
    socket.onmessage = ({ data }) => {
      found.add(String(data));
      resolve(); // `opened` is the first
    };
  });
  return { count: () => found.count, close: () => socket.close() };
}

interface World {
  readonly system: System;
  readonly database: pg.Client;
  readonly typeId: number;
  readonly recipeIds: readonly number[];
  readonly perSecond: number;
  readonly seconds: number;
}

/** Recipes of one job that ends at once, all complete. */
async function makeRecipes({ client }: System, count: number): Promise<readonly number[]> {
  const node = { node_type: 'job', job_type_name: 'bench-followed', job_type_version: '1.0.0' };
  const type = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Followed',
    definition: { input: {}, nodes: { only: { dependencies: [], input: {}, node_type: node } } },
  });
  const body = { recipe_type_id: type.id, input: { files: {}, json: {} } };
  const ids: number[] = [];
  while (ids.length < count) {
    const made = Array.from({ length: Math.min(50, count - ids.length) }, () =>
      client.post<{ id: number }>('/v6/recipes/', body),
    );
    for (const { id } of await Promise.all(made)) ids.push(id);
  }
  await until(
    'all recipes are complete',
    async () => (await client.count('/v6/recipes/?is_completed=true')) === count,
  );
  return ids;
}

/** Changes at a steady rate for as long as a run takes; how often each recipe was changed. */
async function write({
  system,
  database,
  typeId,
  recipeIds,
  perSecond,
  seconds,
}: World): Promise<readonly number[]> {
  const jobs = (perSecond / 10 / CHANGES_OF_LIFE) * seconds;
  const edits = perSecond * 0.9 * seconds;
  const body = { job_type_id: typeId, input: { files: {}, json: {} } };
  const times = recipeIds.map(() => 0);
  const posted: Promise<unknown>[] = [];
  const startedMs = performance.now();
  for (let edited = 0; edited < edits; await sleep(WRITE_MS)) {
    const share = Math.min(1, (performance.now() - startedMs) / (seconds * 1_000));
    while (posted.length < share * jobs) posted.push(system.client.post('/v6/jobs/', body));
    const ids: number[] = [];
    for (; edited < share * edits; edited += 1) {
      const at = edited % recipeIds.length;
      // A statement changes a row once.
      if (ids.length >= recipeIds.length) break;
      ids.push(recipeIds[at] ?? 0);
      times[at] = (times[at] ?? 0) + 1;
    }
    await database.query(
      'update recipe set input_file_size = coalesce(input_file_size, 0) + 1 where id = any($1::bigint[])',
      [ids],
    );
  }
  await Promise.all(posted);
  return times;
}

/** The share of a core that the coordinator takes while these readers follow. */
async function share(world: World, open: Open | undefined, ofEverything: number): Promise<Sample> {
  const { system, recipeIds, perSecond, seconds } = world;
  const followed = [...recipeIds, ...Array.from({ length: ofEverything }, () => undefined)];
  const readers: Reader[] = [];
  try {
    if (open !== undefined) {
      for (const id of followed) readers.push(await open(system.client.base, id));
    }
    await sleep(1_000); // they have caught up
    let times: readonly number[] = [];
    const { cpu } = await measured(system.meter, async () => {
      times = await write(world);
      const all = times.reduce((sum, one) => sum + one, 0);
      const due = [...times, ...Array.from({ length: ofEverything }, () => all)];
      await until('all changes are read', async () =>
        readers.every((reader, at) => reader.count() >= (due[at] ?? 0)),
      );
      const wrong = readers.filter((reader, at) => reader.count() !== due[at]).length;
      if (wrong > 0) throw new Error(`${wrong} readers have read changes twice`);
    });
    // Divided by the time that the changes should take: a late writer makes the share no smaller.
    return { value: (100 * (cpu.coordinator ?? 0)) / seconds, count: perSecond * seconds, cpu };
  } finally {
    for (const reader of readers) reader.close();
    await sleep(500); // the coordinator has let them go
  }
}

const shares = (rows: readonly Row[], name: string): number =>
  median(rows.find((row) => row.name === name)?.samples.map(({ value }) => value) ?? []);

async function readers(bench: Bench): Promise<void> {
  const recipes = bench.parameter('recipes', 20, 1_000);
  const ofEverything = bench.parameter('readers-of-everything', 2, 10);
  const perSecond = bench.parameter('changes-per-second', 100, 1_000);
  const seconds = bench.parameter('seconds', 1, 20);
  const system = await startSystem(bench, { agent: 'noop' });
  try {
    const typeId = await makeJobType(system.client, 'bench-followed', NOOP_EXECUTOR, 'nothing');
    const recipeIds = await makeRecipes(system, recipes);
    await withClient(system.databaseUrl, async (database) => {
      const world = { system, database, typeId, recipeIds, perSecond, seconds };
      const kinds = { 'server-sent events': openEvents, WebSockets: openSocket };
      const rows = await bench.compare({
        ...{
          title: `${recipes} readers of a recipe each, ${ofEverything} of everything`,
          unit: '% of a core',
        },
        each: 'change',
        subjects: [
          { name: NO_READERS, work: () => share(world, undefined, 0) },
          ...Object.entries(kinds).map(([name, open]) => ({
            name,
            work: () => share(world, open, ofEverything),
          })),
        ],
      });
      for (const name of Object.keys(kinds)) {
        bench.aim({
          text: `what the readers add, ${name}`,
          measured: shares(rows, name) - shares(rows, NO_READERS),
          ...{ wanted: 20, bound: 'most', unit: '% of a core' },
        });
      }
    });
  } finally {
    await system.stop();
  }
}

await runBench(import.meta.filename, readers);
