/** Says where a graph continues beyond its frame, with a button that shows all of it. */
import { type FitViewOptions, Panel, useReactFlow, useStore, useViewport } from '@xyflow/react';
import type { Layout } from './shape.ts';

/** Parts that are cut off by at most this many pixels, such as the edge of a line, are not reported. */
const TOLERANCE = 8;

interface Props {
  readonly layout: Layout;
  readonly fitting: FitViewOptions;
}

export function Beyond({ layout, fitting }: Props) {
  const flow = useReactFlow();
  const { x, y, zoom } = useViewport();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const sides = [
    ['left', x < -TOLERANCE],
    ['top', y < -TOLERANCE],
    ['right', x + layout.width * zoom > width + TOLERANCE],
    ['bottom', y + layout.height * zoom > height + TOLERANCE],
  ] as const;
  const cut = sides.filter(([, isCut]) => isCut);
  if (width === 0 || cut.length === 0) return null;
  return (
    <>
      {cut.map(([side]) => (
        <div key={side} aria-hidden="true" className={`graph-beyond ${side}`} />
      ))}
      <Panel position="bottom-left" className="graph-all">
        <button type="button" onClick={() => void flow.fitView(fitting)}>
          Show all
        </button>
      </Panel>
    </>
  );
}
