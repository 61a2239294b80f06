/** Maps a problem in a body to its position in the file that the body was made from. */
import type { Located, Position } from './source.ts';

export type Step = string | number;

/** A part of a body, and the value of the file that it was made from. */
export interface Origin {
  readonly steps: readonly Step[];
  readonly node: Located;
}

/** The steps of a problem's path: `job.inputs[0]["a b"]`. */
export function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  const pattern = /\.?([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null) break;
    const [, word, index, quoted] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(quoted === undefined ? (word ?? '') : unquoted(quoted));
  }
  return steps;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The position of a path: in the nearest part of the body whose origin is known, as deep as that part goes. */
export function placeOf(origins: readonly Origin[], path: string, otherwise: Position): Position {
  const steps = stepsOf(path);
  const nearest = origins
    .filter((origin) => origin.steps.every((step, index) => step === steps[index]))
    .reduce<Origin | undefined>(
      (best, origin) => (best === undefined || origin.steps.length >= best.steps.length ? origin : best),
      undefined,
    );
  return nearest === undefined ? otherwise : walk(nearest.node, steps.slice(nearest.steps.length));
}

function walk(node: Located, steps: readonly Step[]): Position {
  let [current, at] = [node, node.at];
  for (const step of steps) {
    if (current.kind === 'map') {
      const entry = current.entries.find(({ key }) => key === step);
      if (entry === undefined) return at;
      current = entry.value;
      // A map or list in lines of its own begins below its key.
      at = current.kind === 'scalar' ? current.at : entry.keyAt;
    } else if (current.kind === 'list' && typeof step === 'number') {
      const item = current.items[step];
      if (item === undefined) return at;
      [current, at] = [item, item.at];
    } else return at;
  }
  return at;
}
