import t from 'tap';
import { createMetrics } from '../../src/observe/metrics.ts';

t.test('metrics: counters, gauges and histograms are printed as Prometheus reads them', async (t) => {
  const metrics = createMetrics();
  const jobs = metrics.counter('jobs_total', 'Jobs ended.');
  jobs.add(1, { status: 'FAILED', type: 'a"\\\n' });
  jobs.add(2, { type: 'a"\\\n', status: 'FAILED' });
  metrics.gauge('slots', 'Free slots.').set(4);
  metrics.gaugeOf('asked', 'Asked when printed.', () => 7);
  const took = metrics.histogram('took_seconds', 'Time.', [0.1, 1]);
  for (const value of [0.1, 0.5, 3]) took.observe(value, { kind: 'x' });

  t.equal(
    metrics.print(),
    `# HELP jobs_total Jobs ended.
# TYPE jobs_total counter
jobs_total{status="FAILED",type="a\\"\\\\\\n"} 3
# HELP slots Free slots.
# TYPE slots gauge
slots 4
# HELP asked Asked when printed.
# TYPE asked gauge
asked 7
# HELP took_seconds Time.
# TYPE took_seconds histogram
took_seconds_bucket{kind="x",le="0.1"} 1
took_seconds_bucket{kind="x",le="1"} 2
took_seconds_bucket{kind="x",le="+Inf"} 3
took_seconds_sum{kind="x"} 3.6
took_seconds_count{kind="x"} 3
`,
  );
});

t.test('metrics: label values from data cannot grow without bound', async (t) => {
  const metrics = createMetrics();
  const counter = metrics.counter('x_total', 'x');
  for (let index = 0; index < 5_000; index += 1) counter.add(1, { id: String(index) });
  const lines = metrics.print().split('\n');
  t.ok(lines.length < 1_010);
  t.ok(lines.includes('x_total{series="other"} 4000'));
});

t.test('metrics: misuse is an assertion', async (t) => {
  const metrics = createMetrics();
  const counter = metrics.counter('x_total', 'x');
  t.throws(() => counter.add(-1), { name: 'AssertionError' });
  t.throws(() => metrics.counter('x_total', 'again'), { name: 'AssertionError' });
  t.throws(() => metrics.counter('x', 'no suffix'), { name: 'AssertionError' });
  t.throws(() => metrics.gauge('Bad Name', 'x'), { name: 'AssertionError' });
  t.throws(() => metrics.histogram('h', 'x', [2, 1]), { name: 'AssertionError' });
});
