/** Running and queued jobs of the last hour, with one bar a minute. */
import type { components } from '../../client/operations.ts';
import { count } from '../format/amounts.ts';
import { instant } from '../format/times.ts';
import { Empty } from '../parts/states.tsx';

type Sample = components['schemas']['LoadItem'];

const WIDTH = 600;
const HEIGHT = 120;
const SLOTS = 60;
const MINUTE_MS = 60_000;

export function LoadChart({ samples }: { readonly samples: readonly Sample[] }) {
  const newest = samples.at(-1);
  if (newest === undefined) return <Empty title="Nothing was counted in the last hour" />;
  const endMs = Date.parse(newest.time);
  const most = Math.max(1, ...samples.map((one) => one.running_count + one.queued_count));
  const heightOf = (amount: number) => (amount / most) * HEIGHT;
  const width = WIDTH / SLOTS;
  return (
    <figure className="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`At most ${count(most)} jobs queued or running; now ${count(newest.running_count)} run`}
      >
        {samples.map(({ time, running_count, queued_count }) => {
          const x = WIDTH - (Math.round((endMs - Date.parse(time)) / MINUTE_MS) + 1) * width;
          const [running, queued] = [heightOf(running_count), heightOf(queued_count)];
          return (
            <g key={time}>
              <rect
                className="load-queued"
                x={x}
                y={HEIGHT - running - queued}
                width={width - 1}
                height={queued}
              />
              <rect className="load-running" x={x} y={HEIGHT - running} width={width - 1} height={running} />
            </g>
          );
        })}
      </svg>
      <figcaption className="soft">
        <span className="key load-running">running</span> <span className="key load-queued">queued</span>
        <span className="end number">
          at most {count(most)}, as of {instant(endMs, endMs)}
        </span>
      </figcaption>
    </figure>
  );
}
