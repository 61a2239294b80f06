/** A chart of amounts over time. The drawing library is fetched with the first page that has a chart. */
import { lazy, Suspense } from 'react';
import type { ChartProps } from './plot.tsx';

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));
const HEIGHT = 160;

export type { ChartProps, ChartSeries } from './plot.tsx';

export function TimeChart(props: ChartProps) {
  return (
    <Suspense fallback={<div className="plot-space" style={{ height: props.height ?? HEIGHT }} />}>
      <Plot {...props} />
    </Suspense>
  );
}
