/** A log of very many lines and a progress bar, followed while it is written. */

import { watch } from '../../test/console/console-world.ts';
import type { Bench } from '../harness/bench.ts';
import { WATCH_FRAMES } from './frames.ts';
import { heldBy, makeJob, type Served } from './served.ts';

const LINE_CHARS = 100;
const PROGRESS_STEPS = 20_000;
const LOG_END = 'the end of the log';

/** Follows a log while it is written. A page that is busy paints no frame meanwhile. */
export async function measureLog(bench: Bench, served: Served, lines: number): Promise<string[]> {
  const line = 'x'.repeat(LINE_CHARS - 1);
  const output = `yes ${line} | head -n ${lines}; seq ${PROGRESS_STEPS} | tr "\\n" "\\r"`;
  const script = `sleep 3; ${output}; echo; echo ${LOG_END}`;
  const type = await makeJob(served.client, 'bench-log', script, 0.1);
  const { id } = await served.client.post<{ id: number }>('/v6/jobs/', { job_type_id: type, input: {} });
  const page = await served.newPage();
  const troubles = watch(page);
  await page.goto(new URL(`/console/jobs/${id}/`, served.url).href);
  await page.evaluate(WATCH_FRAMES);
  const began = performance.now();
  await page.locator(`.log-line:has-text("${LOG_END}")`).waitFor({ timeout: 180_000 });
  const seconds = (performance.now() - began) / 1_000;
  const ended = await served.client.get<{ status: string }>(`/v6/jobs/${id}/`);
  bench.add({
    ...{
      kind: 'figures',
      title: `A log of ${lines} lines of ${LINE_CHARS} bytes and a progress bar, followed`,
    },
    columns: ['', 'figure'],
    rows: [
      ['until its last line shows, s', seconds],
      ['longest time without a frame, ms', Number(await page.evaluate('window.longestFrame'))],
      ['memory of the page afterwards, MiB', (await heldBy(page)).mib],
      ['elements of the page', Number(await page.evaluate('document.querySelectorAll("*").length'))],
    ],
  });
  bench.note(`the job of the log is ${ended.status}`);
  await page.close();
  return troubles;
}
