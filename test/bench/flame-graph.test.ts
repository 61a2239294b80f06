/** Flame graphs: what a profile says, and that a profiled run draws one and replaces no page. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { flamesOf, type Profile } from '../../bench/harness/results/flame-frames.ts';
import { flameGraphOf } from '../../bench/harness/results/flame-graph.ts';
import { serviceUrl } from '../support/services/services.ts';

const node = (id: number, functionName: string, url: string, ...children: number[]) => ({
  ...{ id, children },
  callFrame: { functionName, url },
});
/** `run` calls `save` from two places and a package; each sample is of 100 us. */
const PROFILE: Profile = {
  nodes: [
    node(1, '(root)', '', 2, 3, 8),
    node(2, '(idle)', ''),
    node(3, 'run', 'node:internal/timers', 4, 5, 6),
    node(4, 'save', 'file:///any/src/store/commit.ts', 7),
    node(5, 'save', 'file:///any/src/store/commit.ts'),
    node(6, '', 'file:///any/node_modules/@some/package/lib/index.js'),
    node(7, 'send', 'file:///any/node-agent/session.ts'),
    node(8, '(garbage collector)', ''),
  ],
  startTime: 1_000,
  samples: [8, 8, 2, 4, 5, 7, 6, 8],
  timeDeltas: [100, 100, 100, 100, 100, 100, 100, 100],
};

t.test('frames: callers below callees, the most time first, without the start and idle time', async (t) => {
  const { seconds, frames } = flamesOf(PROFILE, 1_300);
  t.equal(seconds, 0.000_5);
  t.strictSame(
    frames.map(({ name, depth, from, to, code }) => [name, depth, from.toFixed(1), to.toFixed(1), code]),
    [
      ['run node:internal/timers', 0, '0.0', '0.8', 'Node'],
      ['save store/commit.ts', 1, '0.0', '0.6', 'Millrace'],
      ['send node-agent/session.ts', 2, '0.0', '0.2', 'Millrace'],
      ['(anonymous) @some/package', 1, '0.6', '0.8', 'packages'],
      ['(garbage collector)', 0, '0.8', '1.0', 'Node'],
    ],
  );
  t.match(flamesOf(PROFILE, 5_000), { seconds: 0, frames: [] }, 'a program that was never ready');
});

t.test('graph: names as far as there is room', async (t) => {
  const svg = await flameGraphOf('some, coordinator', flamesOf(PROFILE, 0));
  t.match(svg, '>some, coordinator: 0.0 s of the main thread<');
  t.match(svg, '>save store/commit.ts<');
  t.match(svg, 'packages');
  const narrow = { name: 'a'.repeat(500), depth: 0, from: 0, to: 0.1, code: 'Node' as const };
  t.match(await flameGraphOf('', { seconds: 1, frames: [narrow] }), />a+…</);
});

t.test('bench: a profiled run draws its programs', async (t) => {
  await serviceUrl('postgres');
  const folder = t.testdir({});
  const main = join(import.meta.dirname, '../../bench/parts/http-floor.bench.ts');
  const options = ['--tiny', '--no-peers', `--profile=${folder}/profiles`, `--results=${folder}`];
  const { status, stderr } = spawnSync(process.execPath, [main, ...options], { encoding: 'utf8' });
  t.equal(status, 0, stderr);
  const files = readdirSync(join(folder, 'flames'));
  t.ok(files.includes('http-floor-coordinator.svg'), files.join());
  t.match(readFileSync(join(folder, 'flames/http-floor-coordinator.svg'), 'utf8'), /processTicks/);
});
