/** The last recipes of a type of very many nodes, with all other recipes of the bulk data behind them. */

import type { Page } from 'playwright-core';
import { watch } from '../../test/console/console-world.ts';
import type { Bench } from '../harness/bench.ts';
import { median } from '../harness/figures.ts';
import { WIDE_RECIPES } from '../harness/load/console-history.ts';
import { WATCH_FRAMES } from './frames.ts';
import { clickTo, firstContent, type Served } from './served.ts';

const TYPE = 'recipe-a';
const PATH = `/console/recipe-types/${TYPE}/`;
/** Cells that the pointer goes over, and steps of the wheel. */
const STEPS = 60;
const WHEEL_PX = 120;

interface Moves {
  readonly event: number;
  readonly frame: number;
}

async function watched(page: Page, move: (step: number) => Promise<void>): Promise<Moves> {
  await page.evaluate('window.slowestEvent = 0; window.longestFrame = 0');
  for (let step = 0; step < STEPS; step += 1) {
    await move(step);
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
  return (await page.evaluate('({ event: window.slowestEvent, frame: window.longestFrame })')) as Moves;
}

/** Answers what went wrong in the browser. */
export async function measureGrid(bench: Bench, served: Served, nodes: number): Promise<string[]> {
  const page = await served.newPage();
  const troubles = watch(page);
  const calls: number[] = [];
  const [painted, shown, clicks, backs]: number[][] = [[], [], [], []];
  const [hovers, scrolls]: Moves[][] = [[], []];
  let bytes = 0;
  for (let run = 0; run < bench.runs; run += 1) {
    const asked = performance.now();
    const answer = await fetch(new URL(`/v6/recipe-types/${TYPE}/grid/`, served.url));
    bytes = (await answer.arrayBuffer()).byteLength;
    calls.push(performance.now() - asked);
    const first = await firstContent(page, new URL(PATH, served.url).href);
    painted?.push(first.painted);
    shown?.push(first.shown);
    await page.evaluate(WATCH_FRAMES);
    const box = await page.locator('.run-grid').boundingBox();
    if (box === null) throw new Error('there is no grid');
    const [x, y] = [box.x + box.width - 40, box.y + 120];
    hovers?.push(
      await watched(page, (step) => page.mouse.move(x - (step % 12) * 30, y + Math.floor(step / 12) * 26)),
    );
    scrolls?.push(await watched(page, () => page.mouse.wheel(0, WHEEL_PX)));
    const took = await clickTo(page, /^\/console\/jobs\/\d+\/$/);
    if (took === undefined) throw new Error('no cell leads to a job');
    clicks?.push(took.shown);
    backs?.push(await clickTo(page, /^\/console\/recipe-types\/$/).then((one) => one?.shown ?? Number.NaN));
  }
  await page.close();
  const typical = (moves: readonly Moves[] | undefined, figure: keyof Moves) =>
    median((moves ?? []).map((one) => one[figure]));
  bench.add({
    ...{ kind: 'figures', title: `A type of ${nodes} nodes, its last ${WIDE_RECIPES} recipes as a grid` },
    columns: ['', 'figure'],
    rows: [
      ['call of the grid, ms', median(calls)],
      ['its answer, bytes', bytes],
      ['first content, ms', median(painted ?? [])],
      ['with its cells, ms', median(shown ?? [])],
      ['pointer over cells, slowest event until the next frame, ms', typical(hovers, 'event')],
      ['pointer over cells, longest time without a frame, ms', typical(hovers, 'frame')],
      ['scrolling, longest time without a frame, ms', typical(scrolls, 'frame')],
      ['click on a cell until its job shows, ms', median(clicks ?? [])],
      ['click on from there to the list of types, ms', median(backs ?? [])],
    ],
  });
  const [bound, unit] = ['most', 'ms'] as const;
  bench.aim({
    ...{ text: 'grid with its cells', measured: median(shown ?? []) },
    wanted: 1_000,
    bound,
    unit,
  });
  bench.aim({ ...{ text: 'click on a cell', measured: median(clicks ?? []) }, wanted: 100, bound, unit });
  bench.aim({
    ...{ text: 'pointer over cells, slowest event', measured: typical(hovers, 'event') },
    ...{ wanted: 50, bound, unit },
  });
  return troubles;
}
