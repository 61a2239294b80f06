/** A chart of amounts over time. The drawing library is fetched apart: the first page is there before it. */
import { type ComponentType, useEffect, useState } from 'react';
import type { ChartProps } from './plot.tsx';

const HEIGHT = 160;

export type { ChartProps, ChartSeries } from './plot.tsx';

let plot: ComponentType<ChartProps> | undefined;

/** Done when the browser has nothing else to do, and as the loader of the page that begins with charts. */
export async function fetchPlot(): Promise<void> {
  plot ??= (await import('./plot.tsx')).Plot;
}

/** Not a lazy component: React would keep the placeholder of one for 300 ms, even when its code is there. */
export function TimeChart(props: ChartProps) {
  const [isThere, setIsThere] = useState(plot !== undefined);
  useEffect(() => {
    if (isThere) return;
    const fail = (error: unknown) =>
      setIsThere(() => {
        throw error;
      });
    fetchPlot().then(() => setIsThere(true), fail);
  }, [isThere]);
  const Plot = plot;
  return isThere && Plot !== undefined ? (
    <Plot {...props} />
  ) : (
    <div className="plot-space" style={{ height: props.height ?? HEIGHT }} />
  );
}
