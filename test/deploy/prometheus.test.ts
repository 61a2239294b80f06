/** The files for Prometheus and Grafana are valid, use only metrics that exist, and are explained on a page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import type { SystemStats } from '../../src/kernel/mod.ts';
import { clusterText } from '../../src/observe/cluster-metrics.ts';
import { CoordinatorMetrics } from '../../src/observe/coordinator-metrics.ts';
import { needsPromtool, promtool } from '../support/promtool.ts';

const ROOT = join(import.meta.dirname, '../..');
const at = (path: string): string => join(ROOT, 'deploy', path);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const [group] = (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups;
const rules = group?.rules ?? [];
const page = read('docs/monitoring.md');
const dashboard = read('deploy/grafana/millrace.json');

const STATS = {
  ...{ kinds: {}, counters: {}, asksPending: 0, mailParked: 0, shardsHeld: 0, isRunning: true },
  ...{ totals: {}, rates: { turnsPerS: 0, commitsPerS: 0, groupSize: 0 } },
} as unknown as SystemStats;

/** The names of all reported metrics, with those that Prometheus adds to a histogram. */
async function namesTold(): Promise<Set<string>> {
  const coordinator = new CoordinatorMetrics({
    version: '1.0.0',
    stats: () => STATS,
    pools: () => [],
    http: () => ({ connections: 0, requests: 0 }),
    streams: () => ({}),
    isNatsUp: () => true,
    reportsCluster: () => true,
  });
  const cluster = await clusterText({
    ...{ jobs: [], ingests: [], recipes: [], nodes: [] },
    ...{ oldestQueuedS: 0, isSchedulerPaused: false, unmetTypes: 0, coordinators: 1 },
    database: { bytes: 1, connections: 1, connectionsMax: 1 },
  });
  const names = new Set<string>();
  const text = `${await coordinator.text()}\n${cluster}`;
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    names.add(name);
    if (type === 'histogram') for (const end of ['bucket', 'sum', 'count']) names.add(`${name}_${end}`);
  }
  return names;
}

const NAMES = /\b(?:millrace|nodejs|process)_[a-z0-9_]*[a-z0-9]\b/g;

t.test('prometheus: promtool accepts the rules, and their tests pass', needsPromtool(), async (t) => {
  t.equal(promtool(['check', 'rules', at('prometheus/alerts.yml')]), '');
  t.equal(promtool(['test', 'rules', at('prometheus/alerts.test.yml')]), '');
});

t.test('prometheus: rules, dashboard and page name only existing metrics', async (t) => {
  const told = await namesTold();
  const texts = { rules: rules.map(({ expr }) => expr).join('\n'), dashboard, page };
  for (const [where, text] of Object.entries(texts)) {
    const unknown = [...new Set(text.match(NAMES))].filter((name) => !told.has(name));
    t.strictSame(unknown, [], where);
  }
  const own = [...told].filter(
    (name) => name.startsWith('millrace_') && !/_(?:bucket|sum|count)$/.test(name),
  );
  t.ok(own.length > 40, 'there are many');
});

t.test('prometheus: each alert has a chapter, a test that fires, and one that does not', async (t) => {
  const chapters = [...page.matchAll(/^### (Millrace\w+)\n\n(\S)/gm)].map(([, name]) => name);
  const names = rules.map(({ alert }) => alert);
  t.strictSame(chapters, names);
  const { tests } = parse(read('deploy/prometheus/alerts.test.yml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
  };
  const cases = tests.flatMap(({ alert_rule_test: cases }) => cases);
  for (const alert of names) {
    const expected = cases
      .filter(({ alertname }) => alertname === alert)
      .map((one) => one.exp_alerts?.length);
    t.strictSame(expected, [1, undefined], alert);
  }
});

t.test('grafana: the dashboard uses the chosen source, and no panel covers another', async (t) => {
  const { panels } = JSON.parse(dashboard) as {
    panels: {
      id: number;
      title: string;
      gridPos: { x: number; y: number; w: number; h: number };
      datasource?: { uid: string };
    }[];
  };
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const taken = new Set<string>();
  for (const { title, gridPos, datasource } of panels) {
    if (datasource !== undefined) t.equal(datasource.uid, `$\{datasource}`, title);
    t.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        if (taken.has(`${x},${y}`)) t.fail(`${title} covers another`);
        taken.add(`${x},${y}`);
      }
    }
  }
});
