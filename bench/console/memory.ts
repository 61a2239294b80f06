/** What tabs keep in memory while objects change, hour after hour. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { watch } from '../../test/console/console-world.ts';
import type { Bench } from '../harness/bench.ts';
import { heldBy, makeJob, type Served } from './served.ts';

const CHANGES_PER_S = 50;
/** A tenth of a second's changes are made at once. */
const TURNS_PER_S = 10;
const MINUTE_MS = 60_000;
/** What people leave open. */
const TABS = { 'the overview': '/', 'the list of jobs': '/console/jobs/' } as const;

/** After garbage was collected, at the start, after each minute, and at the end. */
export async function measureMemory(bench: Bench, served: Served, seconds: number): Promise<string[]> {
  // No node has so many cores: each job stays queued, and its creation is all that happens.
  const type = await makeJob(served.client, 'bench-changes', 'true', 1_000);
  const tabs: { readonly page: Page; readonly found: string[] }[] = [];
  for (const path of Object.values(TABS)) {
    const page = await served.newPage();
    const found = watch(page);
    await page.goto(new URL(path, served.url).href);
    await page.locator('.connection.live').waitFor();
    await page.locator('main tbody tr, main .figure').first().waitFor();
    tabs.push({ page, found });
  }
  const held = async () => (await Promise.all(tabs.map(({ page }) => heldBy(page)))).flatMap(Object.values);
  const rows = [['before', 0, ...(await held())]];
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  let made = 0;
  for (let minute = 1; elapsed() < seconds * 1_000; ) {
    const posts = Array.from({ length: CHANGES_PER_S / TURNS_PER_S }, () =>
      served.client.post('/v6/jobs/', { job_type_id: type, input: {} }),
    );
    await Promise.all(posts);
    made += posts.length;
    await sleep(Math.max(0, (made / CHANGES_PER_S) * 1_000 - elapsed()));
    const isOver = elapsed() >= seconds * 1_000;
    if (elapsed() < minute * MINUTE_MS && !isOver) continue;
    const row = [`after ${(elapsed() / MINUTE_MS).toFixed(1)} minutes`, made, ...(await held())];
    bench.progress(row.join('  '));
    rows.push(row);
    minute += 1;
  }
  bench.add({
    ...{ kind: 'figures', title: 'Tabs while jobs are created' },
    columns: ['', 'jobs created', ...Object.keys(TABS).flatMap((name) => [`${name}, MiB`, 'its nodes'])],
    rows,
  });
  bench.note(`${Math.round((made * 1_000) / elapsed())} jobs a second were created`);
  for (const { page } of tabs) await page.close();
  return tabs.flatMap(({ found }) => found);
}
