/** A chart of amounts over time. The drawing library is fetched apart: the first page is there before it. */
import { type ComponentType, useEffect, useState } from 'react';
import type { ChartProps } from './plot.tsx';

const HEIGHT = 160;

export type { ChartProps, ChartSeries } from './plot.tsx';

let plot: ComponentType<ChartProps> | undefined;

/** Fetches the code of charts: when the browser is idle, and when the overview is opened. */
export async function fetchPlot(): Promise<void> {
  plot ??= (await import('./plot.tsx')).Plot;
}

/** React shows the placeholder of a lazy component for 300 ms even when its code is there, so this is none. */
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
