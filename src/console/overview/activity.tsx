/** How many files arrived, recipes completed and products were made, and how long products took from an arrival. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { count } from '../format/amounts.ts';
import { durationFromZero } from '../format/times.ts';
import { Empty, Loaded } from '../parts/states.tsx';
import { activity } from './queries.ts';

const RANGES = ['PT1H', 'P1D'] as const;
const RANGE_MS = { PT1H: 3_600_000, P1D: 86_400_000 } as const;
const RANGE_WORDS = { PT1H: 'Last hour', P1D: 'Last day' } as const;

type Range = (typeof RANGES)[number];

/** The address holds the range. */
export function Activity({ range }: { readonly range: Range }) {
  const navigate = useNavigate();
  const set = (one: Range) =>
    void navigate({ to: '/', search: { range: one === 'PT1H' ? undefined : one }, resetScroll: false });
  return (
    <section aria-label="Throughput and lag">
      <div className="section-head">
        <h2>Throughput and lag</h2>
        <div className="segments" role="group" aria-label="Range">
          {RANGES.map((one) => (
            <button key={one} type="button" aria-pressed={one === range} onClick={() => set(one)}>
              {RANGE_WORDS[one]}
            </button>
          ))}
        </div>
      </div>
      <Loaded query={useQuery(activity(range))}>
        {(minutes) => <Charts minutes={minutes} range={range} />}
      </Loaded>
    </section>
  );
}

interface ChartsProps {
  readonly minutes: readonly components['schemas']['Activity'][];
  readonly range: Range;
}

function Charts({ minutes, range }: ChartsProps) {
  if (minutes.length === 0) {
    return <Empty title="No measurements yet">The first values appear after a minute.</Empty>;
  }
  const times = minutes.map(({ time }) => Date.parse(time));
  return (
    <div className="columns two">
      <div>
        <h3>Per minute</h3>
        <TimeChart
          label="Files, recipes and products of each minute"
          times={times}
          series={[
            { name: 'files', color: '--accent', values: minutes.map((one) => one.ingested_count) },
            { name: 'recipes', color: '--wait', values: minutes.map((one) => one.recipe_count) },
            { name: 'products', color: '--good', values: minutes.map((one) => one.product_count) },
          ]}
          format={count}
          group="activity"
          rangeMs={RANGE_MS[range]}
        />
      </div>
      <div>
        <h3>From arrival to product</h3>
        <TimeChart
          label="Time from the arrival of a file to its product"
          times={times}
          series={[
            {
              name: 'median',
              color: '--busy',
              values: minutes.map((one) => one.lag_p50_ms),
              isFilled: true,
            },
            { name: '95 %', color: '--wait', values: minutes.map((one) => one.lag_p95_ms) },
            {
              name: 'longest',
              color: '--bad',
              values: minutes.map((one) => one.lag_max_ms),
              isDashed: true,
            },
          ]}
          format={durationFromZero}
          group="activity"
          rangeMs={RANGE_MS[range]}
        />
      </div>
    </div>
  );
}
