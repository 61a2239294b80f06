/** Charts of the used processors and memory over time, with the capacity as a line above. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { count, decimal, resource } from '../format/amounts.ts';
import { Empty, Loaded } from '../parts/states.tsx';
import { nodeUse, type UseRange } from './queries.ts';

const USE_RANGES = ['PT1H', 'P1D'] as const;
const RANGE_MS = { PT1H: 3_600_000, P1D: 86_400_000 } as const;
const RANGE_WORDS = { PT1H: 'Last hour', P1D: 'Last day' } as const;

interface Props {
  readonly range: UseRange;
  readonly nodeId?: number;
}

/** The range of time is in the address. */
export function RangeChoice({ range }: { readonly range: UseRange }) {
  return (
    <div className="segments" role="group" aria-label="Range">
      {USE_RANGES.map((one) => (
        <Link
          key={one}
          to="./"
          className={one === range ? 'button chosen' : 'button'}
          search={(all: object) => ({ ...all, range: one === 'PT1H' ? undefined : one }) as never}
        >
          {RANGE_WORDS[one]}
        </Link>
      ))}
    </div>
  );
}

export function UseCharts({ range, nodeId }: Props) {
  return (
    <section aria-label="Capacity and use">
      <div className="section-head">
        <h2>Capacity and use</h2>
        <RangeChoice range={range} />
      </div>
      <Loaded query={useQuery(nodeUse(range, nodeId))}>
        {(minutes) => <Charts minutes={minutes} range={range} />}
      </Loaded>
    </section>
  );
}

interface ChartsProps {
  readonly minutes: readonly components['schemas']['NodeUse'][];
  readonly range: UseRange;
}

function Charts({ minutes, range }: ChartsProps) {
  if (minutes.length === 0) {
    return <Empty title="No measurements yet">The first values appear after a minute.</Empty>;
  }
  const times = minutes.map(({ time }) => Date.parse(time));
  const amounts = (field: 'capacity' | 'used', name: string) =>
    minutes.map((minute) => minute[field][name] ?? 0);
  const pair = (name: string) => [
    { name: 'used', color: '--busy', values: amounts('used', name), isFilled: true },
    { name: 'capacity', color: '--soft', values: amounts('capacity', name), isDashed: true },
  ];
  return (
    <div className="columns">
      <div>
        <h3>Processors</h3>
        <TimeChart
          label="Processors"
          times={times}
          series={pair('cpus')}
          format={decimal}
          group="use"
          rangeMs={RANGE_MS[range]}
        />
      </div>
      <div>
        <h3>Memory</h3>
        <TimeChart
          label="Memory"
          times={times}
          series={pair('mem')}
          format={(mib) => resource('mem', mib)}
          isBinary
          group="use"
          rangeMs={RANGE_MS[range]}
        />
      </div>
      <div>
        <h3>Running jobs</h3>
        <TimeChart
          label="Running jobs"
          times={times}
          series={[
            {
              name: 'running',
              color: '--busy',
              values: minutes.map(({ running_count }) => running_count),
              isFilled: true,
            },
          ]}
          format={count}
          group="use"
          rangeMs={RANGE_MS[range]}
        />
      </div>
    </div>
  );
}
